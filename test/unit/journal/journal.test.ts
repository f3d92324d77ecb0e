import { statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { writeJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { systemClock } from "../../../src/base/ports.ts";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import { processSpace, thisProcess } from "../../../src/journal/holder.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { ON_SERVER, TestState } from "../../state.ts";
import { answered, completed, intended, opened } from "../protocol/facts.ts";
import { keep } from "./keep.ts";

let state: TestState;
beforeEach(() => {
  state = new TestState();
});

const open = (redact: (text: string) => string = (text) => text): JournalStore =>
  JournalStore.open(state.place, { clock: systemClock, redact });

const tamper = (sql: string): void => state.tamper(JOURNAL_PART, sql);

const DEAD = JSON.stringify({ ...thisProcess(), space: processSpace(), startedAt: "1" });

/** Makes the run seem to be held by a process that is long gone. */
function abandon(): void {
  tamper(`UPDATE lease SET holder = '${DEAD}'`);
}

test("a record is read back as it was written, with every digit of its numbers", async () => {
  const store = open();
  const { journal } = await store.begin(opened);
  keep(journal, { ...intended("mint"), input: { value: Decimal.parse("12345678901234567890.50") ?? null } } as never);
  const records = open().read("run1");
  expect(records.map(({ kind }) => kind)).toEqual(["run.opened", "run.claimed", "attempt.intended"]);
  expect(writeJson(records[2])).toContain('"value":12345678901234567890.50');
  expect(records[2]).toMatchObject({ attempt: 0, sequence: 2, epoch: 1 });
});

test("a run can begin with inputs that are larger than the buffer", async () => {
  const inputs = { text: "x".repeat(LIMITS.journalBufferChars) };
  const { records } = await open().begin({ ...opened, inputs });
  expect(records.map(({ kind }) => kind)).toEqual(["run.opened", "run.claimed"]);
  expect(open().read("run1")).toEqual([expect.objectContaining({ inputs }), expect.objectContaining({ kind: "run.claimed" })]);
});

test("a note becomes durable with the next write, and not before", async () => {
  const { journal } = await open().begin(opened);
  journal.note(completed("read"));
  expect(open().read("run1")).toHaveLength(2);
  keep(journal, intended("mint"));
  expect(open().read("run1")).toHaveLength(4);
});

test.each([
  ["a changed body", `UPDATE record SET body = replace(body, 'ledger.token.mint', 'ledger.token.burn') WHERE sequence = 2`],
  ["a changed time", `UPDATE record SET at = at + 1 WHERE sequence = 2`],
  ["a missing record", `DELETE FROM record WHERE sequence = 2`],
  [
    "records in another order",
    `UPDATE record SET sequence = 9 WHERE sequence = 2; UPDATE record SET sequence = 2 WHERE sequence = 3`,
  ],
])("a run with %s is refused, because its chain is broken", async (_what, sql) => {
  const { journal } = await open().begin(opened);
  keep(journal, intended("mint"));
  keep(journal, answered("mint", "acknowledged"));
  tamper(sql);
  expect(() => open().read("run1")).toThrow(/damaged at record 2|record [23] of run run1, .* is gone/);
  abandon();
  await expect((async () => open().claim("run1"))()).rejects.toThrow(/damaged at record 2|record [23] of run run1, .* is gone/);
});

test("a history is read on from its last known record, and is the same object if there is no new record", async () => {
  const { journal } = await open().begin(opened);
  const store = open();
  const first = store.history("run1");
  expect(store.history("run1", first)).toBe(first);
  keep(journal, intended("mint"));
  keep(journal, answered("mint", "acknowledged"));
  const second = store.history("run1", first);
  expect(second).toEqual(open().history("run1"));
  expect(second.records.map(({ kind }) => kind)).toEqual(["run.opened", "run.claimed", "attempt.intended", "attempt.answered"]);
});

test.each([
  ["another record in the place of its last", `UPDATE run SET last_hash = '${"0".repeat(64)}'`],
  [
    "fewer records than were read",
    `UPDATE run SET last_sequence = 1, last_hash = (SELECT previous FROM record WHERE sequence = 2); DELETE FROM record WHERE sequence = 2`,
  ],
  ["a record that does not follow from them", `UPDATE record SET previous = '${"0".repeat(64)}' WHERE sequence = 3`],
])("reading on from a known record reports damage: %s", async (_what, sql) => {
  const { journal } = await open().begin(opened);
  keep(journal, intended("mint"));
  const store = open();
  const known = store.history("run1");
  if (sql.includes("sequence = 3")) keep(journal, answered("mint", "acknowledged"));
  tamper(sql);
  expect(() => store.history("run1", known)).toThrow(/damaged at record [23]/);
});

test("a run that a live process holds cannot be claimed", async () => {
  await open().begin(opened);
  await expect(open().claim("run1")).rejects.toThrow(new RegExp(`held by process ${process.pid}`));
});

test("a process cannot write to a run that another one has taken over", async () => {
  const { journal } = await open().begin(opened);
  abandon();
  const second = await open().claim("run1");
  expect(second.journal.claim).toEqual({ runId: "run1", epoch: 2 });
  expect(() => keep(journal, intended("mint"))).toThrow(/no longer holds the run run1/);
  keep(second.journal, intended("mint"));
  expect(open().read("run1").at(-1)).toMatchObject({ kind: "attempt.intended", epoch: 2 });
});

test("a secret that the service repeats is masked on the disk and in the record", async () => {
  const { journal } = await open(redactor([new Secret("KEY", 'top"secret')])).begin(opened);
  const record = keep(journal, answered("mint", "refused", { message: 'no: top"secret' }));
  expect(record).toMatchObject({ message: "no: ${{ secrets.KEY }}" });
  expect(open().read("run1").at(-1)).toMatchObject({ message: "no: ${{ secrets.KEY }}" });
});

test("a secret is masked in each field that can contain it, but not within ids, file names and numbers", async () => {
  const store = open(redactor([new Secret("KEY", "70031992")]));
  const { records } = await store.begin({
    ...opened,
    playbook: { file: "70031992.yaml", name: "of 70031992", digest: "d" },
    steps: [{ id: "a", name: "uses 70031992", uses: "ledger.status", line: 1 }],
    inputs: { exact: Decimal.parse("70031992") ?? null, holds: Decimal.parse("170031992.5") ?? null },
    env: { "a.yaml": { REGION: "in 70031992" } },
  });
  const mask = "${{ secrets.KEY }}";
  const masked = {
    playbook: { file: "70031992.yaml", name: `of ${mask}` },
    steps: [{ id: "a", name: `uses ${mask}`, line: 1 }],
    env: { "a.yaml": { REGION: `in ${mask}` } },
  };
  for (const record of [records[0], open().read("run1")[0]]) {
    expect(record).toMatchObject(masked);
    expect(writeJson(record)).toContain(`"inputs":{"exact":"${mask}","holds":170031992.5}`);
  }
});

test.skipIf(ON_SERVER)("only the owner can read the journal", () => {
  open();
  expect(statSync(join(state.folder, "journal.db")).mode & 0o777).toBe(0o600);
});

test("a journal of a later version is refused", () => {
  open().close();
  tamper(ON_SERVER ? "UPDATE about SET format = 99 WHERE part = 'journal'" : "PRAGMA user_version = 99");
  expect(() => open()).toThrow(/newer tokenbook/);
});

test("a run that did not pass is found behind any number of later runs that passed", async () => {
  const store = open();
  await store.begin({ ...opened, runId: "stopped" });
  tamper(`
    WITH RECURSIVE later (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM later WHERE n < 2000)
    INSERT INTO run (id, playbook, environment, opened_at, outcome)
    SELECT 'later' || n, 'p.yaml', 'test', ${Date.now() + 1_000} + n, 'passed' FROM later`);
  expect(store.runs.notPassed(2)).toMatchObject([{ id: "stopped" }]);
  expect(store.runs.notPassed(1)).toEqual([store.summary("stopped")]);
  expect(store.runs.lastNotPassed(2)).toEqual(store.runs.notPassed(2));
  const days = store.runs.outcomesByDay(0);
  expect(days.filter(({ outcome }) => outcome === undefined)).toEqual([
    { day: Math.floor(store.summary("stopped").openedAt / 86_400_000), outcome: undefined, runs: 1 },
  ]);
  expect(days.reduce((sum, { runs }) => sum + runs, 0)).toBe(2_001);
  expect(store.runs.outcomesByDay(Math.floor(Date.now() / 86_400_000) + 2)).toEqual([]);
  expect(store.runs.latest(1)).toMatchObject([{ id: "later2000", outcome: "passed" }]);
  expect(store.runs.total()).toBe(2_001);
  expect(() => store.summary("later2001")).toThrow('there is no run "later2001"');
});

test("a run that did not pass is listed until its playbook begins another run in the same environment", async () => {
  const store = open();
  await store.begin({ ...opened, runId: "first" });
  await store.begin({ ...opened, runId: "elsewhere", target: { ...opened.target, environment: "elsewhere" } });
  await store.begin({ ...opened, runId: "second" });
  expect(new Set(store.runs.lastNotPassed(9).map(({ id }) => id))).toEqual(new Set(["second", "elsewhere"]));
  expect(store.runs.lastNotPassed(1)).toHaveLength(1);
});
