import { Failure } from "../base/failure.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { ServerPlace } from "../sql/place.ts";
import type { Last, Tail } from "./tail.ts";

/** The last record that this process has written to each schema of a server. */
const written = new Map<string, Last>();

/**
 * Remembers the last record that this process has written to a server (decision 158). So a worker or a scheduler notices that a backup or a standby without
 * the record has taken the place of the server, and does not do its work a second time.
 */
export class ServerTail implements Tail {
  readonly #schema: string;

  constructor({ url, schema }: ServerPlace) {
    this.#schema = `${schema} ${url.reveal()}`;
  }

  create(last: Last | undefined): void {
    if (last === undefined) written.delete(this.#schema);
    else this.keep(last);
  }

  keep(last: Last): void {
    written.set(this.#schema, last);
  }

  assertKept(journal: SqlDatabase): void {
    const last = written.get(this.#schema);
    if (last !== undefined && journal.get(KEPT, last.runId, last.sequence, last.hash, last.runId) === undefined)
      throw turnedBack(journal.path, `record ${last.sequence} of run ${last.runId}`);
  }

  assertNotAhead(): void {
    // a process that migrates a journal has not written to it yet
  }

  close(): void {
    // the record is remembered until the process ends
  }
}

const KEPT = `SELECT 1 FROM record WHERE run_id = ? AND sequence = ? AND hash = ?
  UNION ALL SELECT 1 FROM archived_run WHERE id = ?`;

/** Returns the failure for a server that no longer has a record which this process has written. */
export function turnedBack(path: string, record: string): Failure {
  return new Failure({
    code: "journal.lost",
    message: `${path} has lost records: ${record}, which this process had written, is gone`,
    why: "it was restored from a backup, or a server without these records took over; what was done since then would be done again, so nothing is sent",
    next: "look into the ledger for what that run, and every run since then, has done before you resume any of them; a worker or scheduler begins no run until you start it again",
  });
}
