import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseJson } from "../../src/base/json.ts";
import { operations } from "../../src/operations/operation.ts";
import { patternOf } from "../../src/expression/pattern.ts";
import type { PlanDocument, PlannedStep } from "../../src/report/plan/shape.ts";
import { userValidator } from "../../src/schema/user.ts";
import { proxyTo } from "./proxy.ts";
import { type Ended, newProject, operationsOf, type Project, sandboxProcess, type Service, delivered } from "./world.ts";

const ONBOARDING = `playbook: 1
name: Onboard once
inputs:
  property: { type: string, default: Loft12 }
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: asset
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ inputs.property }}", city: Lisbon } }
    ensure:
      read: ledger.asset.get
      with: { assetType: Property, id: "\${{ inputs.property }}" }
      that: response.data.city == "Lisbon"
  - id: token
    uses: ledger.token.create
    with:
      id: "tok\${{ inputs.property }}"
      name: Rights
      symbol: LFT
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100.00", transferable: true, burnable: true }
    ensure:
      read: ledger.token.get
      with: { id: "tok\${{ inputs.property }}" }
      that: response.symbol == "LFT"
  - id: supply
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
  - id: mint
    if: steps.supply.response.totalSupply == 0
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "100.00" }
checks:
  - conserve: { token: "\${{ steps.token.id }}" }
`;

/** As the proxy names what comes by. */
const WRITES = new Set(
  [...operations.values()].filter(({ writes }) => writes).map(({ call }) => `${call.method} ${call.path.replace(/\{.*/, "")}`),
);

interface Planned extends Ended {
  readonly plan: PlanDocument;
  /** The verdict of each step. */
  readonly verdicts: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, PlannedStep>>;
}

async function planned(project: Project, ...args: string[]): Promise<Planned> {
  const ended = await project.run("plan", ...args, "--json");
  expect(ended.stdout, ended.told).not.toBe("");
  const plan = JSON.parse(ended.stdout) as PlanDocument;
  const rows = plan.plans.flatMap(({ steps }) => steps);
  return {
    ...ended,
    plan,
    verdicts: Object.fromEntries(rows.map(({ step, verdict }) => [step, verdict])),
    steps: Object.fromEntries(rows.map((row) => [row.step, row])),
  };
}

interface Reading {
  readonly project: Project;
  readonly service: Service;
  readonly writesSeen: () => readonly string[];
  readonly expectNoWrite: () => Promise<void>;
}

/** A project at a service that nothing but reads may reach, as its proxy and its own commits tell. */
async function onlyReading(): Promise<Reading> {
  const service = await sandboxProcess();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  const before = await service.commits();
  const writesSeen = (): readonly string[] => proxy.seen.filter((name) => WRITES.has(name));
  return {
    project,
    service,
    writesSeen,
    expectNoWrite: async () => {
      expect(proxy.seen.length).toBeGreaterThan(0);
      expect(writesSeen()).toEqual([]);
      expect(await service.commits()).toEqual(before);
    },
  };
}

/** A playbook of these steps, with alice as the one who acts. */
function playbookOf(steps: string, more = ""): string {
  return `playbook: 1\nname: Planned\nactors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\n${more}steps:\n${steps}`;
}

