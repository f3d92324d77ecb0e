import { EXIT } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { TakenRun } from "./job.ts";
import { schemaOfQueue } from "./submitted-run.ts";

function jobsIn({ server }: SqlDatabase): string {
  return `${schemaOfQueue(server?.schema ?? "")}.job`;
}

/**
 * Throws a Failure unless a worker has the job of a submitted run, as it was taken. A worker that is frozen or cut off loses its job to the queue, where somebody may
 * withdraw it, or submit another version under its key. Only within the transaction of the run's first record: the lock keeps the job as it is until then.
 */
export function assertStillTaken(database: SqlDatabase, { job, ...run }: TakenRun): void {
  const isSame = "data - 'notified' = CAST(? AS jsonb) - 'notified'";
  const taken = `SELECT 1 FROM ${jobsIn(database)} WHERE name = ? AND id::text = ? AND state = 'active' AND ${isSame} FOR SHARE`;
  if (database.get(taken, job.name, job.id, JSON.stringify(run)) !== undefined) return;
  throw new Failure({
    code: "queue.taken-back",
    message:
      "this worker was frozen or cut off for so long that the queue took the run back; it waits there again, or was withdrawn",
    exit: EXIT.locked,
  });
}

/**
 * Marks in the job of a run that people are notified of how it ended, and returns whether this is new. It happens in the transaction that
 * stores the notification. So a worker that gets the same job again, because another one died before it ended the job, notifies nobody
 * twice.
 */
export function noteNotified(database: SqlDatabase, { job }: TakenRun, end: string): boolean {
  const table = jobsIn(database);
  const isNoted = `SELECT 1 FROM ${table} WHERE name = ? AND id::text = ? AND data ->> 'notified' = ?`;
  if (database.get(isNoted, job.name, job.id, end) !== undefined) return false;
  const note = "data || jsonb_build_object('notified', CAST(? AS text))";
  database.run(`UPDATE ${table} SET data = ${note} WHERE name = ? AND id::text = ?`, end, job.name, job.id);
  return true;
}
