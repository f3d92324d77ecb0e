import { expect, test } from "vitest";
import { type Activity, treeOf, type TreeLine, type WatchedRun } from "../../../../src/cli/view/tree.ts";
import { windowOf } from "../../../../src/cli/view/window.ts";
import { RunFold } from "../../../../src/report/model.ts";
import type { StepHeading } from "../../../../src/protocol/heading.ts";
import { Records, RUNS, START, STEPS } from "../records.ts";

function watched(records: Records, active: Record<string, Activity> = {}): WatchedRun {
  const fold = new RunFold();
  for (const record of records.all) fold.take(record);
  return { fold, active: new Map(Object.entries(active)), isOver: false };
}

function tree(run: WatchedRun): TreeLine {
  const root = treeOf(run, START + 60_000);
  expect(root).toBeDefined();
  return root as TreeLine;
}

function drawn(line: TreeLine, level = 0): readonly string[] {
  return [
    `${"  ".repeat(level)}${line.state} ${line.titleWithin(100)}`,
    ...line.children.flatMap((child) => drawn(child, level + 1)),
  ];
}

test("the tree is empty before a run has begun", () => {
  expect(treeOf(watched(new Records()), START)).toBeUndefined();
});

test("a run that waits for its group is one line, which disappears if the run ends before it begins", () => {
  const held: Activity = { since: START, waiting: { for: 'the group "desk"', untilMs: START + 120_000 } };
  const waiting = { ...watched(new Records()), held };
  expect(drawn(tree(waiting))).toEqual([
    expect.stringMatching(/^running not begun .*waiting for the group "desk" until \d\d:\d\d:\d\d · 1 min 0 s$/),
  ]);
  expect(treeOf({ ...waiting, isOver: true }, START)).toBeUndefined();
});

test("the tree shows what is done, what is in progress, and what comes next", () => {
  const records = new Records().opened().skipped("asset");
  expect(
    drawn(
      tree(watched(records, { mint: { since: START + 57_000, waiting: { for: "the receipt rc1", untilMs: START + 120_000 } } })),
    ),
  ).toEqual([
    "running Onboard a property · 1/4 · 1 min 0 s",
    "  skipped asset  Record the property · skipped · 0 ms",
    expect.stringMatching(/^ {2}running mint {2}Mint the shares · waiting for the receipt rc1 until \d\d:\d\d:\d\d · 3\.0 s$/),
    "  not-run approvals  Approve the transfer",
    "  not-run owned  See who owns it",
  ]);
});

test("rounds are below their step, which has the worst outcome of them", () => {
  const root = tree(watched(RUNS["pending"]?.() ?? new Records()));
  expect(drawn(root)).toEqual([
    "pending Onboard a property · pending · 3/5 · 16 s",
    expect.stringContaining("changed asset"),
    expect.stringContaining("changed mint"),
    "  pending approvals  Approve the transfer · 1/2",
    "    changed approvals[bob]  Approve the transfer · changed · 3.0 s · tx 3f2a9c1b…",
    "    pending approvals[dora]  Approve the transfer · pending until.timeout · 2.0 s",
    "  not-run owned  See who owns it",
  ]);
});

test.for(["conflict", "drift", "unknown", "failed"] as const)(
  "a round that ended as %s gives its step the same outcome",
  (outcome) => {
    const records = new Records().opened().expanded("approvals", ["bob", "dora", "erin"]);
    records.written("approvals[bob]").stopped("approvals[dora]", outcome).skipped("approvals[erin]");
    expect(drawn(tree(watched(records)))).toContainEqual(expect.stringMatching(new RegExp(`^ +${outcome} approvals `)));
  },
);

test("a step that passed with a warning does not look like one without", () => {
  const records = new Records().opened().read("owned", { warning: { code: "check.false", message: "the supply is 90" } });
  expect(drawn(tree(watched(records)))).toContainEqual(expect.stringMatching(/^ +ok owned .* · ok with a warning · /));
});

test("a step whose rounds were all skipped is skipped", () => {
  const records = new Records().opened().expanded("approvals", ["bob"]).skipped("approvals[bob]");
  expect(drawn(tree(watched(records)))).toContainEqual(expect.stringMatching(/^ +skipped approvals /));
});