const CREATE = `  - id: asset
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;

test("on an empty ledger the plan says what will be created, on a filled one what is so already; the plan itself writes nothing", async () => {
  const { project, service, writesSeen, expectNoWrite } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  const empty = await planned(project, "onboarding.yaml");
  expect(empty.code, empty.told).toBe(0);
  expect(empty.verdicts).toEqual({
    asset: "will-create",
    token: "will-create",
    supply: "cannot-know",
    mint: "cannot-know",
    "checks.1": "cannot-know",
  });
  expect(empty.plan.plans[0]?.totals).toEqual({
    ledgerTransactions: 2,
    investorWrites: 0,
    cannotKnow: 1,
    alreadySo: 0,
    wouldFail: 0,
  });
  expect(empty.plan.plans[0]?.notReached).toEqual([]);
  expect(empty.steps["mint"]?.why).toEqual(["steps.supply.response is known only when supply has run"]);
  await expectNoWrite();

  const ran = await project.run("run", "onboarding.yaml");
  expect(ran.code, ran.told).toBe(0);
  expect(writesSeen()).toEqual(["POST /asset", "POST /token", "POST /token/mint"]);
  const commits = await service.commits();
  const filled = await planned(project, "onboarding.yaml");
  expect(filled.code, filled.told).toBe(0);
  expect(filled.verdicts).toEqual({
    asset: "already-so",
    token: "already-so",
    supply: "reads",
    mint: "skipped",
    "checks.1": "holds",
  });
  expect(filled.plan.plans[0]?.totals).toMatchObject({ ledgerTransactions: 0, cannotKnow: 0, alreadySo: 2 });
  expect(writesSeen()).toHaveLength(3);
  expect(await service.commits()).toEqual(commits);
});

test("the plan for people says each step, why it cannot be known, and how many ledger transactions would be sent", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write("sale.yaml", delivered("onboarding/property-sale.yaml"));
  const told = await project.run("plan", "sale.yaml");
  expect(told.code, told.told).toBe(0);
  expect(told.stdout).toContain("+ will create      property");
  expect(told.stdout).toContain("· amount: steps.before.response is known only when purchase/before has run");
  expect(told.stdout).toMatch(/\+ will create +token\/token /);
  expect(told.lines.at(-1)).toMatch(
    /^ {2}would send \d+ ledger transactions \(\d+ cannot be known\), 1 write of the investor interface, 0 steps already so$/,
  );
  await expectNoWrite();
});

test("a plan is kept for its owner alone, meets the published schema, and a run with it does what it says", async () => {
  const { project, service } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  const kept = await project.run("plan", "onboarding.yaml", "--out", "onboarding.plan");
  expect(kept.code, kept.told).toBe(0);
  expect(statSync(join(project.folder, "onboarding.plan")).mode & 0o777).toBe(0o600);
  const schema = JSON.parse((await project.run("schema", "plan")).stdout) as object;
  const validate = userValidator(schema, patternOf);
  const written = project.read("onboarding.plan");
  expect(validate(parseJson(written))).toEqual([]);
  for (const field of ['"format"', '"digest"', '"verdict"', '"status"', '"alreadySo"', '"appId"']) {
    const stray = validate(parseJson(written.replace(field, `"stray": 1, ${field}`)));
    expect(
      stray.map(({ keyword }) => keyword),
      field,
    ).toEqual(["additionalProperties"]);
  }
  const ran = await project.run("run", "onboarding.yaml", "--plan", "onboarding.plan");
  expect(ran.code, ran.told).toBe(0);
  expect(operationsOf(await service.commits())).toHaveLength(3);
});

test("a plan that is out of date is refused before the first write, and every step that changed is named", async () => {
  const { project, service } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  expect((await project.run("plan", "onboarding.yaml", "--out", "p.plan")).code).toBe(0);
  const meanwhile = await project.run("run", "onboarding.yaml");
  expect(meanwhile.code, meanwhile.told).toBe(0);
  const commits = await service.commits();
  const refused = await project.run("run", "onboarding.yaml", "--plan", "p.plan");
  expect(refused.code, refused.told).toBe(2);
  expect(refused.stderr).toContain("error plan.outdated");
  expect(refused.stderr).toContain("onboarding.yaml: asset: it was will-create, and is already-so");
  expect(refused.stderr).toContain("ledger.asset.get answered HTTP 404, and now 200");
  expect(refused.stderr).toContain("onboarding.yaml: mint: it was cannot-know, and is skipped");
  expect(await service.commits()).toEqual(commits);
  expect((await project.json("runs")).data.runs).toHaveLength(1);

  expect((await project.run("plan", "onboarding.yaml", "--out", "p.plan")).code).toBe(0);
  const ran = await project.run("run", "onboarding.yaml", "--plan", "p.plan");
  expect(ran.code, ran.told).toBe(0);
});

test("an answer that changed is told place by place", async () => {
  const { project, service } = await onlyReading();
  project.write("mint.yaml", playbookOf(`  - uses: ledger.asset.stats\n    id: stats\n${CREATE}`));
  expect((await project.run("plan", "mint.yaml", "--out", "p.plan")).code).toBe(0);
  const made = await project.run("run", "mint.yaml");
  expect(made.code, made.told).toBe(0);
  const commits = await service.commits();
  const refused = await project.run("run", "mint.yaml", "--plan", "p.plan");
  expect(refused.code, refused.told).toBe(2);
  expect(refused.stderr).toContain("mint.yaml: stats: what it rests on is another");
  expect(refused.stderr).toContain("ledger.asset.stats answers something else");
  expect(refused.stderr).toMatch(/totalCount: \d+ → \d+/);
  expect(await service.commits()).toEqual(commits);
});

test("a plan of another playbook, with other inputs, or for another place is refused", async () => {
  const { project, service } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  expect((await project.run("plan", "onboarding.yaml", "--out", "p.plan")).code).toBe(0);
  const refused = async (code: string, ...args: string[]): Promise<void> => {
    const ended = await project.run("run", "--plan", "p.plan", ...args);
    expect(ended.code, ended.told).toBe(2);
    expect(ended.stderr).toContain(`error ${code}`);
  };
  await refused("plan.other-inputs", "onboarding.yaml", "--input", "property=Attic");
  project.write("other.yaml", playbookOf(CREATE));
  await refused("plan.other-playbook", "other.yaml");
  project.write("onboarding.yaml", ONBOARDING.replace("city: Lisbon", "city: Porto"));
  await refused("plan.other-playbook", "onboarding.yaml");
  project.write("onboarding.yaml", ONBOARDING);
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace("  here:", "  there:"));
  await refused("plan.other-target", "onboarding.yaml");
  project.write("p.plan", "{}");
  await refused("plan.unreadable", "onboarding.yaml");
  project.write("p.plan", "no plan");
  await refused("plan.unreadable", "onboarding.yaml");
  expect(await service.commits()).toEqual([]);
});

test("reads that fail, and expectations that do not hold, are told: exit 1", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write("absent.yaml", playbookOf(`  - id: nothing\n    uses: ledger.token.get\n    with: { id: nothing }\n${CREATE}`));
  const absent = await planned(project, "absent.yaml");
  expect(absent.code, absent.told).toBe(1);
  expect(absent.verdicts).toEqual({ nothing: "would-fail" });
  expect(absent.steps["nothing"]?.problem?.message).toContain("HTTP 404");
  expect(absent.plan).toMatchObject({ ok: false, plans: [{ outcome: "would-fail", notReached: ["asset"] }] });

  project.write(
    "expects.yaml",
    playbookOf(`  - id: stats\n    uses: ledger.asset.stats\n    expect: [response.totalCount == 77]\n${CREATE}`),
  );
  const expects = await planned(project, "expects.yaml");
  expect(expects.code, expects.told).toBe(1);
  expect(expects.steps["stats"]).toMatchObject({ verdict: "would-fail", problem: { code: "expect.failed" } });

  project.write(
    "rescued.yaml",
    playbookOf(`  - id: try
    block:
      - { id: nothing, uses: ledger.token.get, with: { id: nothing } }
    rescue:
      - id: instead
        uses: ledger.asset.create
        with: { assetType: Property, data: { id: instead } }
    always:
      - { id: last, uses: ledger.asset.stats }
