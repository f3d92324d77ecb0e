import { redactor } from "../../base/secret.ts";
import type { RunQueue } from "../../fleet/queue.ts";
import type { ServerPlace } from "../../sql/place.ts";
import { assertJournalWhole } from "../runs/open-journal.ts";

/** Opens the queue of a state, to take jobs from it or only to ask and to submit; `say` receives each error after which the queue continues. Throws a Failure. */
export async function openQueue(place: ServerPlace, takesJobs: boolean, say: (text: string) => void): Promise<RunQueue> {
  assertJournalWhole(place);
  return openAnyQueue(place, takesJobs, say);
}

/** The same of a state that is moved, which no other command uses. */
export async function openAnyQueue(place: ServerPlace, takesJobs: boolean, say: (text: string) => void): Promise<RunQueue> {
  const { RunQueue: Queue } = await import("../../fleet/queue.ts");
  const redact = redactor([place.url]);
  return Queue.open(place, { takesJobs, onError: (why) => say(redact(why)) });
}
