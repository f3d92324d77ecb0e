import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import crashSchema from "../../schemas/crash.schema.json" with { type: "json" };
import type { CrashDocument, CrashReport } from "../../src/report/crash/shape.ts";
import { SchemaSet } from "../../src/schema/validator.ts";
import { isNightly } from "../sizes.ts";
import { type Ended, MINT_ONCE, newProject, type Project, temporaryFolder, until } from "../stories/world.ts";

interface Tested extends Ended {
  readonly document: CrashDocument;
}

async function crashEverywhere(project: Project, ...args: string[]): Promise<Tested> {
  const ended = await project.run("test", "--crash-everywhere", "--json", ...args);
  expect(ended.stdout, ended.transcript).not.toBe("");
  const document = JSON.parse(ended.stdout) as CrashDocument;
  expect(new SchemaSet().validator(crashSchema)(JSON.parse(ended.stdout)), ended.transcript).toEqual([]);
  return { ...ended, document };
}

async function crashOne(text: string, ...args: string[]): Promise<CrashReport & { readonly transcript: string }> {
  const project = newProject({ DOOR_PIN: "correct-horse-battery" });
  project.write("one.yaml", text);
  project.write("part.yaml", PART);
  project.write("holders.csv", "holder,amount\nuserId:bob,1.00\nuserId:carol,2.50\n");
  const { document, transcript } = await crashEverywhere(project, "one.yaml", ...args);
  const [report] = document.playbooks;
  if (report === undefined) throw new Error(transcript);
  expect(transcript).not.toContain("correct-horse-battery");
  return { ...report, transcript };
}

const ALICE = `actors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\n`;

const PART = `playbook: 1
inputs: { plot: { type: string } }
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - uses: ledger.asset.create
    as: issuer
    with: { assetType: Property, data: { id: "\${{ inputs.plot }}" } }
`;

const PLAYBOOKS = {
  "a write that must fail": `playbook: 1\n${ALICE}steps:
  - uses: ledger.token.mint
    with: { id: "nothing", to: "\${{ actors.issuer }}", value: 1 }
    fails: { condition: invalid token id }
`,
  "an included playbook": `playbook: 1\nsteps:
  - id: plot
    uses: ./part.yaml
    with: { plot: "Plot-\${{ run.key }}" }
`,
  "a foreach in order over a data file": `playbook: 1\n${ALICE}inputs:
  holders: { type: file, default: holders.csv, items: { type: object, properties: { holder: { type: entity }, amount: { type: decimal } } } }
steps:
  - id: plots
    foreach: { row: "\${{ inputs.holders }}", key: row.holder.userId }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ row.holder.userId + run.key }}", amount: "\${{ row.amount }}" } }
`,
  "a secret": `playbook: 1\n${ALICE}secrets: { PIN: env:DOOR_PIN }\nsteps:
  - uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Safe", pin: "\${{ secrets.PIN }}" } }
`,
  "a block with a rescue and an always": `playbook: 1\n${ALICE}steps:
  - id: tried
    block:
      - { uses: ledger.token.get, with: { id: "nothing" } }
    rescue:
      - { uses: ledger.asset.create, with: { assetType: Property, data: { id: Rescued } } }
    always:
      - { uses: ledger.asset.create, with: { assetType: Property, data: { id: Always } } }
`,
  "a purchase": `playbook: 1\nactors: { buyer: { investor: BUYER_KEY } }\nsteps:
  - uses: investor.sales.buy
    as: buyer
    with: { tokenSaleId: saleDebt1, userAddress: "0x00000000000000000000000000000000000000b1", amount: 1, currencyContract: "0x00000000000000000000000000000000000000c1", timezone: Europe/Lisbon }
`,
  "rounds, a rescue and a purchase in one": `playbook: 1
actors: { issuer: { ledger: "userId:alice" }, buyer: { investor: BUYER_KEY } }
defaults: { as: issuer }
inputs:
  holders: { type: file, default: holders.csv, items: { type: object, properties: { holder: { type: entity }, amount: { type: decimal } } } }
steps:
  - id: plots
    foreach: { row: "\${{ inputs.holders }}", key: row.holder.userId }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ row.holder.userId + run.key }}", amount: "\${{ row.amount }}" } }
  - id: tried
    block:
      - { uses: ledger.token.get, with: { id: "nothing" } }
    rescue:
      - { uses: ledger.asset.create, with: { assetType: Property, data: { id: Rescued } } }
    always:
      - uses: investor.sales.buy
        as: buyer
        with: { tokenSaleId: saleDebt1, userAddress: "0x00000000000000000000000000000000000000b1", amount: 1, currencyContract: "0x00000000000000000000000000000000000000c1", timezone: Europe/Lisbon }
`,
} as const;

