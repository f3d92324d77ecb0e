import type { SqlDatabase } from "../sql/database.ts";
import type { TakenRun } from "./queue.ts";
import { schemaOfQueue } from "./submitted-run.ts";

/**
 * Marks in the job of a run that people are notified of how it ended, and returns whether this is new. It happens in the transaction that
 * stores the notification. So a worker that gets the same job again, because another one died before it ended the job, notifies nobody
 * twice.
 */
export function noteNotified(database: SqlDatabase, { job }: TakenRun, end: string): boolean {
  const table = `${schemaOfQueue(database.server?.schema ?? "")}.job`;
  const isNoted = `SELECT 1 FROM ${table} WHERE name = ? AND id::text = ? AND data ->> 'notified' = ?`;
  if (database.get(isNoted, job.name, job.id, end) !== undefined) return false;
  const note = "data || jsonb_build_object('notified', CAST(? AS text))";
  database.run(`UPDATE ${table} SET data = ${note} WHERE name = ? AND id::text = ?`, end, job.name, job.id);
  return true;
}
