import { expect, test } from "vitest";
import type { StepHeading } from "../../../src/protocol/heading.ts";
import { reportOf } from "../../../src/report/model.ts";
import { plainLine } from "../../../src/report/steps/step-lines.ts";
import type { StepReport } from "../../../src/report/shape.ts";
import { Records, START, TRANSACTION } from "./records.ts";

// Each record comes a second after the previous one. The time from a step's first record to its last consists of
// work, waiting and stops.

const HOUR = 3_600_000;

function stepOf(records: Records, address: string): StepReport {
  return reportOf(records.all).steps.find(({ step }) => step === address) ?? expect.fail(`no step ${address}`);
}

function timesOf(records: Records, step: string): Pick<StepReport, "startedAt" | "durationMs" | "waitedMs" | "stoppedMs"> {
  const { startedAt, durationMs, waitedMs, stoppedMs } = stepOf(records, step);
  return { startedAt, durationMs, waitedMs, stoppedMs };
}

const COMPLETED = {
  kind: "step.completed",
  outcome: "changed",
  value: { response: null, transactionId: TRANSACTION },
  requests: 1,
} as const;

test("the duration of a write includes all its attempts, and not the pauses between them", () => {
  const records = new Records().opened().intended("mint").answered("mint", { meaning: "refused-later", status: 429 });
  records
    .pass(2_000)
    .intended("mint", 1, { waitedMs: 2_000 })
    .answered("mint", { attempt: 1, meaning: "not-sent", status: null });
  records.pass(4_000).intended("mint", 2, { waitedMs: 4_000 }).answered("mint", { attempt: 2 });
  records.add({ ...COMPLETED, step: "mint", startedAt: records.at - 2_000 }).closed("passed");
  expect(timesOf(records, "mint")).toEqual({
    startedAt: new Date(START + 2_000).toISOString(),
    durationMs: 6_000,
    waitedMs: 6_000,
    stoppedMs: 0,
  });
  expect(plainLine(stepOf(records, "mint"))).toMatch(/ {2}sent 3 times {2}6\.0 s {2}waited 6\.0 s$/);
});

test("the duration of a write includes the reads before its first attempt", () => {
  const records = new Records().opened();
  const startedAt = records.at;
  records.pass(5_000).intended("mint", 0, { startedAt, waitedMs: 3_000 }).answered("mint");
  records.add({ ...COMPLETED, step: "mint", startedAt: startedAt + 5_000 });
  expect(timesOf(records, "mint")).toMatchObject({
    startedAt: new Date(startedAt).toISOString(),
    durationMs: 4_000,
    waitedMs: 3_000,
  });
});

test("the duration of a write does not include the time between a stop and its resume", () => {
  const records = new Records().opened().intended("mint").answered("mint", { meaning: "ambiguous", status: 502 });
  records.stopped("mint", "unknown").closed("unknown");
  records.pass(3 * HOUR).claimed();
  records.add({ kind: "attempt.settled", step: "mint", attempt: 0, verdict: "applied", evidence: {} });
  records.add({ ...COMPLETED, step: "mint", startedAt: START + 2_000 }).closed("passed");
  // The stop comes at 4 s, and the claim at 6 s plus three hours.
  expect(timesOf(records, "mint")).toMatchObject({ durationMs: 4_000, waitedMs: 0, stoppedMs: 3 * HOUR + 2_000 });
  const { run } = reportOf(records.all);
  expect(run.durationMs).toBe(Date.parse(run.finishedAt ?? "") - START - 3 * HOUR - 1_000);
  expect(plainLine(stepOf(records, "mint"))).toMatch(/ {2}4\.0 s {2}stopped for 3 h 0 min$/);
});

test("the duration of a write does not include the time in which no process held its run", () => {
  const records = new Records().opened().intended("mint");
  records.pass(HOUR).claimed();
  records.add({ kind: "attempt.settled", step: "mint", attempt: 0, verdict: "applied", evidence: {} });
  records.add({ ...COMPLETED, step: "mint", startedAt: START + 2_000 });
  expect(timesOf(records, "mint")).toMatchObject({ durationMs: 2_000, stoppedMs: HOUR + 1_000 });
});

test("a write that was interrupted while it waited for its receipt adds up both waits", () => {
  const records = new Records().opened().intended("mint").answered("mint").pass(9_000);
  records.add({ kind: "run.closed", outcome: "interrupted", outputs: {}, waited: { mint: 8_500, owned: 500 } });
  records.pass(HOUR).claimed().pass(3_000);
  records.add({ kind: "receipt.read", step: "mint", attempt: 0, committed: true, receipt: {}, waitedMs: 2_500 });
  records.add({ ...COMPLETED, step: "mint", startedAt: START + 2_000 }).read("owned");
  expect(timesOf(records, "mint")).toMatchObject({ durationMs: 5_000, waitedMs: 11_000, stoppedMs: HOUR + 1_000 });
  expect(timesOf(records, "owned")).toMatchObject({ durationMs: 400, waitedMs: 0, stoppedMs: 0 });
});