const BY_DAY: readonly (keyof typeof PLAYBOOKS)[] = ["rounds, a rescue and a purchase in one"];

test.for(isNightly ? (Object.keys(PLAYBOOKS) as (keyof typeof PLAYBOOKS)[]) : BY_DAY)(
  "%s: after a kill at any point the ledger is the same, or the run ends as unknown",
  async (what) => {
    const { boundaries, totals, problem, transcript } = await crashOne(PLAYBOOKS[what]);
    expect(problem, transcript).toBeNull();
    expect(totals, transcript).toMatchObject({ different: 0, missed: 0, notTried: 0 });
    expect(totals.same + totals.unknown).toBe(totals.tried);
    const points = boundaries.map(({ point }) => point.replace(/@.*/, ""));
    for (const point of [
      "before:attempt.intended",
      "after:attempt.intended",
      "sent",
      "before:attempt.answered",
      "after:attempt.answered",
    ])
      expect(points, transcript).toContain(point);
    for (const { point, verdict, writes } of boundaries)
      if (/^(?:before:attempt.intended|after:attempt.answered|\w+:run)/.test(point))
        expect({ point, verdict, writes }).toEqual({ point, verdict: "same", writes: [] });
  },
);

test("parallel rounds can differ in their order, but none of them writes twice", async () => {
  const { totals, transcript } = await crashOne(`playbook: 1\n${ALICE}steps:
  - id: plots
    foreach: { plot: "\${{ ['a', 'b'] }}", key: plot, parallel: 2 }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ plot + run.key }}" } }
`);
  expect(totals.tried, transcript).toBeGreaterThan(9);
  expect(totals.different, transcript).toBe(0);
});

test("the table counts kills by step, and no files stay behind", async () => {
  const temporary = temporaryFolder();
  const project = newProject({ TMPDIR: temporary });
  project.write("mint.yaml", MINT_ONCE);
  const tested = await project.run("test", "--crash-everywhere", "mint.yaml");
  expect(tested.code, tested.transcript).toBe(0);
  expect(tested.lines[0]).toBe("⚡ Mint once  (mint.yaml)");
  expect(tested.lines[1]).toBe("  step            killed  same  unknown  took effect  answer lost  DIFFERENT");
  for (const step of ["the run itself", "token", "mint"])
    expect(tested.stdout).toMatch(new RegExp(`^  ${step} +\\d+( +\\d+){5}$`, "m"));
  expect(tested.lines.at(-1)).toMatch(/^ {2}✓ 14 boundaries: \d+ same, \d+ unknown, no violation in /);
  expect(tested.stderr).toBe("");
  expect(readdirSync(project.folder)).toEqual(["mint.yaml"]);
  expect(readdirSync(temporary).filter((name) => name.startsWith("tokenbook-crash"))).toEqual([]);
});

test("`--at` repeats one point, and `--keep` keeps its files", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const at = ["mint.yaml", "--at", "after:attempt.answered@mint", "--keep", "crashed"];
  const { document, transcript } = await crashEverywhere(project, ...at);
  expect(
    document.playbooks[0]?.boundaries.map(({ point, verdict }) => [point, verdict]),
    transcript,
  ).toEqual([["after:attempt.answered@mint", "same"]]);
  expect(document.playbooks[0]?.boundaries[0]?.replay).toBe(
    "tokenbook test --crash-everywhere mint.yaml --at 'after:attempt.answered@mint' --keep crashed",
  );
  const { data } = await project.json("runs", "--state", "crashed/1");
  expect(data.runs.map(({ outcome }) => outcome)).toEqual(["passed"]);

  const again = await project.run("test", "--crash-everywhere", ...at);
  expect(again.code, again.transcript).toBe(2);
  expect(again.stderr).toContain("test.folder-not-empty");
  const other = await project.run("test", "--crash-everywhere", "mint.yaml", "--at", "after:attempt.answered@mnt");
  expect(other.code, other.transcript).toBe(2);
  expect(other.stdout).toContain("next: --at 'after:attempt.answered@mint'");
});

