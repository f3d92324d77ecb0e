import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddedCommits, newProject, operationsOf, type Project, servedSandbox } from "./world.ts";

const TOKEN = `
  - id: token
    uses: ledger.token.create
    with:
      id: "\${{ inputs.token }}"
      name: Shares
      symbol: SHR
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "1000000000000000000", transferable: true, burnable: true }`;

const MINT = `
  - id: mint
    foreach: { h: "\${{ inputs.holders }}", key: h.holder.userId }
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ h.holder }}", value: "\${{ h.amount }}" }`;

const PLAYBOOK = `playbook: 1
name: Mint to holders
inputs:
  token: { type: string, default: SHARES1 }
  issuer: { type: entity, default: "userId:alice" }
  holders:
    type: file
    default: data/holders.csv
    unique: holder
    items:
      type: object
      properties:
        holder: { type: entity }
        amount: { type: decimal, minimum: "0.01" }
        since: { type: date }
        note: { type: string }
      required: [holder, amount]
defaults: { as: "\${{ inputs.issuer }}" }
steps:${TOKEN}${MINT}
  - id: supply
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect:
      - response.totalSupply == sum(inputs.holders.map(h, h.amount))
      - inputs.holders.exists(h, has(h.since) && date(h.since) < date("2026-02-01"))
outputs: { holders: "\${{ inputs.holders }}" }
`;

const HOLDERS = `\uFEFFholder,amount,since,note\r
userId:alice,100000000000000.01,2026-01-31,"two ""lines"",\r
one cell"\r
userId:bob,0.10,,\r
`;

function projectWith(playbook = PLAYBOOK, holders = HOLDERS): Project {
  const project = newProject();
  project.write("playbooks/mint.yaml", playbook);
  project.write("playbooks/data/holders.csv", holders);
  return project;
}

test("each holder of a CSV file gets the exact amount of the cell", async () => {
  const project = projectWith();
  const { code, stdout, transcript } = await project.run("run", "playbooks", "--report", "json=report.json");
  expect(code, transcript).toBe(0);
  expect(stdout, transcript).toMatch(/^✓ changed {2}mint\[bob\] {2}.* as alice /m);
  const report = project.read("report.json");
  expect(report).toContain('"to":{"orgId":"org1","userId":"alice"},"value":100000000000000.01}');
  expect(report).toContain('"to":{"orgId":"org1","userId":"bob"},"value":0.10}');
  expect(report).toContain('"since":"2026-01-31","note":"two \\"lines\\",\\r\\none cell"}');
  expect(report).toContain('"totalSupply":100000000000000.11,');
});

test("a wrong cell is reported with its file, line and column before anything is sent", async () => {
  const project = projectWith(PLAYBOOK, 'holder,amount\nuserId:alice,100.00\nuserId:bob,"1,000.00"\n');
  for (const command of ["check", "run"]) {
    const { code, stdout, stderr, transcript } = await project.run(command, "playbooks/mint.yaml");
    expect(code, transcript).toBe(2);
    expect(stdout + stderr, transcript).toContain("playbooks/mint.yaml:8:14 error playbook.input-content");
    expect(stdout + stderr, transcript).toContain(
      'playbooks/data/holders.csv:3 (row 2, column "amount") must be of type decimal, and is "1,000.00"',
    );
    expect(stdout + stderr, transcript).toContain("fix: digits and a point, such as 1000.50");
  }
  expect(await embeddedCommits(project)).toEqual([]);
});

test("a wrong value in a file of inputs is reported with its line, unless the command line replaces it", async () => {
  const project = projectWith();
  project.write("given.yaml", "token: SHARES2\nissuer: bob\ntokn: A\n");
  const refused = await project.run("run", "playbooks/mint.yaml", "--inputs", "given.yaml");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr, refused.transcript).toContain('"tokn" (given.yaml:3:7) is not an input; did you mean "token"?');
  expect(refused.stderr, refused.transcript).toContain('"issuer" (given.yaml:2:9) must be of type entity, and is "bob"');
  const given = await project.run("run", "playbooks/mint.yaml", "--inputs", "given.yaml", "--input", "issuer=eve");
  expect(given.stderr, given.transcript).toContain('"issuer" must be of type entity, and is "eve"');
});

