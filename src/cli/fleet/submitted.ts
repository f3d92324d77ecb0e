import { command, type Hint } from "../../base/command-line.ts";
import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import type { RunQueue } from "../../fleet/queue.ts";
import { type RunContent, submittedAlike } from "../../fleet/submitted-alike.ts";
import { schemaOfQueue } from "../../fleet/submitted-run.ts";
import { JOURNAL_PART } from "../../journal/format.ts";
import type { ServerPlace } from "../../sql/place.ts";
import { lookAtTables } from "../../state/tables.ts";

/**
 * Returns why a run by hand must not begin, if it would do what a submitted run does that has not ended: a worker would make its writes once more.
 * `undefined` if it may begin. A key names another run, so this is not for a run with a key.
 */
export async function refusalBySubmitted(place: ServerPlace, run: RunContent): Promise<Failure | undefined> {
  using database = lookAtTables(place, JOURNAL_PART);
  const alike = await submittedAlike(schemaOfQueue(place.schema), run, (sql, values) => database?.all(sql, ...values) ?? []);
  if (alike === undefined) return undefined;
  const { key, label, isTaken, submittedBy } = alike;
  return new Failure({
    code: "run.submitted",
    message: `${submittedBy} has submitted a run of ${run.playbook} with these inputs (key ${key}, label ${label}), and ${isTaken ? "a worker has it under way" : "it waits for a worker"}`,
    why: "both would make the same writes; nothing of this run was sent",
    next: [
      ...(isTaken
        ? ["leave it to the worker, and see it:", command`runs show ${key}`]
        : ["leave it to a worker, or withdraw it and run the playbook again:", command`runs withdraw ${key}`]),
      "or, if both are meant, name this run by adding: --key NAME",
    ],
    exit: EXIT.locked,
  });
}

/** Returns a note for whoever submits without a key what is submitted already, and has not ended. */
export async function alikeNote(queue: RunQueue, hint: Hint, run: RunContent): Promise<readonly string[]> {
  const alike = await queue.alike(run);
  if (alike === undefined) return [];
  const { key, isTaken } = alike;
  const next = isTaken ? command`runs show ${key}` : command`runs withdraw ${key}`;
  const what = isTaken
    ? `is under way. To see it: ${hint(next)}`
    : `waits for a worker. To remove it from the queue: ${hint(next)}`;
  return [`note: this is another run of ${run.playbook}; one with these inputs (key ${key}) ${what}`];
}
