import { redactor } from "../../base/secret.ts";
import type { RunQueue } from "../../fleet/queue.ts";
import type { ServerPlace } from "../../sql/place.ts";
import { assertJournalWhole } from "../runs/open-journal.ts";
import type { Shell } from "../shell.ts";

/** Opens the queue of a state to take jobs from it; `say` receives each error after which the queue continues. Throws a Failure. */
export async function openQueue(place: ServerPlace, say: (text: string) => void): Promise<RunQueue> {
  assertJournalWhole(place);
  return open(place, true, say);
}

/** Asks the queue of a state, or submits to it, and closes it whatever happens. Errors after which it continues are shown. Throws a Failure. */
export async function askQueue<T>(
  shell: Pick<Shell, "stderr">,
  place: ServerPlace,
  ask: (queue: RunQueue) => Promise<T>,
): Promise<T> {
  assertJournalWhole(place);
  return askAnyQueue(shell, place, ask);
}

/** The same of a state that is moved, which no other command uses. */
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
