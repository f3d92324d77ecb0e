import { expect, test } from "vitest";
import { CREATE, ONBOARDING, onlyReading, planned, playbookOf } from "./planned.ts";
import { delivered, newProject, operationsOf } from "./world.ts";

test("on an empty ledger the plan says what will be created, on a filled one what is already there; the plan itself writes nothing", async () => {
  const { project, service, writesSeen, expectNoWrite } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  const empty = await planned(project, "onboarding.yaml");
  expect(empty.code, empty.transcript).toBe(0);
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
  expect(ran.code, ran.transcript).toBe(0);
  expect(writesSeen()).toEqual(["POST /asset", "POST /token", "POST /token/mint"]);
  const commits = await service.commits();
  const filled = await planned(project, "onboarding.yaml");
  expect(filled.code, filled.transcript).toBe(0);
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

test("the plan for people says each step, why it cannot be known, and how many would create or change something", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write("sale.yaml", delivered("onboarding/property-sale.yaml"));
  const ended = await project.run("plan", "sale.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stdout).toContain("+ will create      property");
  expect(ended.stdout).toContain("· amount: steps.before.response is known only when purchase/before has run");
  expect(ended.stdout).toMatch(/\+ will create +token\/token /);
  const totals = ended.lines.findIndex((line) => line.endsWith(" would change something"));
  expect(ended.lines[totals]).toMatch(/^ {2}3 steps would create something; \d+ steps? would change something$/);
  expect(ended.lines[totals + 1]).toMatch(/^ {2}\d+ steps cannot be predicted, because$/);
  expect(ended.lines.slice(totals + 2)).toContain("    the answer may differ in the run: property would write before it");
  // A note that several rows share is printed once.
  expect(ended.stdout.match(/ · the answer may differ in the run: property would write before it/g)).toHaveLength(1);
  await expectNoWrite();
});

test("reads that fail, and expectations that do not hold, are reported: exit 1", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write("absent.yaml", playbookOf(`  - id: nothing\n    uses: ledger.token.get\n    with: { id: nothing }\n${CREATE}`));
  const absent = await planned(project, "absent.yaml");
  expect(absent.code, absent.transcript).toBe(1);
  expect(absent.verdicts).toEqual({ nothing: "would-fail" });
  expect(absent.steps["nothing"]?.problem?.message).toContain("HTTP 404");
  expect(absent.plan).toMatchObject({ ok: false, plans: [{ outcome: "would-fail", notReached: ["asset"] }] });

  project.write(
    "expects.yaml",
    playbookOf(`  - id: stats\n    uses: ledger.asset.stats\n    expect: [response.totalCount == 77]\n${CREATE}`),
  );
  const expects = await planned(project, "expects.yaml");
  expect(expects.code, expects.transcript).toBe(1);
  expect(expects.steps["stats"]).toMatchObject({ verdict: "would-fail", problem: { code: "expect.failed" } });

  project.write(
    "surely.yaml",
    playbookOf(`  - id: surely
    uses: ledger.asset.stats
    expect: ['response.totalCount == 77 && run.key != ""']
`),
  );
  const surely = await planned(project, "surely.yaml");
  expect(surely.code, surely.transcript).toBe(1);
  expect(surely.steps["surely"]).toMatchObject({ verdict: "would-fail", problem: { code: "expect.failed" } });

  project.write(
    "perhaps.yaml",
    playbookOf(`  - id: perhaps
    uses: ledger.asset.stats
    expect: ['response.totalCount == 77 || run.key != ""']
  - id: known
    if: steps.perhaps.response.totalCount == 77
    uses: ledger.asset.stats
`),
  );
  const perhaps = await planned(project, "perhaps.yaml");
  expect(perhaps.code, perhaps.transcript).toBe(0);
  expect(perhaps.verdicts).toEqual({ perhaps: "cannot-know", known: "skipped" });

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
  expect(rescued.code, rescued.transcript).toBe(0);
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

test("plan does not predict the rescue of a block whose step may fail", async () => {
  const { project, service } = await onlyReading();
  project.write(
    "perhaps.yaml",
    playbookOf(`  - id: try
    block:
      - id: wait
        uses: ledger.asset.get
        with: { assetType: Property, id: none }
        until: response.id == "none"
        timeout: 100ms
        on_timeout: fail
    rescue:
      - { id: instead, uses: ledger.asset.create, with: { assetType: Property, data: { id: instead } } }
  - { id: stats, uses: ledger.asset.stats }
  - id: behind
    if: steps.try.outcome == "rescued"
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: behind } }
`),
  );
  const plan = await planned(project, "perhaps.yaml");
  expect(plan.verdicts).toEqual({ try: "opens", wait: "would-wait", stats: "reads", behind: "cannot-know" });
  expect(plan.steps["behind"]?.why).toEqual(["steps.try.outcome is known only when try has run: it may be rescued"]);
  expect((await project.run("run", "perhaps.yaml")).code).toBe(0);
  expect(operationsOf(await service.commits())).toHaveLength(2);
});

test("plan lists parallel rounds as they will run, also those beside a round that fails", async () => {
  const { project, expectNoWrite, service } = await onlyReading();
  project.write(
    "beside.yaml",
    playbookOf(`  - id: each
    foreach: { at: [A, B, C], key: at, parallel: 2 }
    block:
      - { id: look, if: at == "A", uses: ledger.asset.get, with: { assetType: Property, id: "\${{ at }}" } }
      - { id: make, uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ at }}" } } }
`),
  );
  const plan = await planned(project, "beside.yaml");
  expect(plan.code, plan.transcript).toBe(1);
  expect(Object.entries(plan.verdicts)).toEqual([
    ["each", "opens"],
    ["each[A]", "opens"],
    ["look[A]", "would-fail"],
    ["each[B]", "opens"],
    ["look[B]", "skipped"],
    ["make[B]", "will-create"],
  ]);
  await expectNoWrite();
  expect((await project.run("run", "beside.yaml")).code).toBe(1);
  expect(operationsOf(await service.commits())).toEqual(["ledger.asset.create"]);
});

test("only values that depend on the answer to a write cannot be predicted", async () => {
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
  expect(outer.code, outer.transcript).toBe(0);
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

test("plan shows a step that would wait, and does not claim to know what comes after it", async () => {
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
  expect(waits.code, waits.transcript).toBe(0);
  expect(Object.values(waits.verdicts)).toEqual(["would-wait", "cannot-know", "cannot-know"]);
  expect(waits.steps["some"]?.why[0]).toContain("it would end as pending");
  await expectNoWrite();
});

test("plan ends with 2 when the service does not answer or the playbook has mistakes", async () => {
  const { project } = await onlyReading();
  project.write("wrong.yaml", playbookOf("  - { uses: ledger.asset.nope }\n"));
  const wrong = await project.run("plan", "wrong.yaml");
  expect(wrong.code, wrong.transcript).toBe(2);
  project.serviceAt("http://127.0.0.1:1");
  project.write("right.yaml", playbookOf(CREATE));
  const down = await project.run("plan", "right.yaml", "--out", "p.plan");
  expect(down.code, down.transcript).toBe(2);
  expect(down.stderr).toContain("service.unreachable");
  expect(() => project.read("p.plan")).toThrow(/ENOENT/);
});

test("the help of plan has examples", async () => {
  const help = await newProject().run("plan", "--help");
  expect(help.code).toBe(0);
  expect(help.stdout).toContain("$ tokenbook run onboarding.yaml --plan onboarding.plan");
});

test("behind an unknown `if` or `foreach` the plan continues: each step in it is shown with what is known of its input", async () => {
  const { project, expectNoWrite } = await onlyReading();
  project.write(
    "inner.yaml",
    `playbook: 1
inputs: { city: { type: string }, id: { type: string }, kind: { type: string, default: Property } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: made, uses: ledger.asset.create, with: { assetType: "\${{ inputs.kind }}", data: { id: "\${{ inputs.id }}", city: "\${{ inputs.city }}" } } }
`,
  );
  project.write(
    "outer.yaml",
    playbookOf(`${CREATE}  - id: maybe
    if: steps.asset.response.transactionId != ""
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: maybe, of: "\${{ steps.asset.id }}" } }
  - id: held
    if: steps.asset.response.transactionId != ""
    block:
      - { id: first, uses: ledger.asset.create, with: { assetType: Property, data: { id: first } } }
      - { id: second, uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ steps.first.response.transactionId }}" } } }
      - { id: inner, uses: ./inner.yaml, with: { city: Lisbon, id: "\${{ steps.asset.id }}" } }
  - id: each
    foreach: { item: "\${{ steps.asset.response.transactionId == '' ? ['a'] : ['b'] }}", key: item }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ item }}", city: Porto } }
  - id: behind
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: behind } }
`),
  );
  const { code, transcript, verdicts, steps } = await planned(project, "outer.yaml");
  expect(code, transcript).toBe(0);
  expect(verdicts).toEqual({
    asset: "will-create",
    maybe: "cannot-know",
    held: "cannot-know",
    first: "cannot-know",
    second: "cannot-know",
    inner: "cannot-know",
    "inner/made": "cannot-know",
    each: "cannot-know",
    behind: "will-create",
  });
  const of = (step: string): unknown => [steps[step]?.actor, steps[step]?.input, steps[step]?.unknown.map(({ path }) => path)];
  const creates = (data: object, ...unknown: readonly string[]): unknown => ["issuer", { assetType: "Property", data }, unknown];
  expect(of("maybe")).toEqual(creates({ id: "maybe", of: null }, "data.of"));
  expect(of("first")).toEqual(creates({ id: "first" }));
  expect(of("second")).toEqual(creates({ id: null }, "data.id"));
  expect(of("inner/made")).toEqual(creates({ id: null, city: "Lisbon" }, "data.id"));
  expect(of("each")).toEqual(creates({ id: null, city: "Porto" }, "data.id"));
  await expectNoWrite();
});
