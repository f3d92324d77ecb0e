import { afterEach, beforeEach, expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { leftBy } from "../../../src/engine/run/earlier/writes-left-open.ts";
import { archiveRuns } from "../../../src/journal/archives/archive-runs.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import { MovingJournal } from "../../../src/journal/moving.ts";
import type { JournalStore } from "../../../src/journal/store.ts";
import { ON_SERVER, TestState } from "../../state.ts";
import { temporaryFolder } from "../../stories/world.ts";
import { intended, opened } from "../protocol/facts.ts";
import { keep } from "./keep.ts";

const FINISHED = 10_000;
let state: TestState;
let store: JournalStore;
beforeEach(() => {
  state = new TestState();
  store = state.openJournal();
});
afterEach(() => store.close());

async function finished(runId: string, outcome: string, leavesOpen = false): Promise<void> {
  const { journal } = await store.begin({ ...opened, runId });
  if (leavesOpen) keep(journal, intended("mint"));
  journal.note({ kind: "run.closed", outcome: "unknown", outputs: {} });
  await store.release(journal, outcome, leavesOpen ? undefined : 0);
}

test("a start looks into the one run with an open write, and into none of ten thousand others", async () => {
  await finished("open", "unknown", true);
  state.tamper(
    JOURNAL_PART,
    `WITH RECURSIVE earlier (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM earlier WHERE n < ${FINISHED - 1})
     INSERT INTO run (id, playbook, environment, opened_at, outcome, settled, identity)
     SELECT 'run-' || n, 'mint.yaml', 'test', n, CASE n % 2 WHEN 0 THEN 'passed' ELSE 'failed' END, 1, './mint.yaml' FROM earlier${ON_SERVER ? "; ANALYZE run" : ""}`,
  );
  expect(store.runs.unsettled().map(({ id }) => id)).toEqual(["open"]);
  expect(leftBy(store, { id: "open", held: undefined })?.writes.map(({ step }) => step)).toEqual(["mint"]);
  const explain = ON_SERVER ? "EXPLAIN" : "EXPLAIN QUERY PLAN";
  const plans = [
    "SELECT * FROM run WHERE settled = 0 ORDER BY opened_at DESC, id DESC",
    "SELECT * FROM run WHERE identity = 'a' AND environment = 'b' ORDER BY opened_at DESC, id DESC LIMIT 1",
    "SELECT id FROM run WHERE key = 'a'",
    "SELECT id FROM run WHERE key >= 'a' AND key < 'b'",
  ].map((sql) => JSON.stringify(state.rows(JOURNAL_PART, `${explain} ${sql}`)));
  expect(plans).toEqual([
    expect.stringContaining("run_unsettled"),
    expect.stringContaining("run_of_playbook"),
    expect.stringContaining("run_key"),
    expect.stringContaining("run_key"),
  ]);
});

test("the database refuses a second run with the same key", async () => {
  const keyed = { ...opened, idempotencyKey: "ORDER-17" };
  await store.begin({ ...keyed, runId: "first" });
  await expect(store.begin({ ...keyed, runId: "second" })).rejects.toThrow(/the run first has this key/);
  expect(store.runs.ids()).toEqual(["first"]);
  expect(() =>
    state.tamper(JOURNAL_PART, "INSERT INTO run (id, playbook, environment, opened_at, key) VALUES ('x', '', '', 0, 'ORDER-17')"),
  ).toThrow(/unique/i);
});

test("runs are found by the beginning of their keys, archived ones too", async () => {
  const kept = async (runId: string, idempotencyKey: string): Promise<void> => {
    const { journal } = await store.begin({ ...opened, runId, idempotencyKey });
    journal.note({ kind: "run.closed", outcome: "passed", outputs: {} });
    await store.release(journal, "passed", 0);
  };
  await kept("first", "each/a/1");
  await kept("other", "each/b/1");
  const now = Date.now() + FINISHED;
  archiveRuns(store, { folder: temporaryFolder(), before: now, now, neededFor: () => undefined });
  await kept("second", "each/a/ÿ");
  await kept("near", "each/a");
  expect(store.archives.runsWithKeysFrom("each/a/").toSorted((one, next) => (one.id < next.id ? -1 : 1))).toEqual([
    { id: "first", key: "each/a/1", outcome: "passed", isArchived: true },
    { id: "second", key: "each/a/ÿ", outcome: "passed", isArchived: false },
  ]);
});

test("a run that died without an open write is looked into once", async () => {
  await store.begin({ ...opened, runId: "died" });
  store.leases.release({ runId: "died", epoch: 1 }, true);
  expect(store.runs.unsettled().map(({ id }) => id)).toEqual(["died"]);
  store.settle(store.summary("died"), 0);
  expect(store.runs.unsettled()).toEqual([]);
  await store.claim("died");
  expect(store.runs.unsettled().map(({ id }) => id)).toEqual(["died"]);
});

test("a check in the transaction that opens a run can refuse it, and then nothing is stored", async () => {
  const refusal = new Failure({ code: "test.refused", message: "not beside that" });
  const refuse = (): void => {
    throw refusal;
  };
  await expect(store.begin({ ...opened, runId: "refused" }, undefined, refuse)).rejects.toBe(refusal);
  expect(store.runs.ids()).toEqual([]);
  expect(store.leases.list()).toEqual([]);
  await store.begin({ ...opened, runId: "refused" });
  expect(store.runs.ids()).toEqual(["refused"]);
});

test("if two processes start runs of an approved plan, one of them gets the approval, unless its run does not begin", async () => {
  using beside = state.openJournal();
  const given = { plan: "digest", who: "pavel", because: "reviewed", at: 1 };
  for (const who of ["pavel", "quinn"]) store.approvals.add({ ...given, who });
  store.approvals.add({ ...given, plan: "another" });
  const refusal = new Failure({ code: "test.refused", message: "not beside that" });
  const refuse = (): void => {
    throw refusal;
  };
  const begin = (runId: string, by: JournalStore, then = (): void => undefined): Promise<unknown> =>
    by.begin({ ...opened, runId }, undefined, () => {
      if (!by.approvals.use(given)) refuse();
      then();
    });
  await expect(begin("refused", store, refuse)).rejects.toBe(refusal);
  expect(store.approvals.of("digest")).toHaveLength(2);
  await begin("first", beside);
  expect([store.approvals.of("digest"), store.approvals.of("another")]).toEqual([[], [{ ...given, plan: "another" }]]);
  store.approvals.add({ ...given, at: 2 });
  for (const each of [store, beside]) await expect(begin("second", each)).rejects.toBe(refusal);
  expect(store.approvals.of("digest")).toHaveLength(1);
});

test("a process whose state was moved can neither store nor use an approval", async () => {
  const given = { plan: "digest", who: "pavel", because: "reviewed", at: 1 };
  store.approvals.add(given);
  using moving = MovingJournal.open({ place: state.place, name: "here" });
  moving.beginSource("m1", "there");
  expect(() => store.approvals.add({ ...given, who: "quinn" })).toThrow();
  await expect(store.begin({ ...opened, runId: "late" }, undefined, () => void store.approvals.use(given))).rejects.toThrow();
  expect(store.approvals.of("digest")).toEqual([given]);
});

test("`latest` is refused while the journal has a run that began in the future, because the clock was set back", async () => {
  await finished("ahead", "passed");
  state.tamper(JOURNAL_PART, `UPDATE run SET opened_at = ${Date.parse("2200-01-01T00:00:00Z")}`);
  await finished("now", "failed");
  expect(() => store.named("latest")).toThrow(/the run ahead began at 2200-01-01T00:00:00\.000Z, which is in the future/);
  expect(store.named("now")).toBe("now");
});
