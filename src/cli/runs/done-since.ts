import { command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { jsonEquals } from "../../base/json/json.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";
import { mayHaveWritten } from "../../protocol/open-writes.ts";
import type { RunOpened } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";

/**
 * Throws a Failure if a later run has begun with the same inputs as one that nobody has named, has written, and has passed: whoever began it hardly
 * means to continue the earlier run. A run with a key is always another one.
 */
export function assertNotDoneSince(store: JournalStore, run: RunSummary, { inputs, idempotencyKey }: RunOpened): void {
  if (idempotencyKey !== undefined) return;
  const later = store.passedSince(run).find(({ id }) => {
    const state = stateOf(store.read(id));
    return jsonEquals(state.opened?.inputs ?? null, inputs) && mayHaveWritten(state);
  });
  if (later === undefined) return;
  throw new Failure({
    code: "resume.done-since",
    message: `the last run that did not pass is ${run.id} of ${run.playbook}, and the run ${later.id} of that playbook has begun since with the same inputs, has written, and has passed`,
    why: "the rest of the earlier run could be made a second time; nothing was sent",
    next: ["if nothing is left to do, leave it; to continue it nevertheless, name it:", command`resume ${run.id}`],
  });
}
