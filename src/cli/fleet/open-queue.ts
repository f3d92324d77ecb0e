import { Failure } from "../../base/failure.ts";
import { redactor } from "../../base/secret.ts";
import type { RunQueue } from "../../fleet/queue.ts";
import type { ServerPlace } from "../../sql/place.ts";
import { assertJournalWhole } from "../runs/open-journal.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { statePlace, type Where } from "../project/project.ts";

/** Returns the database that holds the project's state. Throws a Failure where it is a folder. */
export function serverOf(shell: ProjectShell, where: Where): ServerPlace {
  const place = statePlace(shell, where);
  if (typeof place !== "string") return place;
  throw new Failure({
    code: "queue.no-database",
    message: "the state of this project is in a folder, which has no queue",
    why: "workers on several machines share a database",
    next: "name one in tokenbook.yaml: state: { postgres: env:TOKENBOOK_DATABASE }",
  });
}

/** Opens the queue of a state; `say` receives each error after which the queue continues. Throws a Failure. */
export async function openQueue(place: ServerPlace, supervise: boolean, say: (text: string) => void): Promise<RunQueue> {
  assertJournalWhole(place);
  const { RunQueue: Queue } = await import("../../fleet/queue.ts");
  const redact = redactor([place.url]);
  return Queue.open(place, { supervise, onError: (why) => say(redact(why)) });
}
