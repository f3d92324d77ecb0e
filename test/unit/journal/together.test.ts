import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/ports.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import type { RunJournal } from "../../../src/journal/journal.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import type { RunRecord } from "../../../src/protocol/record.ts";
import { TestState } from "../../state.ts";
import { answered, intended, opened } from "../protocol/facts.ts";

// Several runs share one process. Their commits happen when the test ends the turn.
let state: TestState;
let store: JournalStore;
let turn: (() => void)[];
let commits: string[];

beforeEach(() => {
  state = new TestState();
  turn = [];
  commits = [];
  store = JournalStore.open(state.place, {
    clock: systemClock,
    redact: (text) => text,
    inNextTurn: (work) => turn.push(work),
    watch: (moment, records) => commits.push(`${moment} ${records.map(({ kind }) => kind).join(" ")}`),
  });
});
afterEach(() => store.close());

function removeTables(): void {
  if (typeof state.place === "string") rmSync(join(state.place, "journal.db"));
  else state.tamper(JOURNAL_PART, `DROP SCHEMA ${state.place.schema} CASCADE`);
}

const GONE = /removed or replaced|has lost a table/;

function endTurn(): void {
  for (const work of turn.splice(0)) work();
}

async function begun(runId: string): Promise<RunJournal> {
  const held = store.begin({ ...opened, runId });
  endTurn();
  return (await held).journal;
}

const kinds = (runId: string): readonly RunRecord["kind"][] => store.read(runId).map(({ kind }) => kind);

const TAKEN_OVER = { status: "rejected", reason: { code: "journal.claim-lost" } };
const BEGUN = ["run.opened", "run.claimed"];

test("the records of all runs in one turn become durable in one commit", async () => {
  const [first, second] = [await begun("run1"), await begun("run2")];
  commits = [];
  first.note(intended("mint"));
  second.note(intended("burn"));
  const durable = Promise.all([first.flushed(), second.flushed()]);
  expect([kinds("run1"), kinds("run2")]).toEqual([BEGUN, BEGUN]);
  expect(turn).toHaveLength(1);
  first.note(answered("mint", "acknowledged")); // this fact is already there when the commit begins
  endTurn();
  await durable;
  expect(commits).toEqual([
    "before attempt.intended attempt.answered",
    "before attempt.intended",
    "after attempt.intended attempt.answered",
    "after attempt.intended",
  ]);
  expect(kinds("run1")).toEqual([...BEGUN, "attempt.intended", "attempt.answered"]);
  expect(kinds("run2")).toEqual([...BEGUN, "attempt.intended"]);
});

test("a single run records without waiting for others", async () => {
  const journal = await begun("run1");
  journal.note(intended("mint"));
  await journal.flushed();
  expect(turn).toEqual([]);
  expect(kinds("run1")).toContain("attempt.intended");
});

test("a run that was taken over stores nothing, and does not hinder the others", async () => {
  const [lost, other] = [await begun("run1"), await begun("run2")];
  store.leases.takeOver("run1");
  lost.note(intended("mint"));
  other.note(intended("burn"));
  const ends = Promise.allSettled([lost.flushed(), other.flushed()]);
  endTurn();
  expect(await ends).toMatchObject([TAKEN_OVER, { status: "fulfilled" }]);
  expect(kinds("run1")).toEqual(BEGUN);
  expect(kinds("run2")).toEqual([...BEGUN, "attempt.intended"]);
  lost.note(answered("mint", "acknowledged"));
  expect(() => lost.flush()).toThrow(/no longer holds the run run1/);
});

test("two steps of a run that record in one turn get the same result", async () => {
  const [lost] = [await begun("run1"), await begun("run2")];
  store.leases.takeOver("run1");
  lost.note(intended("mint"));
  const first = lost.flushed();
  lost.note(intended("burn"));
  const ends = Promise.allSettled([first, lost.flushed()]);
  endTurn();
  expect(await ends).toMatchObject([TAKEN_OVER, TAKEN_OVER]);
  expect(kinds("run1")).toEqual(BEGUN);
});

test("a waiting step notices that the journal of its run has failed", async () => {
  const journal = await begun("run1");
  removeTables();
  journal.note(intended("mint"));
  await expect(journal.flushed()).rejects.toThrow(GONE);
  await expect(journal.flushed()).rejects.toThrow(GONE);
});

test("if the disk is gone, no run records anything", async () => {
  const journals = [await begun("run1"), await begun("run2")];
  removeTables();
  for (const journal of journals) journal.note(intended("mint"));
  const ends = Promise.allSettled(journals.map((journal) => journal.flushed()));
  endTurn();
  const gone = { status: "rejected", reason: { message: expect.stringMatching(GONE) } };
  expect(await ends).toMatchObject([gone, gone]);
});

test("runs that end in one turn are released in one commit", async () => {
  const journals = [await begun("run1"), await begun("run2")];
  commits = [];
  for (const journal of journals) journal.note({ kind: "run.closed", outcome: "passed", outputs: {} });
  const ends = journals.map((journal) => store.release(journal, "passed", 0));
  endTurn();
  await Promise.all(ends);
  expect(commits.map((commit) => commit.split(" ", 1)[0])).toEqual(["before", "before", "after", "after"]);
  expect(store.runs.latest(2).map(({ outcome, held }) => [outcome, held])).toEqual([
    ["passed", undefined],
    ["passed", undefined],
  ]);
});
