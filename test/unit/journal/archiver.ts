// Makes runs that end at once, and archives all but the last, again and again; killed, or after so many rounds, it is gone.
import { systemClock } from "../../../src/base/ports.ts";
import { Secret } from "../../../src/base/secret.ts";
import { archiveRuns } from "../../../src/journal/archives/archive-runs.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { completed, opened } from "../protocol/facts.ts";

const ROUNDS = 15;
const RUNS_A_ROUND = 4;

const [place = "", folder = ""] = process.argv.slice(2);
const address = process.env["STATE_URL"];
let now = Date.UTC(2026, 0, 1);
const store = JournalStore.open(
  address === undefined ? place : { url: new Secret("state.postgres", address), schema: place, accepted: [] },
  { clock: { ...systemClock, now: () => now }, redact: (text) => text },
);
for (let round = 0; round < ROUNDS; round++) {
  for (let run = 0; run < RUNS_A_ROUND; run++) {
    const { journal } = await store.begin({ ...opened, runId: `run-${round}-${run}` }, "test");
    journal.note(completed("mint"));
    journal.note({ kind: "run.closed", outcome: "passed", outputs: {} });
    await store.release(journal, "passed");
    now += 1_000;
  }
  archiveRuns(store, { folder, before: now, now, isNeeded: () => false });
}
store.close();
