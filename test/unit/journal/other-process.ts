// What another process does with a state meanwhile: `archives` makes runs that end at once, and archives them; `ends` is a process that ends after each run.
import { systemClock } from "../../../src/base/ports.ts";
import { Secret } from "../../../src/base/secret.ts";
import { archiveRuns } from "../../../src/journal/archives/archive-runs.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { isNightly } from "../../sizes.ts";
import { completed, opened } from "../protocol/facts.ts";

const ROUNDS = 15;
const RUNS_A_ROUND = { archives: 4, ends: isNightly ? 40 : 8 };

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
  const { journal } = await store.begin({ ...opened, runId }, "test");
  journal.note(completed("mint"));
  journal.note({ kind: "run.closed", outcome, outputs: {} });
  await store.release(journal, outcome);
  now += 1_000;
}

for (let round = 0; round < ROUNDS; round++) {
  let store = opening();
  for (let nth = 0; nth < (what === "archives" ? RUNS_A_ROUND.archives : RUNS_A_ROUND.ends); nth++) {
    // Of those that failed, the doctor reads more.
    await run(store, `run-${round}-${nth}`, what === "archives" && nth % 2 === 0 ? "failed" : "passed");
    if (what === "archives") continue;
    // Whoever closes it holds nothing any more, as a process that has ended.
    store.close();
    store = opening();
  }
  if (what === "archives") archiveRuns(store, { folder, before: now, now, isNeeded: () => false });
  store.close();
}