test("a path on the command line starts in this folder, and one in a file of inputs starts beside that file", async () => {
  const project = projectWith();
  project.write("here.csv", "holder,amount\nuserId:carol,5\nuserId:carol,6\n");
  const wrong = await project.run("run", "playbooks/mint.yaml", "--input", "holders=here.csv");
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain(
    '"holders": here.csv:3 (row 2, column "holder") is {"userId":"carol"}, the same as here.csv:2 (row 1, column "holder")',
  );
  project.write("inputs/these.yaml", "holders: there.json\n");
  project.write("inputs/there.json", '[{"holder":"userId:carol","amount":5.50,"since":"2026-01-01"}]');
  const right = await project.run("run", "playbooks/mint.yaml", "--inputs", "inputs/these.yaml", "--input", "issuer=userId:bob");
  expect(right.code, right.transcript).toBe(0);
  expect(right.stdout, right.transcript).toMatch(/mint\[carol\] {2}.* as bob /);
  expect(operationsOf(await embeddedCommits(project))).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

const AFTER_A_PERSON = PLAYBOOK.replace(
  MINT,
  `
  - id: opened
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    until: response.totalSupply == 1
    timeout: 300ms
    on_timeout: pending${MINT}`,
).replace(/ {2}- id: supply[^]*?outputs:/, "outputs:");

test("a resumed run keeps the rows with which it began when the file has changed", async () => {
  const world = await servedSandbox();
  const project = projectWith(AFTER_A_PERSON, "holder,amount\nuserId:alice,2.50\n");
  project.serviceAt(world.url);
  const run = await project.run("run", "playbooks/mint.yaml");
  expect(run.code, run.transcript).toBe(4);
  const said = 'playbooks/data/holders.csv is not what the run began with; the run keeps its own value of "holders"';
  expect((await project.run("resume")).stderr).not.toContain("note:");
  project.write("playbooks/data/holders.csv", "holder,amount\nuserId:alice,2.60\n");
  expect((await project.run("resume")).stderr).toContain(said);
  await world.call("POST /token/mint", "userId:alice", [{ id: "SHARES1", to: { orgId: "org1", userId: "alice" }, value: 1 }]);

  const holders = join(project.folder, "playbooks/data/holders.csv");

  rmSync(holders);
  const resumed = await project.run("resume", "--report", "json=report.json");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stderr).toContain(said);
  expect(project.read("report.json")).toContain('"to":{"orgId":"org1","userId":"alice"},"value":2.50}');
});

const DOOR = "uses: ledger.asset.get, with: { assetType: Property, id: Door1 }";
const OPENS = "uses: ledger.asset.create, with: { assetType: Property, data: { id: Door1 } }";

test.each(["as it was", "edited"])(
  "an included playbook that has not begun keeps its rows when the run is resumed, with its playbook %s",
  async (state) => {
    const world = await servedSandbox();
    const project = projectWith(PLAYBOOK, "holder,amount\nuserId:alice,9007199254740993.10\n");
    project.serviceAt(world.url);
    const head = `playbook: 1\nname: All\ndefaults: { as: { ledger: "userId:alice" } }\nsteps:\n`;
    project.write("playbooks/door.yaml", `${head}  - { id: open, ${OPENS} }\n`);
    const door = `{ id: door, ${DOOR}, until: response.id == "Door1", timeout: 300ms, on_timeout: pending }`;
    const all = `${head}  - ${door}\n  - { id: mint, uses: ./mint.yaml }\n`;
    project.write("playbooks/all.yaml", all);
    const mint = PLAYBOOK.replace(/ {2}- id: supply[^]*?outputs:/, "outputs:");
    project.write("playbooks/mint.yaml", mint);
    const run = await project.run("run", "playbooks/all.yaml");
    expect(run.code, run.transcript).toBe(4);
    expect((await project.run("run", "playbooks/door.yaml")).code).toBe(0);

    project.write("playbooks/data/holders.csv", "holder,amount\nuserId:mallory,1\n");
    if (state === "edited") project.write("playbooks/all.yaml", all.replace("name: All", "name: Edited"));
    const resumed = await project.run("resume", "--report", "json=report.json");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stderr).toContain(
      'playbooks/data/holders.csv is not what the run began with; the run keeps its own value of "holders"',
    );
    expect(project.read("report.json")).toContain('"to":{"orgId":"org1","userId":"alice"},"value":9007199254740993.10}');
  },
);

test("a file of rows beyond the limit is refused", async () => {
  const project = projectWith();
  project.write("large.csv", "x".repeat(16_777_217));
  const { code, stderr, transcript } = await project.run("run", "playbooks/mint.yaml", "--input", "holders=large.csv");
  expect(code, transcript).toBe(2);
  expect(stderr, transcript).toContain("large.csv has more than 16,777,216 bytes");
  expect(stderr, transcript).toContain("next: split it");
});
