import { expect, test } from "vitest";
import { SchemaSet } from "../../src/schema/validator.ts";
import type { Comparison } from "../../src/protocol/comparison.ts";
import { comparisonIn } from "./comparison.ts";
import {
  type Ended,
  newProject,
  type Printed,
  type Project,
  runIn,
  servedSandbox,
  type Service,
  stepIn,
  tokenWith,
} from "./world.ts";

const GOLD = `playbook: 1
name: Gold
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Gold", 0)} }
  - { id: alice, uses: ledger.token.mint, with: { id: Gold, to: { orgId: org1, userId: alice }, value: "100.5" } }
  - { id: bob, uses: ledger.token.mint, with: { id: Gold, to: { orgId: org1, userId: bob }, value: "20" } }
`;

/** Compares the file with the ledger. */
function against(file: string, more = ""): string {
  return `playbook: 1
name: Nightly
mode: read-only
inputs:
  expected:
    type: file
    default: ${file}
    items: { type: object, properties: { holder: { type: string }, token: { type: string }, balance: { type: decimal } } }
  tokens: { type: list, items: { type: string }, default: [Gold] }
reconcile:
  - id: accounts
    name: File against ledger
    left: { name: file, rows: inputs.expected, key: { holder: row.holder, token: row.token }, value: row.balance }
    right:
      name: ledger
      foreach: { token: "\${{ inputs.tokens }}", key: token }
      as: { ledger: "userId:auditor" }
      read: ledger.account.list
      with: { tokenId: "\${{ token }}" }
      key: { holder: row.entity.userId, token: token }
      value: row.balance
    totals: token
    recheck: 50ms
${more}`;
}

/** What `--debug` shows once the ledger has answered for the first time. */
const FIRST_LOOK = '"userId":"bob"';

const HEADER = "holder,token,balance\n";

async function ledgerWithGold(): Promise<{ project: Project; world: Service }> {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("gold.yaml", GOLD);
  project.write("expected.csv", `${HEADER}alice,Gold,100.50\nbob,Gold,20\n`);
  project.write("nightly.yaml", against("expected.csv"));
  const gold = await project.run("run", "gold.yaml");
  expect(gold.code, gold.transcript).toBe(0);
  return { project, world };
}

const accountsIn = (printed: Pick<Printed, "reports">): Comparison => comparisonIn(printed, "reconcile.accounts");

async function night(project: Project, ...args: string[]): Promise<Ended & { readonly found: Comparison }> {
  const ended = await project.json("run", "nightly.yaml", ...args);
  return { ...ended, found: accountsIn(ended.data) };
}

test("both sides agree: the report says what was read, and the totals of both", async () => {
  const { project } = await ledgerWithGold();
  const run = await project.run("run", "nightly.yaml");
  expect(run.code, run.transcript).toBe(0);
  expect(run.lines.slice(1, 6).map((line) => line.replace(/, read .*|[\d.]+ m?s$/, ""))).toEqual([
    expect.stringContaining("✓ ok       reconcile.accounts  File against ledger"),
    "    file: 2 rows, 2 keys, sum 120.5",
    "    ledger: 2 rows of 1 request, 2 keys, sum 120.5",
    "    total of token Gold: 120.5 = 120.5",
    "    2 keys compared in 1 look: no drift",
  ]);
});

test("a difference within the tolerance is no drift, and no report calls it no difference", async () => {
  const project = newProject();
  const side = (name: string, value: number): string =>
    `{ name: ${name}, rows: "[{'value': ${value}}]", key: "'all'", value: row.value }`;
  project.write(
    "near.yaml",
    `playbook: 1\nname: Near\nmode: read-only\nreconcile:\n  - { id: near, left: ${side("here", 1)}, right: ${side("there", 100)}, tolerance: 1000 }\n`,
  );
  const reports = ["md=near.md", "junit=near.xml", "html=near.html", "json=near.json"];
  const run = await project.run("run", "--env", "sandbox", "near.yaml", ...reports.flatMap((each) => ["--report", each]));
  expect(run.code, run.transcript).toBe(0);
  expect(project.read("near.json")).toContain('"tolerated":1');
  for (const report of [run.stdout, ...["near.md", "near.xml", "near.html"].map((each) => project.read(each))]) {
    expect(report).toContain("1 key compared in 1 look: no drift, 1 within the tolerance");
    expect(report).not.toContain("no difference");
  }
});