test("a block or an included playbook runs while its steps run, comes before them, and is not counted", () => {
  const steps: readonly StepHeading[] = [
    { id: "deposit", name: "Deposit", uses: "./deposit.yaml", line: 3, kind: "include" },
    { id: "deposit/mint", name: "Mint", uses: "ledger.token.mint", line: 5, depth: 1, file: "deposit.yaml" },
    { id: "after", name: "Look", uses: "ledger.status", line: 9 },
  ];
  const records = new Records().opened({ steps }).add({ kind: "step.begun", step: "deposit" });
  const under = watched(records, { "deposit/mint": { since: START + 58_000 } });
  expect(drawn(tree(under))).toEqual([
    "running Onboard a property · 0/2 · 1 min 0 s",
    "  running deposit  Deposit · 58 s",
    "    running deposit/mint  Mint · 2.0 s",
    "  not-run after  Look",
  ]);
});

test("each round of a block has its own steps below it, and the rounds come in order", () => {
  const steps: readonly StepHeading[] = [
    { id: "pay", name: "pay", uses: "block", line: 3, kind: "block" },
    { id: "order", name: "order", uses: "ledger.status", line: 4, depth: 1 },
    { id: "sent", name: "sent", uses: "ledger.status", line: 5, depth: 1 },
    { id: "after", name: "after", uses: "ledger.status", line: 9 },
  ];
  const records = new Records().opened({ steps });
  expect(drawn(tree(watched(records))).slice(1)).toEqual([
    "  not-run pay",
    "    not-run order",
    "    not-run sent",
    "  not-run after",
  ]);
  records.expanded("pay", ["ann", "bob"]).add({ kind: "step.begun", step: "pay[ann]" }).read("order[ann]");
  records.expanded("sent[ann]", ["eur", "usd"]).read("sent[ann][eur]");
  const under = watched(records, { "sent[ann][usd]": { since: START + 58_000 } });
  expect(drawn(tree(under))).toEqual([
    "running Onboard a property · 2/4 · 1 min 0 s",
    "  running pay · 0/2",
    "    running pay[ann] · 57 s",
    "      ok order[ann] · ok · 400 ms",
    "      running sent[ann] · 1/2",
    "        ok sent[ann][eur] · ok · 400 ms",
    "        running sent[ann][usd] · 2.0 s",
    "    not-run pay[bob]",
    "  not-run after",
  ]);
  const shown = drawn(windowOf(tree(under), 6)).map((each) => each.trim().split(" · ")[0]);
  expect(shown).toEqual([
    "running Onboard a property",
    "running pay",
    "running pay[ann]",
    "running sent[ann]",
    "running sent[ann][usd]",
    "not-run pay[bob]",
  ]);
});

test("a run that ended without its closing record does not look as if it still runs", () => {
  const [head, , mint] = drawn(tree({ ...watched(RUNS["killed"]?.() ?? new Records()), isOver: true }));
  expect(head).toMatch(/^pending Onboard a property · not finished · 1\/4/);
  expect(mint).toContain("unknown mint");
});

function longRun(): WatchedRun {
  const steps = Array.from({ length: 100 }, (_, at) => ({
    id: `s${at}`,
    name: `Step ${at}`,
    uses: "ledger.asset.get",
    line: at,
  }));
  const records = new Records()
    .opened({ steps: [...STEPS.slice(2, 3), ...steps] })
    .expanded("approvals", ["bob", "dora", "eve"])
    .written("approvals[bob]")
    .stopped("approvals[dora]", "failed");
  for (let at = 0; at < 40; at++) records.read(`s${at}`);
  return watched(records, { s40: { since: START } });
}

test("a window keeps what failed and what is in progress, then the next steps, then the last completed steps", () => {
  const kept = drawn(windowOf(tree(longRun()), 12)).map((each) => each.trim().split(/ {2}| · /)[0]);
  expect(kept).toEqual([
    "running Onboard a property",
    "failed approvals",
    "failed approvals[dora]",
    "not-run approvals[eve]",
    "ok s35",
    "ok s36",
    "ok s37",
    "ok s38",
    "ok s39",
    "running s40",
    "not-run s41",
    "not-run s42",
  ]);
});

test("a window exceeds its number of lines only for what must stay", () => {
  for (let lines = 4; lines < 110; lines++) expect(drawn(windowOf(tree(longRun()), lines)).length).toBeLessThanOrEqual(lines);
  expect(drawn(windowOf(tree(longRun()), 1))).toHaveLength(4);
});