test("a step that waited a day for an approval shows its waits, its stops, and the time of its reads", () => {
  const records = new Records().opened();
  const pending = { code: "until.timeout", message: "this does not hold" };
  const stop = (): unknown =>
    records.add({
      kind: "step.stopped",
      step: "owned",
      outcome: "pending",
      problem: pending,
      startedAt: records.at - 700,
      requests: 5,
      waitedMs: 600,
    });
  stop();
  records
    .closed("pending")
    .pass(12 * HOUR)
    .claimed();
  stop();
  records
    .closed("pending")
    .pass(12 * HOUR)
    .claimed();
  records.read("owned");
  const times = timesOf(records, "owned");
  expect(times).toMatchObject({ durationMs: 100 + 100 + 400, waitedMs: 1_200 });
  expect(times.stoppedMs).toBeGreaterThan(24 * HOUR);
});

test("a check that a resumed run repeats has the duration of its last evaluation", () => {
  const records = new Records().opened().read("owned").closed("failed");
  records.pass(HOUR).claimed().read("owned");
  expect(timesOf(records, "owned")).toMatchObject({ durationMs: 400, waitedMs: 0, stoppedMs: 0 });
});

const NESTED: readonly StepHeading[] = [
  { id: "deposit", name: "Deposit", uses: "./deposit.yaml", line: 1, kind: "include" },
  { id: "deposit/board", name: "Board", uses: "block", line: 2, kind: "block", depth: 1 },
  { id: "deposit/vote", name: "Vote", uses: "ledger.asset.get", line: 3, depth: 2 },
];

function nested(): Records {
  const records = new Records().opened({ steps: NESTED }).add({ kind: "step.begun", step: "deposit" });
  return records.expanded("deposit/board", ["a", "b"]);
}

function vote(records: Records, step: string, from: number): Records {
  const value = { response: {}, outcome: "ok" };
  return records.add({ kind: "step.completed", step, outcome: "ok", value, startedAt: from, requests: 2, waitedMs: 8_000 });
}

test("a block has waited as long as the steps in it", () => {
  const records = nested().add({ kind: "step.begun", step: "deposit/board[a]" });
  const from = records.at;
  vote(records.pass(9_000), "deposit/vote[a]", from);
  records.add({
    kind: "step.completed",
    step: "deposit/board[a]",
    outcome: "ok",
    value: {},
    startedAt: from - 1_000,
    requests: 0,
  });
  expect(timesOf(records, "deposit/vote[a]")).toMatchObject({ durationMs: 1_000, waitedMs: 8_000 });
  expect(timesOf(records, "deposit/board[a]")).toMatchObject({ durationMs: 3_000, waitedMs: 8_000 });
});

test("parallel rounds that wait at the same time count once", () => {
  const records = nested();
  const from = records.at;
  for (const key of ["a", "b"]) records.add({ kind: "step.begun", step: `deposit/board[${key}]` });
  records.pass(8_000);
  for (const key of ["a", "b"]) vote(records, `deposit/vote[${key}]`, records.at - 9_000);
  records.add({ kind: "step.completed", step: "deposit", outcome: "ok", value: {}, startedAt: from - 2_000, requests: 0 });
  const times = timesOf(records, "deposit");
  expect(times.waitedMs).toBeLessThanOrEqual(14_000 - 2_000);
  expect((times.durationMs ?? 0) + (times.waitedMs ?? 0)).toBe(14_000);
});

test("a block that began again counts both tries, and the pause between them as waiting", () => {
  const steps: readonly StepHeading[] = [
    { id: "tries", name: "Tries", uses: "block", line: 1, kind: "block" },
    { id: "look", name: "Look", uses: "ledger.asset.get", line: 2, depth: 1 },
  ];
  const records = new Records().opened({ steps }).add({ kind: "step.begun", step: "tries" });
  records.stopped("look", "failed");
  records.pass(5_000).add({ kind: "block.turned", step: "tries", to: "again", forget: ["look"], waitedMs: 5_000 });
  records
    .read("look")
    .add({ kind: "step.completed", step: "tries", outcome: "ok", value: {}, startedAt: START + 2_000, requests: 0 });
  expect(timesOf(records, "look")).toMatchObject({ durationMs: 400, waitedMs: 0 });
  expect(timesOf(records, "tries")).toMatchObject({ durationMs: 4_000, waitedMs: 5_000, stoppedMs: 0 });
});
