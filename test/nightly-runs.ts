// Simulates years of a playbook that runs each night and is archived each month, as fast as a journal accepts the runs.
import { type Clock, systemClock } from "../src/base/ports.ts";
import { archiveRuns } from "../src/journal/archives/archive-runs.ts";
import { JOURNAL } from "../src/journal/format.ts";
import { JournalStore } from "../src/journal/store.ts";
import type { Fact } from "../src/protocol/record.ts";
import type { SqlDatabase } from "../src/sql/database.ts";
import { Database } from "../src/sqlite/database.ts";
import { answered, completed, intended, opened } from "./unit/protocol/facts.ts";

const DAY = 86_400_000;
const NIGHTS = 365;
const ARCHIVED_EVERY = 30;
const OLDER = 90 * DAY;
const START = Date.UTC(2026, 0, 1, 2);
const STEPS = 10;
const STEP_CHARS = 800;
const SOURCE_CHARS = 3_000;

/** What a journal holds at the end of a year. */
export interface YearOfRuns {
  /** How many runs have ever begun. */
  readonly begun: number;
  /** How many runs `runs` reads. */
  readonly runs: number;
  readonly records: number;
  /** How many rows describe archived runs: where each run is, and the transactions that proved its writes. */
  readonly facts: number;
}

interface Nightly {
  /** The journal's file; the journal is in memory if this is left out. */
  readonly file?: string;
  readonly archives: string;
  readonly years: number;
  /** How many writes each run makes. */
  readonly writes: number;
}

/** Runs night after night, and yields what the journal holds at the end of each year. */
export async function* nightlyRuns({ file = ":memory:", archives, years, writes }: Nightly): AsyncGenerator<YearOfRuns> {
  let now = START;
  const clock: Clock = { ...systemClock, now: () => now };
  const database = Database.open(file, JOURNAL);
  const store = JournalStore.over(database, { clock, redact: (text) => text });
  try {
    for (let night = 1; night <= years * NIGHTS; night++) {
      await runOnce(store, night, writes);
      now += DAY;
      if (night % ARCHIVED_EVERY === 0)
        archiveRuns(store, { folder: archives, before: now - OLDER, now, neededFor: () => undefined });
      if (night % NIGHTS === 0) yield countsOf(database, night);
    }
  } finally {
    store.close();
  }
}

async function runOnce(store: JournalStore, night: number, writes: number): Promise<void> {
  const runId = `night-${String(night).padStart(5, "0")}`;
  const sources = { "nightly.yaml": "#".repeat(SOURCE_CHARS) };
  const { journal } = await store.begin({ ...opened, runId, sources, idempotencyKey: `nightly/${night}` });
  for (let step = 0; step < STEPS; step++) {
    for (const fact of step < writes ? write(`write${step}`, `${runId}-${step}`) : [read(`read${step}`)]) journal.note(fact);
  }
  journal.note({ kind: "run.closed", outcome: "passed", outputs: {} });
  await store.release(journal, "passed", 0);
}

function write(step: string, transactionId: string): readonly Fact[] {
  return [intended(step), answered(step, "acknowledged", { payload: { transactionId } }), completed(step)];
}

function read(step: string): Fact {
  return { kind: "step.completed", step, outcome: "ok", value: { text: "#".repeat(STEP_CHARS) }, startedAt: 1, requests: 1 };
}

function countsOf(database: SqlDatabase, begun: number): YearOfRuns {
  const count = (table: string): number => Number(database.get(`SELECT COUNT(*) AS n FROM ${table}`)?.["n"]);
  return {
    begun,
    runs: count("run"),
    records: count("record"),
    facts: count("archive") + count("archived_run") + count("proof"),
  };
}