test("a drift is the same one each night, until it is acknowledged, changes, or is gone", async () => {
  const { project, world } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,100.500000000000000001\nbob,Gold,20\n`);
  const first = await night(project);
  expect(first.code, first.transcript).toBe(3);
  expect(first.found.looks).toBe(2);
  expect(first.found.counts).toMatchObject({ compared: 2, new: 1, persisting: 0 });
  expect(first.found.drifts).toMatchObject([
    { kind: "differs", key: { holder: "alice", token: "Gold" }, difference: "0.000000000000000001", state: "new" },
  ]);
  const id = first.found.drifts[0]?.id ?? "";
  const listed = async (): Promise<string> => (await project.run("drift", "list")).lines.at(-1) ?? "";
  expect(await listed()).toMatch(new RegExp(`^  new           ${id}  holder alice, token Gold: .*; found \\S+Z$`));

  const second = await night(project);
  expect(await listed()).toMatch(new RegExp(`^  persisting    ${id}  .*; since `));
  expect(second.code, second.transcript).toBe(3);
  expect(second.found.drifts).toMatchObject([{ id, state: "persisting" }]);

  const careless = await project.run("drift", "ack", id);
  expect(careless.code, careless.transcript).toBe(2);
  expect(careless.stderr).toContain(`next: tokenbook drift ack ${id} --because`);
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const word = await project.run("drift", "ack", id.slice(0, 6), "--because", "rounded by hand", "--until", day);
  expect(word.code, word.transcript).toBe(0);
  expect(word.stdout).toContain(`is acknowledged until ${day}, says`);
  expect(await listed()).toContain(`; acknowledged until ${day} by`);
  expect((await project.run("drift", "show", id)).stdout).toContain(`, until ${day}  `);
  const third = await night(project);
  expect(third.code, third.transcript).toBe(0);
  expect(third.found.drifts).toMatchObject([{ id, state: "acknowledged", acknowledged: { because: "rounded by hand" } }]);

  await world.call("POST /token/mint", "userId:alice", [{ id: "Gold", to: { orgId: "org1", userId: "alice" }, value: 1 }]);
  const fourth = await night(project);
  expect(fourth.code, fourth.transcript).toBe(3);
  expect(fourth.found.drifts).toMatchObject([{ id, state: "changed", right: "101.5" }]);

  project.write("expected.csv", `${HEADER}alice,Gold,101.5\nbob,Gold,20\n`);
  const fifth = await night(project);
  expect(fifth.code, fifth.transcript).toBe(0);
  expect(fifth.found.cleared).toMatchObject([{ id }]);

  const shown = await project.run("drift", "show", id);
  expect(shown.lines.filter((line) => /^ {4}\d{4}-/.test(line)).map((line) => line.split(/\s+/)[2])).toEqual([
    "inputs.expected,",
    "ledger.account.list",
    "seen",
    "seen",
    "acknowledged",
    "seen",
    "seen",
    "cleared",
  ]);
  expect((await project.run("drift", "list")).stdout).toBe("no drift\n");
  expect((await project.run("drift", "list", "--all")).stdout).toContain(id);
});

test("every kind of difference is reported as its own kind", async () => {
  const { project } = await ledgerWithGold();
  project.write(
    "expected.csv",
    `${HEADER}alice,Gold,10050\nbob,Gold,20\nbob,Gold,20\ncarol,Gold,5\n`, // alice in cents, bob twice, carol missing
  );
  const kinds = await night(project);
  expect(kinds.code, kinds.transcript).toBe(3);
  expect(kinds.found.drifts.map(({ kind, key }) => `${kind} ${key["holder"]}`)).toEqual([
    "unit alice",
    "duplicate-left bob",
    "missing-right carol",
  ]);
  project.write("expected.csv", `${HEADER}alice,Gold,100.5\n`);
  const missing = await night(project);
  expect(missing.found.drifts.map(({ kind, key }) => `${kind} ${key["holder"]}`)).toEqual(["missing-left bob"]);
});

test("a token that cannot be read leaves the comparison incomplete, and hides nothing of the others", async () => {
  const { project } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,100.5\nbob,Gold,20\ndora,Silver,1\n`);
  const tokens = ["--input", 'tokens=["Gold","Silver"]'];
  const incomplete = await night(project, ...tokens);
  expect(incomplete.code, incomplete.transcript).toBe(1);
  expect(incomplete.found.counts).toMatchObject({ compared: 2, notCompared: 1, new: 0 });
  expect(incomplete.found.gaps).toMatchObject([{ side: "ledger", of: "ledger.account.list of Silver" }]);
  project.write("expected.csv", `${HEADER}alice,Gold,100.5\nbob,Gold,19\ndora,Silver,1\n`);
  const both = await night(project, ...tokens);
  expect(both.code, both.transcript).toBe(3);
  expect(both.found.drifts).toMatchObject([{ key: { holder: "bob" } }]);
  expect(both.found.gaps).toHaveLength(1);
  const ended = await project.run("run", "nightly.yaml", ...tokens);
  expect(ended.stdout).toContain("not read to its end: ledger.account.list of Silver (ledger): HTTP 404");
});

