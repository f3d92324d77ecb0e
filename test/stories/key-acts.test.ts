import { expect, test } from "vitest";
import { desk, writing } from "./desk.ts";
import { cutAnswer } from "./proxy.ts";
import { newProject, operationsOf, type Project, stepIn } from "./world.ts";

const MINT = `playbook: 1
name: The key mints
defaults: { as: { ledger: key } }
steps:
  - id: token
    uses: ledger.token.create
    with: { name: Ours, symbol: OUR, behaviour: { decimal: 2, transferable: true, burnable: true } }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: { orgId: org1, userId: bob }, value: "10" }
`;

function sayWhoTheKeyIs(project: Project): void {
  const text = project.read("tokenbook.yaml");
  project.write("tokenbook.yaml", text.replace(/^( +)apiKey:/m, '$1keyEntity: "userId:admin"\n$&'));
}

test("a ledger write needs an actor, and a ledger read does not", async () => {
  const project = newProject();
  project.write("nobody.yaml", MINT.replace(/^defaults.*\n/m, ""));
  const refused = await project.run("run", "nobody.yaml");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.transcript).toContain("playbook.no-actor");
  expect(refused.transcript).toContain("as: { ledger: key }");
  project.write("read.yaml", "playbook: 1\nsteps: [{ uses: ledger.token.list }]\n");
  const read = await project.run("run", "read.yaml");
  expect(read.code, read.transcript).toBe(0);
});

test("a report shows the key as the actor when the key acts for itself", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT);
  const run = await project.json("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(0);
  expect(stepIn(run.data, "mint").actor).toBe("the key");
});

test("a lost write of the key is found if the environment names its entity, and is unknown otherwise", async () => {
  const at = await desk({ "mint.yaml": MINT });
  void at.proxy.next("POST /token/mint", cutAnswer);
  const lost = await at.project.run("run", "mint.yaml", "--state", "first");
  expect(lost.code, lost.transcript).toBe(5);
  expect(lost.transcript).toContain("ledger.keyEntity");

  sayWhoTheKeyIs(at.project);
  const resumed = await at.project.run("resume", "--state", "first");
  expect(resumed.code, resumed.transcript).toBe(0);
  void at.proxy.next("POST /token/mint", cutAnswer);
  const found = await at.project.run("run", "mint.yaml", "--state", "second");
  expect(found.code, found.transcript).toBe(0);
  expect(operationsOf(await at.service.commits()).filter((name) => name === "ledger.token.mint")).toHaveLength(2);
});

test("the key's own entity counts as the same entity as one that is named", async () => {
  const record = (as: string): string => `playbook: 1
steps:
  - uses: ledger.asset.create
    as: { ledger: "${as}" }
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;
  const at = await desk({ "key.yaml": record("key"), "admin.yaml": record("userId:admin") });
  sayWhoTheKeyIs(at.project);
  const { running, goOn } = await writing(at, "key.yaml");
  const second = at.project.start("run", "admin.yaml");
  const [line] = await second.lines(1);
  expect(line).toMatch(/^… waiting until \S+Z for userId:admin at /);
  goOn();
  for (const { ended } of [running, second]) expect((await ended).code, (await ended).transcript).toBe(0);
});

const RECORD = `playbook: 1
name: Record as whom the input names
inputs: { who: { type: entity } }
steps:
  - id: asset
    as: "\${{ inputs.who }}"
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;

test.for([
  {
    who: { orgId: "otherorg", userId: "alice" },
    says: 'it is of the organization "otherorg", and this environment acts for "org1"',
  },
  { who: { borrowerId: "b7", userId: "alice" }, says: "one attribute says who acts, and it has borrowerId and userId" },
  { who: { orgId: "org1" }, says: "it names no one within the organization" },
])("an entity whose other fields would be dropped cannot act: $who", async ({ who, says }) => {
  const at = await desk({ "record.yaml": RECORD });
  for (const command of ["run", "plan"]) {
    const refused = await at.project.run(command, "record.yaml", "--input", `who=${JSON.stringify(who)}`);
    expect(refused.code, refused.transcript).toBe(1);
    expect(refused.stdout, refused.transcript).toContain(`as: inputs.who cannot act: ${says}`);
  }
  expect(await at.service.commits()).toEqual([]);
  for (const own of ['{"orgId":"org1","userId":"alice"}', "borrowerId:b7"]) {
    const run = await at.project.run("run", "record.yaml", "--input", `who=${own}`);
    expect(run.code, run.transcript).toBe(0);
  }
});