`),
  );
  const rescued = await planned(project, "rescued.yaml");
  expect(rescued.code, rescued.told).toBe(0);
  expect(rescued.verdicts).toEqual({ try: "opens", nothing: "would-fail", instead: "will-create", last: "reads" });

  project.write(
    "refused.yaml",
    playbookOf(`  - id: nothing
    uses: ledger.asset.get
    with: { assetType: Property, id: nothing }
    fails: { condition: asset not found }
`),
  );
  expect((await planned(project, "refused.yaml")).verdicts).toEqual({ nothing: "reads" });
  await expectNoWrite();
});

test("what depends on what a write would give cannot be known, and all else can", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write(
    "inner.yaml",
    `playbook: 1
name: Inner
inputs: { id: { type: string }, city: { type: string } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: again
    if: inputs.city == "Lisbon"
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ inputs.id }}2" } }
  - id: never
    if: inputs.city == "Porto"
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ inputs.id }}3" } }
outputs:
  id: "\${{ steps.again.outcome == 'skipped' ? 'none' : inputs.id }}"
  city: "\${{ inputs.city }}"
`,
  );
  project.write(
    "outer.yaml",
    playbookOf(`  - { id: stats, uses: ledger.asset.stats }
${CREATE}  - id: outcome
    if: steps.asset.outcome == "changed" || steps.asset.response.transactionId == ""
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: known } }
  - id: unsure
    if: steps.asset.response.transactionId != ""
    block:
      - { id: within, uses: ledger.asset.create, with: { assetType: Property, data: { id: within } } }
    rescue:
      - { id: saved, uses: ledger.asset.stats }
  - id: after
    if: steps.within.outcome == "changed"
    uses: ledger.asset.stats
  - id: each
    foreach: { item: "\${{ [steps.asset.id] }}", key: item }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ item }}x" } }
  - id: inner
    uses: ./inner.yaml
    with: { id: "\${{ steps.asset.id }}", city: Lisbon }
  - id: city
    if: steps.inner.outputs.city == "Lisbon"
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ steps.inner.outputs.id }}4" } }
  - id: given
    if: steps.outcome.outcome != "skipped"
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ steps.outcome.id }}" }
    until: response.data.id == "known"
  - id: twice
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: known } }
    fails: { condition: "asset already exists" }
