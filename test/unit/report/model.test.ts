import { expect, test } from "vitest";
import { reportOf } from "../../../src/report/model.ts";
import type { RunReport } from "../../../src/report/shape.ts";
import type { StepHeading } from "../../../src/protocol/heading.ts";
import { Records, RUNS, STEPS, TRANSACTION, uncommitted } from "./records.ts";

function reportFor(name: keyof typeof RUNS): RunReport {
  const records = RUNS[name]?.();
  expect(records).toBeDefined();
  return reportOf(records?.all ?? []);
}

function outcomes(report: RunReport): Record<string, string> {
  return Object.fromEntries(report.steps.map(({ step, outcome }) => [step, outcome]));
}

test("a passed run has a row for each step, in order, and one for each round in place of the foreach", () => {
  const report = reportFor("passed");
  expect(Object.entries(outcomes(report))).toEqual([
    ["asset", "changed"],
    ["mint", "changed"],
    ["approvals[bob]", "changed"],
    ["approvals[dora]", "changed"],
    ["owned", "ok"],
  ]);
  expect(report.totals).toEqual({
    steps: 5,
    ok: 1,
    changed: 4,
    unchanged: 0,
    rescued: 0,
    warnings: 0,
    skipped: 0,
    failed: 0,
    pending: 0,
    unknown: 0,
    conflict: 0,
    drift: 0,
    notRun: 0,
  });
  expect(report.run).toMatchObject({
    outcome: "passed",
    startedAt: "2026-11-21T09:30:00.000Z",
    problem: null,
    target: { environment: "staging" },
  });
  expect(report.run.durationMs).toBe(Date.parse(report.run.finishedAt ?? "") - Date.parse(report.run.startedAt));
});

test("the row of a write has its transaction, receipt, attempt and answer", () => {
  const [, mint] = reportFor("passed").steps;
  expect(mint).toMatchObject({
    id: "mint",
    name: "Mint the shares",
    uses: "ledger.token.mint",
    line: 15,
    actor: "carol",
    transactionId: TRANSACTION,
    requests: 1,
    problem: null,
    receipt: { receiptId: "rc1", status: "COMMITTED", committed: true, message: "Success" },
    attempts: [
      {
        attempt: 0,
        meaning: "acknowledged",
        status: 200,
        durationMs: 12,
        settled: null,
        request: { method: "POST", path: "/token/mint" },
      },
    ],
    response: { receiptId: "rc1" },
    durationMs: 3_000,
  });
  expect(mint).not.toHaveProperty("key");
});

test("a receipt of an uncommitted attempt is no evidence for the next attempt", () => {
  const report = reportOf(uncommitted().all);
  const [mint] = report.steps;
  expect(mint).toMatchObject({ outcome: "unknown", transactionId: null, receipt: null });
  expect(mint?.attempts.map(({ receipt }) => receipt?.committed)).toEqual([false, undefined]);
});

const BLOCKS: readonly StepHeading[] = [
  { id: "outer", name: "outer", uses: "block", line: 1, kind: "block" },
  { id: "inner", name: "inner", uses: "block", line: 2, kind: "block", depth: 1 },
  { id: "read", name: "read", uses: "ledger.asset.get", line: 3, depth: 2 },
  { id: "saved", name: "saved", uses: "ledger.asset.get", line: 4, depth: 2 },
  { id: "after", name: "after", uses: "ledger.asset.get", line: 5 },
];

test("a rescued step that runs again and fails is `failed` until its block is rescued", () => {
  const records = new Records().opened({ steps: BLOCKS }).stopped("read", "failed");
  records.add({ kind: "block.turned", step: "inner", to: "rescue", failed: "read" });
  expect(outcomes(reportOf(records.all))).toMatchObject({ read: "rescued" });
  records.add({ kind: "block.turned", step: "outer", to: "again", forget: ["read"] }).stopped("read", "failed");
  expect(outcomes(reportOf(records.all))).toMatchObject({ read: "failed" });
});

