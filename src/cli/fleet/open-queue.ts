import { redactor } from "../../base/secret.ts";
import type { RunQueue } from "../../fleet/queue.ts";
import type { ServerPlace } from "../../sql/place.ts";
import { assertJournalWhole, assertNothingLost } from "../runs/open-journal.ts";
import type { Shell } from "../shell.ts";

/** Opens the queue of a state to take jobs from it. `say` receives each error that does not end the queue. Throws a Failure. */
export async function openQueue(place: ServerPlace, say: (text: string) => void): Promise<RunQueue> {
  assertNothingLost(place);
  return open(place, true, say);
}

/** Opens the queue of a state to query it or to submit runs, and closes it in any case. Errors that do not end the queue are shown. Throws a Failure. */
export async function askQueue<T>(
  shell: Pick<Shell, "stderr">,
  place: ServerPlace,
  ask: (queue: RunQueue) => Promise<T>,
): Promise<T> {
  assertJournalWhole(place);
  return askAnyQueue(shell, place, ask);
}

/** Does the same for a state that is being moved, which no other command may use. */
export async function askAnyQueue<T>(
  { stderr }: Pick<Shell, "stderr">,
  place: ServerPlace,
  ask: (queue: RunQueue) => Promise<T>,
): Promise<T> {
  const queue = await open(place, false, (text) => stderr.write(`tokenbook: ${text}\n`));
  try {
    return await ask(queue);
  } finally {
    await queue.stop(0);
  }
}

async function open(place: ServerPlace, takesJobs: boolean, say: (text: string) => void): Promise<RunQueue> {
  const { RunQueue: Queue } = await import("../../fleet/queue.ts");
  const redact = redactor([place.url]);
  return Queue.open(place, { takesJobs, onError: (why) => say(redact(why)) });
}
