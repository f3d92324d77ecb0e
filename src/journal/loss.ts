import { command } from "../base/command-line.ts";
import { EXIT } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import { isoTime } from "../base/time/date.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { pathOf } from "../postgres/database.ts";
import type { StatePlace } from "../sql/place.ts";
import { existingTables, openTables } from "../state/tables.ts";
import { assertThere, assertWhole, JOURNAL, JOURNAL_PART, journalIn, tailOf } from "./format.ts";
import { spellHolder } from "./holder.ts";
import type { JournalPorts } from "./journal.ts";
import { Leases } from "./leases.ts";
import { livenessIn } from "./liveness.ts";
import type { PersonsWord } from "../protocol/record.ts";

/** A loss of records that a person has accepted. */
export interface Loss extends PersonsWord {
  /** When it was accepted, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** What was known of the loss. */
  readonly what: string;
}

/** Who accepts a loss, and why. */
export type Acceptance = Pick<Loss, "who" | "because">;

/**
 * Continues a journal that has lost records, or may have, because a person has checked the ledger. The journal keeps who and why. We no
 * longer know what the unfinished runs have sent, so none of them can be resumed. Returns what was known of the loss. Throws a Failure if
 * nothing is lost, or a living process holds a run.
 */
export function acceptLoss(place: StatePlace, ports: JournalPorts, { who, because }: Acceptance): string {
  const missing = typeof place === "string" ? lossAt(() => assertThere(journalIn(place, "create"))) : undefined;
  using database = typeof place === "string" ? openTables(place, JOURNAL_PART) : existingTables(place, JOURNAL_PART);
  using open = new DisposableStack();
  const tail = open.adopt(tailOf(database, ports), (each) => each.close());
  const what = missing ?? lossAt(() => assertWhole(database, tail));
  if (what === undefined) throw nothingLost(typeof place === "string" ? database.path : pathOf(place));
  const { redact, clock = database.clock } = ports;
  database.transaction(() => {
    if (database.file !== undefined) JOURNAL.bringUp(database);
    assertFree(new Leases(database, { ...ports, clock, liveness: ports.liveness ?? livenessIn(database) }));
    database.run("DELETE FROM lease WHERE kind <> 'run'");
    database.run("UPDATE lease SET holder = NULL");
    const values = [clock.now(), redact(who), redact(because), what];
    database.run("INSERT INTO loss (at, who, because, what) VALUES (?, ?, ?, ?)", ...values);
    database.run(
      `INSERT INTO ended_run (run_id, loss) SELECT id, (SELECT MAX(id) FROM loss) FROM run WHERE outcome IS DISTINCT FROM 'passed'
       ON CONFLICT DO NOTHING`,
    );
    // The person who accepts the loss has checked what the runs left, so they no longer keep another run from starting.
    database.run("UPDATE run SET settled = 1, written_until = 0 WHERE outcome IS DISTINCT FROM 'passed'");
  });
  if (database.file !== undefined) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  // The last step: until then the loss is refused, and can be accepted again.
  tail.create(database);
  return what;
}

const LOST: ReadonlySet<string> = new Set(["journal.lost", "journal.no-tail"]);

/** Returns whether an error says that a journal has lost records, or may have. */
export function isLoss(error: unknown): error is Failure {
  return error instanceof Failure && LOST.has(error.code);
}

function lossAt(look: () => void): string | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    if (isLoss(error)) return error.message;
    throw error;
  }
}

function assertFree(leases: Leases): void {
  const held = leases.list().find(({ life }) => life === "alive");
  if (held?.holder === undefined) return;
  throw new Failure({
    code: "journal.held",
    message: `the run ${held.runId} is held by ${spellHolder(held.holder)}`,
    why: "accepting the loss ends every unfinished run, and this one is under way",
    next: "wait for that process to end, or stop it; then accept the loss",
    exit: EXIT.locked,
  });
}

function nothingLost(journal: string): Failure {
  return new Failure({
    code: "loss.nothing",
    message: `no loss of ${journal} is known`,
    next: command`runs verify`,
  });
}

/** Returns the losses that people have accepted, the earliest first. */
export function lossesIn(database: SqlDatabase): readonly Loss[] {
  return database.all("SELECT * FROM loss ORDER BY id").map(lossOf);
}

function lossOf(row: SqlRow): Loss {
  const { at, who, because, what } = row;
  return { at: Number(at), who: String(who), because: String(because), what: String(what) };
}

/** Returns the failure for a run that cannot be resumed after a loss. */
export function endedByLoss(runId: string, row: SqlRow): Failure {
  const { at, who } = lossOf(row);
  return new Failure({
    code: "journal.lost-run",
    message: `the run ${runId} cannot be resumed: the journal had lost records, which ${who} accepted at ${isoTime(at)}`,
    why: "the journal may lack something that the run has sent, and a resume would send it again",
    next: "look into the ledger for what is still missing, and begin a new run that does no more than that",
  });
}