test("what does not pass by itself, is not the same twice, or sends no write, is not tested; the others are", async () => {
  const project = newProject();
  project.write("fails.yaml", `playbook: 1\n${ALICE}steps: [{ id: look, uses: ledger.token.get, with: { id: "nothing" } }]\n`);
  project.write(
    "moody.yaml",
    `playbook: 1\n${ALICE}steps:
  - { id: made, uses: ledger.asset.create, with: { assetType: Property, data: { id: One } } }
  - uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ steps.made.transactionId.substring(0, 8) }}" } }
`,
  );
  project.write("mint.yaml", MINT_ONCE);
  const read = "uses: ledger.token.list";
  project.write(
    "skips.yaml",
    `playbook: 1\n${ALICE}steps: [{ ${read} }, { if: "run.id == '1'", uses: ledger.asset.delete, with: { assetType: Property, id: [A] } }]\n`,
  );
  project.write("reads.yaml", `playbook: 1\nmode: read-only\nsteps: [{ ${read} }]\n`);
  const { code, document, transcript } = await crashEverywhere(
    project,
    "fails.yaml",
    "mint.yaml",
    "moody.yaml",
    "skips.yaml",
    "reads.yaml",
    "--at",
    "before:run.closed",
  );
  expect(code, transcript).toBe(2);
  expect(document.ok).toBe(false);
  const [fails, mint, moody, skips, reads] = document.playbooks;
  expect(fails?.problem).toMatchObject({
    code: "test.not-passed",
    // The hint must not suggest `run`, because `run` would act on the first environment of a tokenbook.yaml.
    next: "tokenbook test --crash-everywhere fails.yaml --keep crashed\nand see where it stopped:\ntokenbook runs show latest --state crashed/undisturbed",
  });
  expect(fails?.problem?.message).toContain("failed at look: ");
  expect(mint?.totals, transcript).toMatchObject({ tried: 1, different: 0 });
  expect(moody?.problem).toMatchObject({ code: "test.not-repeatable" });
  expect(skips?.problem).toMatchObject({ code: "test.no-write" });
  expect(reads?.totals, transcript).toMatchObject({ tried: 1, same: 1 });
});

test("a crash test accepts inputs and a seed, and its replay command repeats both", async () => {
  const project = newProject();
  project.write("lease.yaml", PART.replace("assetType: Property", "assetType: Lease"));
  project.write("seed.json", JSON.stringify({ assetTypes: ["Lease"] }));
  const given = ["lease.yaml", "--input", "plot=Plot 1", "--seed", "seed.json", "--at", "before:run.claimed"];
  const { code, document, transcript } = await crashEverywhere(project, ...given);
  expect(code, transcript).toBe(0);
  expect(document.playbooks[0]?.boundaries[0]?.replay).toBe(
    "tokenbook test --crash-everywhere lease.yaml --input 'plot=Plot 1' --seed seed.json --at before:run.claimed --keep crashed",
  );
  const missing = await project.run("test", "--crash-everywhere", "lease.yaml");
  expect(missing.code, missing.transcript).toBe(2);
  expect(missing.stderr).toContain('"plot" must be given');
});

test("an interrupted crash test reports its progress and removes its files", async () => {
  const temporary = temporaryFolder();
  const project = newProject({ TMPDIR: temporary });
  project.write("mint.yaml", MINT_ONCE);
  const running = project.start("test", "--crash-everywhere", "mint.yaml", "--jobs", "1");
  // Look only for the names that it makes first, because other entries come and go while we list them.
  const firstTrial = (folder: string): boolean => existsSync(join(temporary, folder, "1"));
  await until(() => (readdirSync(temporary).some(firstTrial) ? true : undefined));
  await running.signal("SIGINT");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(130);
  expect(readdirSync(temporary).filter((name) => name.startsWith("tokenbook-crash"))).toEqual([]);
});

test("`tokenbook test` needs the kind of test", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const tested = await project.run("test", "mint.yaml");
  expect(tested.code, tested.transcript).toBe(2);
  expect(tested.stderr).toContain("next: tokenbook test --crash-everywhere PLAYBOOK");
});

test("each playbook has its own state, so none resumes the runs of another", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  project.write("look.yaml", "playbook: 1\nmode: read-only\nsteps: [{ uses: ledger.asset.stats }]\n");
  const at = ["--at", "before:run.closed"];
  const { code, document, transcript } = await crashEverywhere(project, "look.yaml", "mint.yaml", ...at, "--keep", "kept");
  expect(code, transcript).toBe(0);
  expect(document.playbooks.map(({ totals }) => totals.same)).toEqual([1, 1]);
  for (const [index, file] of ["look.yaml", "mint.yaml"].entries()) {
    const { data } = await project.json("runs", "--state", `kept/playbook-${index + 1}/undisturbed`);
    expect(data.runs.map(({ playbook }) => playbook)).toEqual([file]);
  }
});
