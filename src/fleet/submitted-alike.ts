import { jsonEquals, parseJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { HAS_NOT_ENDED, labelOf, type SubmittedRun } from "./submitted-run.ts";

/** What makes two runs the same, unless a key distinguishes them. */
export type RunContent = Pick<SubmittedRun, "playbook" | "environment" | "inputs">;

/** A submitted run that has not ended, and does what another run would do. */
export interface SubmittedAlike extends Pick<SubmittedRun, "key" | "submittedBy"> {
  /** The label by which workers take it. */
  readonly label: string;
  /** Whether a worker has taken it. */
  readonly isTaken: boolean;
}

/** A way to the database. Returns the rows of a query with the values of `$1`, `$2`; throws, or rejects with, a Failure. */
export type AskDatabase = (sql: string, values: readonly string[]) => readonly unknown[] | Promise<readonly unknown[]>;

interface JobRow {
  readonly name: string;
  readonly state: string;
  /** The submitted run as JSON text. */
  readonly data: string;
}

/**
 * Returns the earliest submitted run in the schema of a queue that has not ended and has the same playbook, inputs and environment as another
 * run. The caller provides the connection, so that a run by hand need not open the queue.
 */
export async function submittedAlike(
  schema: string,
  { playbook, environment, inputs }: RunContent,
  ask: AskDatabase,
): Promise<SubmittedAlike | undefined> {
  const table = `${schema}.job`;
  const isThere = await ask("SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL", [table]);
  if (isThere.length === 0) return undefined;
  const rows = await ask(
    `SELECT name, CAST(state AS text) AS state, CAST(data AS text) AS data FROM ${table}
    WHERE ${HAS_NOT_ENDED} AND data ->> 'playbook' = $1 AND data ->> 'environment' = $2
    ORDER BY created_on, id`,
    [playbook, environment],
  );
  const given = parseJson(inputs, LIMITS.recordDepth);
  for (const { name, state, data } of rows as readonly JobRow[]) {
    const run = JSON.parse(data) as SubmittedRun;
    if (!jsonEquals(parseJson(run.inputs, LIMITS.recordDepth), given)) continue;
    return { key: run.key, submittedBy: run.submittedBy, label: labelOf({ name }), isTaken: state === "active" };
  }
  return undefined;
}