test("all parallel rounds that failed are rescued with their block, and no others", () => {
  const records = new Records().opened({ steps: BLOCKS }).add({ kind: "step.begun", step: "outer" });
  records.expanded("inner", ["a", "b"]);
  for (const step of ["inner[a]", "inner[b]"]) records.add({ kind: "step.begun", step });
  records.stopped("read[a]", "failed").stopped("read[b]", "failed");
  const inner = new Records().opened({ steps: BLOCKS });
  inner.all.splice(0, inner.all.length, ...records.all);
  inner.add({ kind: "block.turned", step: "inner[a]", to: "rescue", failed: "read[a]" }).stopped("saved[a]", "failed");
  expect(outcomes(reportOf(inner.all))).toMatchObject({ "read[a]": "rescued", "saved[a]": "failed", "read[b]": "failed" });
  records.add({ kind: "block.turned", step: "outer", to: "rescue", failed: "read[a]" });
  records.stopped("after", "failed").closed("failed");
  const report = reportOf(records.all);
  expect(outcomes(report)).toMatchObject({ "read[a]": "rescued", "read[b]": "rescued", "inner[b]": "rescued", after: "failed" });
  expect(report.totals).toMatchObject({ rescued: 2, failed: 1 });
});

test("the row of a round has its key", () => {
  const rounds = reportFor("passed").steps.filter(({ id }) => id === "approvals");
  expect(rounds.map(({ key, name }) => [key, name])).toEqual([
    ["bob", "Approve the transfer"],
    ["dora", "Approve the transfer"],
  ]);
});

test("steps that never ran have a row, as not run", () => {
  const report = reportFor("failed");
  expect(outcomes(report)).toEqual({ asset: "skipped", mint: "failed", approvals: "not-run", owned: "not-run" });
  expect(report.totals).toMatchObject({ steps: 4, skipped: 1, failed: 1, notRun: 2 });
  expect(report.steps[1]?.problem).toMatchObject({ code: "service.refused", next: "lower the value" });
});

test("a run with a pending round is pending", () => {
  const report = reportFor("pending");
  expect(outcomes(report)).toMatchObject({ "approvals[bob]": "changed", "approvals[dora]": "pending", owned: "not-run" });
  expect(report.run).toMatchObject({ outcome: "pending", outputs: {} });
});

test("a write that was acknowledged when the run was interrupted is pending, not absent", () => {
  expect(outcomes(reportFor("interrupted"))).toMatchObject({ mint: "pending", owned: "not-run" });
});

test("a write without an answer in a run whose process died is unknown", () => {
  const report = reportFor("killed");
  expect(outcomes(report)).toMatchObject({ mint: "unknown" });
  expect(report.run).toMatchObject({ outcome: "running", finishedAt: null, durationMs: null });
  expect(report.steps[1]).toMatchObject({ durationMs: null, attempts: [{ meaning: null, status: null, durationMs: null }] });
});

test("a foreach over an empty list is no success", () => {
  const report = reportFor("resumed");
  expect(outcomes(report)).toMatchObject({ approvals: "skipped" });
  expect(report.totals).toMatchObject({ skipped: 1 });
});

test("after a resume, the later records replace the stop", () => {
  const report = reportFor("resumed");
  expect(outcomes(report)).toEqual({ asset: "changed", mint: "changed", approvals: "skipped", owned: "ok" });
  expect(report.steps[1]).toMatchObject({
    problem: null,
    transactionId: TRANSACTION,
    attempts: [{ meaning: "not-sent" }, { settled: { verdict: "applied" } }],
    requests: 2,
  });
  expect(report.run.outcome).toBe("passed");
});

test("a resumed run that died again shows the new attempt, not the old stop", () => {
  const records = new Records().opened().stopped("asset", "failed").closed("failed").claimed();
  expect(reportOf(records.all)).toMatchObject({ run: { outcome: "running" }, steps: [{ outcome: "failed" }, {}, {}, {}] });
  expect(reportOf(records.intended("asset").all).steps[0]).toMatchObject({ outcome: "unknown", problem: null });
});