test("a drift in something that was not read is not reported as cleared", async () => {
  const { project } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,100.50\n`);
  const first = await night(project);
  expect(first.found.drifts).toMatchObject([{ kind: "missing-left", key: { holder: "bob" }, state: "new" }]);
  project.write("expected.csv", HEADER);
  const none = await project.run("run", "nightly.yaml", "--input", "tokens=[]");
  expect(none.code, none.transcript).toBe(1);
  expect(none.stdout).toContain("reconcile.empty: nothing was compared: neither file nor ledger has a row");
  project.write("nightly.yaml", project.read("nightly.yaml").replace("recheck:", "empty: pass\n    recheck:"));
  const passed = await night(project, "--input", "tokens=[]");
  expect(passed.code, passed.transcript).toBe(0);
  expect(passed.found.counts).toMatchObject({ compared: 0, cleared: 0 });
  project.write("expected.csv", `${HEADER}alice,Gold,100.50\n`);
  const third = await night(project);
  expect(third.found.drifts).toMatchObject([{ id: first.found.drifts[0]?.id, state: "persisting" }]);
});

test("a difference that changes between two looks is moving or settled, and never a drift", async () => {
  const { project, world } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,100.5\nbob,Gold,21\n`);
  project.write("nightly.yaml", against("expected.csv").replace("recheck: 50ms", "recheck: 1500ms"));
  const running = project.start("run", "nightly.yaml", "--json", "--debug");
  const bob = { orgId: "org1", userId: "bob" };
  await running.printed(FIRST_LOOK);
  await world.call("POST /token/mint", "userId:alice", [{ id: "Gold", to: bob, value: 1 }]);
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(0);
  expect(accountsIn(JSON.parse(ended.stdout) as Printed).counts).toMatchObject({ settled: 1, new: 0, moving: 0 });
});

test("a difference younger than the settle time leaves its run pending, and becomes a drift on a later night", async () => {
  const { project } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,100\nbob,Gold,20\n`);
  const settling = (time: string): string =>
    against("expected.csv").replace("recheck: 50ms", `recheck: 50ms\n    settle: ${time}`);
  project.write("nightly.yaml", settling("1h"));
  const young = await night(project);
  expect(young.code, young.transcript).toBe(4);
  expect(young.transcript).toContain("1 difference is younger than the settle time of 1 h 0 min");
  expect(young.found.counts).toMatchObject({ moving: 1, new: 0 });
  const listed = await project.run("drift", "list");
  expect(listed.stdout).toMatch(/^1 comparison was not finished by its last run, so there may be drifts that are not listed:\n/);
  project.write("nightly.yaml", settling("1ms"));
  const old = await night(project);
  expect(old.code, old.transcript).toBe(3);
  expect(old.found.drifts).toMatchObject([{ state: "new", key: { holder: "alice" } }]);
});

test("killed while it compares and resumed, it finds the same", async () => {
  const { project } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,100\nbob,Gold,20\n`);
  project.write("nightly.yaml", against("expected.csv").replace("recheck: 50ms", "recheck: 2s"));
  const running = project.start("run", "nightly.yaml", "--debug");
  await running.printed("▶ Nightly");
  await running.printed(FIRST_LOOK);
  await running.signal("SIGKILL");
  const { stdout, transcript } = await running.ended;
  const resumed = await project.json("resume", runIn({ stdout, transcript }));
  expect(resumed.code, resumed.transcript).toBe(3);
  const found = accountsIn(resumed.data);
  expect(found.drifts).toMatchObject([{ key: { holder: "alice" }, left: "100", right: "100.5", state: "new" }]);
  const again = accountsIn((await project.json("resume", runIn({ stdout, transcript }))).data);
  expect(again.drifts).toEqual(found.drifts);
});

