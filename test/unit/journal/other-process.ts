// What another process does to a state. With `archives` it makes runs and archives them. With `ends` it closes its store after each run.
import { systemClock } from "../../../src/base/ports.ts";
import { Secret } from "../../../src/base/secret.ts";
import { archiveRuns } from "../../../src/journal/archives/archive-runs.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { isNightly } from "../../sizes.ts";
import { completed, opened } from "../protocol/facts.ts";

const ROUNDS = 15;
const ARCHIVED_A_ROUND = 4;
const ENDING_RUNS = isNightly ? 600 : 120;

const [place = "", folder = "", what = ""] = process.argv.slice(2);
const address = process.env["STATE_URL"];
let now = Date.UTC(2026, 0, 1);

function opening(): JournalStore {
  return JournalStore.open(
    address === undefined ? place : { url: new Secret("state.postgres", address), schema: place, accepted: [] },
    { clock: { ...systemClock, now: () => now }, redact: (text) => text },
  );
}

async function run(store: JournalStore, runId: string, outcome: "passed" | "failed"): Promise<void> {
  const { journal } = await store.begin({ ...opened, runId });
  journal.note(completed("mint"));
  journal.note({ kind: "run.closed", outcome, outputs: {} });
  await store.release(journal, outcome, 0);
  now += 1_000;
}

async function archives(): Promise<void> {
  const store = opening();
  for (let round = 0; round < ROUNDS; round++) {
    // Half of the runs fail, because `doctor` reads the records of failed runs.
    for (let nth = 0; nth < ARCHIVED_A_ROUND; nth++) await run(store, `run-${round}-${nth}`, nth % 2 === 0 ? "failed" : "passed");
    archiveRuns(store, { folder, before: now, now, neededFor: () => undefined });
  }
  store.close();
}

// A closed store holds nothing any more, just like a process that has ended.
async function ends(): Promise<void> {
  for (let nth = 0; nth < ENDING_RUNS; nth++) {
    const store = opening();
    await run(store, `run-${nth}`, "passed");
    store.close();
  }
}

await (what === "archives" ? archives() : ends());