test("rounds that never ran have rows, and a foreach whose list failed has one row", () => {
  const expanded = new Records().opened().expanded("approvals", ["bob", "dora"]).written("approvals[bob]").closed("interrupted");
  expect(outcomes(reportOf(expanded.all))).toMatchObject({ "approvals[bob]": "changed", "approvals[dora]": "not-run" });
  const failed = new Records().opened().stopped("approvals", "failed").closed("failed");
  expect(outcomes(reportOf(failed.all))).toMatchObject({ approvals: "failed" });
});

test("the row of a whole foreach comes before its rounds", () => {
  const records = new Records().opened().expanded("approvals", ["bob"]).stopped("approvals", "failed");
  expect(Object.keys(outcomes(reportOf(records.all)))).toEqual(["asset", "mint", "approvals", "approvals[bob]", "owned"]);
});

test("a step that the record of the opening does not name has a row too", () => {
  const records = new Records().opened().read("stranger").written("approvals[eve]").closed("passed");
  expect(Object.keys(outcomes(reportOf(records.all)))).toEqual(["asset", "mint", "approvals[eve]", "owned", "stranger"]);
});

test("an expected refusal is ok, and shows the words of the service", () => {
  expect(reportFor("refusal").steps[0]).toMatchObject({
    outcome: "ok",
    refusal: "cap reached",
    attempts: [{ meaning: "refused" }],
  });
});

test("a run that failed although no step did says why", () => {
  expect(reportFor("outputless").run).toMatchObject({ outcome: "failed", problem: { code: "output.no-value" } });
});

test("the totals add up in every kind of run", () => {
  for (const name of Object.keys(RUNS)) {
    const {
      totals: { steps: all, ...by },
      steps,
    } = reportFor(name);
    expect(all).toBe(steps.length);
    expect(Object.values(by).reduce((sum, each) => sum + each, 0)).toBe(all);
  }
});

test("a run has no report before its record of the opening", () => {
  expect(() => reportOf([])).toThrow("a run begins with its opening");
});

test("the report of 3,000 steps and 3,000 rounds is ready within the time of a test", () => {
  const keys = Array.from({ length: 3_000 }, (_, at) => `k${at}`);
  const records = new Records()
    .opened({ steps: [...STEPS, ...keys.map((id) => ({ id, name: id, uses: "ledger.asset.get", line: 1 }))] })
    .expanded("approvals", keys);
  for (const key of keys) records.read(key).written(`approvals[${key}]`);
  expect(reportOf(records.all).totals).toMatchObject({ steps: 6_003, changed: 3_000, ok: 3_000 });
});

test("rounds come in order, each with its own steps below it, also in nested rounds and included playbooks", () => {
  const records = new Records().opened({
    steps: [
      { id: "pay", name: "pay", uses: "block", line: 1, kind: "block" },
      { id: "see", name: "see", uses: "ledger.asset.get", line: 2, depth: 1 },
      { id: "each", name: "each", uses: "deposit.yaml", line: 3, kind: "include", depth: 1 },
      { id: "each/mint", name: "mint", uses: "ledger.token.mint", line: 1, depth: 2 },
      { id: "never", name: "never", uses: "ledger.asset.get", line: 4, depth: 1 },
      { id: "after", name: "after", uses: "ledger.asset.get", line: 5 },
    ],
  });
  records.expanded("pay", ["alice", "bob"]);
  for (const who of ["bob", "alice"]) {
    records.read(`see[${who}]`).expanded(`each[${who}]`, ["eur", "usd"]);
    for (const unit of ["eur", "usd"]) records.written(`each[${who}][${unit}]/mint`);
  }
  const rows = reportOf(records.read("after").closed("passed").all).steps.map(({ step, depth }) => "  ".repeat(depth) + step);
  expect(rows).toEqual([
    "pay[alice]",
    "  see[alice]",
    "  each[alice][eur]",
    "    each[alice][eur]/mint",
    "  each[alice][usd]",
    "    each[alice][usd]/mint",
    "pay[bob]",
    "  see[bob]",
    "  each[bob][eur]",
    "    each[bob][eur]/mint",
    "  each[bob][usd]",
    "    each[bob][usd]/mint",
    "  never",
    "after",
  ]);
});