`),
  );
  const outer = await planned(project, "outer.yaml");
  expect(outer.code, outer.told).toBe(0);
  expect(outer.verdicts).toEqual({
    stats: "reads",
    asset: "will-create",
    outcome: "will-create",
    unsure: "cannot-know",
    within: "cannot-know",
    saved: "cannot-know",
    after: "cannot-know",
    each: "cannot-know",
    inner: "opens",
    "inner/again": "will-create",
    "inner/never": "skipped",
    city: "will-create",
    given: "cannot-know",
    twice: "will-be-refused",
  });
  expect(outer.plan.plans[0]?.totals).toEqual({
    ledgerTransactions: 4,
    investorWrites: 0,
    cannotKnow: 2,
    alreadySo: 0,
    wouldFail: 0,
  });
  expect(outer.steps["each"]?.why).toEqual(["run.key is given when a run begins"]);
  expect(outer.steps["given"]?.reads.map(({ operation }) => operation)).toEqual(["ledger.asset.get"]);
  await expectNoWrite();
});

test("what would wait is told, and what comes behind it is not taken for known", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write(
    "wait.yaml",
    playbookOf(`  - id: some
    uses: ledger.asset.get
    with: { assetType: Property, id: none }
    until: response.id == "none"
    timeout: 1h
    on_timeout: pending
  - id: behind
    uses: ledger.asset.stats
    expect: [response.totalCount == 77]
checks:
  - read: ledger.asset.stats
    that: response.totalCount == 78
`),
  );
  const waits = await planned(project, "wait.yaml");
  expect(waits.code, waits.told).toBe(0);
  expect(Object.values(waits.verdicts)).toEqual(["would-wait", "cannot-know", "cannot-know"]);
  expect(waits.steps["some"]?.why[0]).toContain("it would end as pending");
  await expectNoWrite();
});

test("no plan is made where the service does not answer, or the playbook has mistakes: exit 2", async () => {
  const { project } = await onlyReading();
  project.write("wrong.yaml", playbookOf("  - { uses: ledger.asset.nope }\n"));
  const wrong = await project.run("plan", "wrong.yaml");
  expect(wrong.code, wrong.told).toBe(2);
  project.serviceAt("http://127.0.0.1:1");
  project.write("right.yaml", playbookOf(CREATE));
  const down = await project.run("plan", "right.yaml", "--out", "p.plan");
  expect(down.code, down.told).toBe(2);
  expect(down.stderr).toContain("service.unreachable");
  expect(() => project.read("p.plan")).toThrow(/ENOENT/);
});

test("the help of plan has examples", async () => {
  const help = await newProject().run("plan", "--help");
  expect(help.code).toBe(0);
  expect(help.stdout).toContain("$ tokenbook run onboarding.yaml --plan onboarding.plan");
});