test("a resumed run compares again what agreed before", async () => {
  const { project, world } = await ledgerWithGold();
  const comparing = (holder: string, balance: string): string => `  - id: ${holder}
    left: { rows: "[{'balance': ${balance}}]", key: "'${holder}'", value: row.balance }
    right: { as: { ledger: "userId:auditor" }, read: ledger.account.list, with: { tokenId: Gold }, where: row.entity.userId == "${holder}", key: row.entity.userId, value: row.balance }
    recheck: 50ms
`;
  const once =
    "checks: [{ name: the token is there, read: ledger.token.get, as: { ledger: userId:auditor }, with: { id: Gold }, that: response.totalSupply == 120.5 }]\n";
  const text = `playbook: 1\nmode: read-only\nreconcile:\n${comparing("alice", "100.5")}${comparing("bob", "25")}${once}`;
  project.write("nightly.yaml", text);
  const first = await project.json("run", "nightly.yaml");
  expect(first.code, first.transcript).toBe(3);
  const outcomes = ({ data }: typeof first): readonly string[] =>
    ["reconcile.alice", "reconcile.bob", "checks.the token is there"].map((step) => stepIn(data, step).outcome);
  expect(outcomes(first)).toEqual(["ok", "drift", "ok"]);
  const mint = (userId: string, value: number) =>
    world.call("POST /token/mint", "userId:alice", [{ id: "Gold", to: { orgId: "org1", userId }, value }]);
  await mint("bob", 5);
  await mint("alice", 1);
  const resumed = await project.json("resume");
  expect(resumed.code, resumed.transcript).toBe(3);
  expect(outcomes(resumed)).toEqual(["drift", "ok", "failed"]);
});

test("a reconciliation that includes a write is refused before it writes", async () => {
  const { project, world } = await ledgerWithGold();
  const before = await world.commits();
  project.write("nightly.yaml", against("expected.csv", "steps:\n  - { id: gold, uses: ./gold.yaml }\n"));
  const run = await project.run("run", "nightly.yaml");
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr).toContain("playbook.read-only");
  expect(await world.commits()).toEqual(before);
});

test("two playbooks of one title have drifts of their own", async () => {
  const project = newProject();
  const nightly = (left: number): string => `playbook: 1
name: Nightly
mode: read-only
reconcile:
  - id: totals
    left: { rows: '[{"v": ${left}}]', key: { all: '"all"' }, value: row.v }
    right: { rows: '[{"v": 7}]', key: { all: '"all"' }, value: row.v }
    recheck: 10ms
`;
  project.write("eu.yaml", nightly(5));
  project.write("us.yaml", nightly(7));
  const eu = await project.json("run", "eu.yaml");
  const [drift] = comparisonIn(eu.data, "reconcile.totals").drifts;
  expect(eu.code, eu.transcript).toBe(3);
  const us = await project.json("run", "us.yaml");
  expect(us.code, us.transcript).toBe(0);
  expect(comparisonIn(us.data, "reconcile.totals").cleared).toEqual([]);
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const ack = await project.run("drift", "ack", drift?.id ?? "", "--because", "a refund in the EU", "--until", day);
  expect(ack.code, ack.transcript).toBe(0);
  project.write("us.yaml", nightly(5));
  const wrong = await project.run("run", "us.yaml");
  expect(wrong.code, wrong.transcript).toBe(3);
});

test("names of both sides are brought together by the operator's mapping; what it does not name is reported, and is equal to nothing", async () => {
  const project = newProject();
  project.write(
    "mapped.yaml",
    `playbook: 1
mode: read-only
inputs:
  tokens: { type: list, items: { type: object, properties: { here: { type: string }, there: { type: integer } } }, default: [{ here: G, there: 7 }, { here: S, there: 8 }] }
  left: { type: list, items: { type: object, properties: { t: { type: string }, v: { type: decimal } } }, default: [{ t: G, v: 1 }, { t: X, v: 2 }, { t: "9", v: 3 }] }
  right: { type: list, items: { type: object, properties: { t: { type: integer }, v: { type: decimal } } }, default: [{ t: 7, v: 1 }, { t: 9, v: 3 }] }
reconcile:
  - id: tokens
    left: { rows: inputs.left, key: { token: row.t }, value: row.v }
    right: { rows: inputs.right, key: { token: row.t }, value: row.v }
    map: { token: { from: "\${{ inputs.tokens }}", left: here, right: there } }
    recheck: 10ms
`,
  );
  const run = await project.json("run", "mapped.yaml");
  expect(run.code, run.transcript).toBe(3);
  expect(comparisonIn(run.data, "reconcile.tokens").drifts.map(({ kind, key }) => `${kind} ${key["token"]}`)).toEqual([
    "missing-right 9 (not mapped, left)",
    "missing-left 9 (not mapped, right)",
    "missing-right X (not mapped, left)",
  ]);
  for (const { side, from, to } of comparisonIn(run.data, "reconcile.tokens").reads ?? [])
    expect(from, side).toBeLessThanOrEqual(to);
  const twice = await project.run("run", "mapped.yaml", "--input", 'tokens=[{"here":"G","there":7},{"here":"G","there":8}]');
  expect(twice.code, twice.transcript).toBe(1);
  expect(twice.stdout).toContain('reconcile.mapping: map.token: two of its rows have "G" under "here"');
});

test("where nothing was ever compared, the list of drifts does not say that there is none", async () => {
  const project = newProject();
  const list = await project.run("drift", "list");
  expect(list.code, list.transcript).toBe(0);
  expect(list.stdout, list.transcript).toBe("nothing has been compared here yet\n");
  expect((await project.json("drift", "list")).data).toMatchObject({ comparisons: 0, total: 0 });
});

test("what drift prints as JSON is what its schema says", async () => {
  const { project } = await ledgerWithGold();
  project.write("expected.csv", `${HEADER}alice,Gold,99\nbob,Gold,20\ncarol,Gold,1\n`);
  const { found } = await night(project);
  const [alice, carol] = found.drifts.map(({ id }) => id);
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const schema = JSON.parse((await project.run("schema", "drift")).stdout) as object;
  const check = new SchemaSet().validator(schema);
  for (const args of [
    ["drift", "list"],
    ["drift", "show", alice ?? ""],
    ["drift", "ack", carol ?? "", "--because", "new", "--until", day],
    ["drift", "list", "--all"],
  ]) {
    const { data, code, transcript } = await project.json(...args);
    expect(code, transcript).toBe(0);
    expect(check(data), transcript).toEqual([]);
  }
  for (const [until, why] of [
    ["soon", "is not a day"],
    [`${new Date().getUTCFullYear() + 1}-02-30`, "is not a day"],
    ["2020-01-01", "is over"],
    ["2999-01-01", "days away"],
  ]) {
    const refused = await project.run("drift", "ack", alice ?? "", "--because", "x", "--until", until ?? "");
    expect(refused.code, refused.transcript).toBe(2);
    expect(refused.stderr).toContain(why);
  }
  const misspelt = await project.run("drift", "show", `${(alice ?? "").slice(0, 11)}_`);
  expect(misspelt.stderr, misspelt.transcript).toContain(`did you mean ${alice}?`);
});

test("a read that failed stays reported although one of the same name is made again on the other side", async () => {
  const { project } = await ledgerWithGold();
  project.write("silver.yaml", GOLD.replaceAll("Gold", "Silver"));
  expect((await project.run("run", "silver.yaml")).code).toBe(0);
  const side = (who: string, token: string, value: string): string =>
    `{ foreach: { item: [{ token: Gold, who: "\${{ actors.alice }}" }, { token: Silver, who: "\${{ actors.${who} }}" }], key: item.token }, as: "\${{ item.who }}", read: ledger.account.list, with: { tokenId: "\${{ item.token }}" }, key: { token: ${token}, holder: row.entity.userId }, value: '${value}' }`;
  project.write(
    "nightly.yaml",
    `playbook: 1
mode: read-only
actors: { alice: { ledger: "userId:alice" }, offline: { ledger: "userId:offline" } }
reconcile:
  - id: accounts
    left: ${side("offline", "item.token", "row.balance")}
    right: ${side("alice", "row.tokenId", 'row.balance + (row.entity.userId == "bob" ? 1 : 0)')}
    recheck: 50ms
`,
  );
  const { code, transcript, found } = await night(project);
  expect(code, transcript).toBe(3);
  expect(found.drifts).toMatchObject([{ key: { token: "Gold", holder: "bob" } }]);
  expect(found.gaps).toMatchObject([{ of: "ledger.account.list of Silver" }]);
});
