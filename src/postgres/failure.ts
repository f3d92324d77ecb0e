import { DatabaseFailure, PassingFailure, type FailureText } from "../sql/failure.ts";
import { NOT_ADDED, NOT_REPLICATED, type ServerError, SHARED_SESSION, WRONG_ENCODING } from "./messages.ts";

/** What a server reports if a transaction does not find what it requires. tokenbook uses no other division. */
export const DIVISION_BY_ZERO = "22012";

/** What a standby reports for a write: the primary is elsewhere, or this server will become the primary. */
export const READ_ONLY = "25006";

const DAMAGED: FailureText = { code: "database.damaged", what: "is damaged", next: "restore the schema from a backup" };
/** The server does not answer, or has ended the connection. */
export const AWAY: FailureText = {
  passes: true,
  code: "database.unreachable",
  what: "cannot be reached",
  next: "make sure that the server runs, and that this machine reaches it",
};

const POOLED: FailureText = {
  code: "database.pooler",
  what: "is behind a pooler that gives each transaction another session, as PgBouncer does in transaction mode",
  next: "give the address of the server itself, or let the pooler keep sessions: pool_mode = session",
};

const REFUSED: FailureText = {
  code: "database.refused",
  what: "refused a statement of tokenbook",
  next: "find in the log of the server what refused it, such as a trigger, a constraint or an extension, and remove it; if there is nothing of the kind, report this message",
};

// Looked up by SQLSTATE, or by its first characters if all such codes mean the same.
const BY_STATE: Readonly<Record<string, FailureText>> = {
  "08": AWAY,
  // The server ended the session, or accepts none: it is stopping, starting or recovering, or a session took too long.
  "57P": AWAY,
  "25P03": AWAY,
  "25P04": AWAY,
  "28": { code: "database.denied", what: "does not let this user in", next: "check the user and the password in the address" },
  "3D": {
    code: "database.missing",
    what: "is in a database that does not exist",
    next: "correct the address; create the database only where there was none, because an empty one knows no run",
  },
  "42501": {
    code: "database.denied",
    what: "denies this user a right",
    next: "let the user own the schema (CREATE SCHEMA tokenbook AUTHORIZATION the_user) and its tables, without row security on them",
  },
  [READ_ONLY]: {
    passes: true,
    code: "database.read-only",
    what: "cannot be written: the server is a standby, or read-only",
    next: "give the address of the primary server",
  },
  "53": { passes: true, code: "database.full", what: "has no room, memory or connection left", next: "free some on the server" },
  "40": { passes: true, code: "database.busy", what: "was changed by another process at the same moment", next: "try again" },
  "55P03": {
    passes: true,
    code: "database.busy",
    what: "is being written by another process, and has been for too long",
    next: "try again",
  },
  "57014": { passes: true, code: "database.busy", what: "took too long to answer", next: "try again" },
  [DIVISION_BY_ZERO]: {
    code: "database.changed",
    what: "has been brought to another format while it was in use, or was moved to another place, or is behind a pooler that has begun to share sessions",
    next: "try again: the answer names the reason",
  },
  [SHARED_SESSION]: POOLED,
  // A statement that a session has been given is known to another one, or not to this one.
  "26000": POOLED,
  "42P05": POOLED,
  [NOT_REPLICATED]: {
    passes: true,
    code: "database.no-standby",
    what: "has no synchronous standby that keeps what is written",
    next: "make sure that the standby runs, or remove it from synchronous_standby_names",
  },
  [WRONG_ENCODING]: {
    code: "database.encoding",
    what: "is in a database that cannot hold every character",
    next: "create a database that can: CREATE DATABASE tokenbook TEMPLATE template0 ENCODING 'UTF8'",
  },
  [NOT_ADDED]: {
    code: "database.changed",
    what: "is not as tokenbook made it, and forgets what is written to it",
    next: "remove the trigger or the rule that somebody has added, and restore the schema from a backup",
  },
  "42P01": {
    code: "database.removed",
    what: "has lost a table, or was renamed, or this user may not use it any more",
    next: "find out which, and undo it; where the table is gone, restore the schema from a backup",
  },
  "58": { code: "database.unusable", what: "cannot be read and written", next: "make sure that the disk of the server works" },
  XX001: DAMAGED,
  XX002: DAMAGED,
};

const SQLSTATE = /^[\dFHPX][\dA-Z]{4}$/;
/** The beginning of `pg`'s errors about a password, which have no code. */
const OF_PASSWORD = "SASL: ";

// It does not suggest repeating the command, which would repeat the writes of a run.
const ONLY_ANSWER_LOST = "the change may be recorded all the same, because only the answer was lost";

/** Returns an error of a server as a failure, never with the address. `mayBeKept`: the server may have recorded the change. */
export function failureOf(path: string, { message, code, isBroken }: ServerError, mayBeKept = false): Error {
  const state = code ?? (message.startsWith(OF_PASSWORD) ? "28" : "");
  const known = BY_STATE[state] ?? BY_STATE[state.slice(0, 3)] ?? BY_STATE[state.slice(0, 2)];
  const text = known ?? (isBroken ? AWAY : SQLSTATE.test(state) ? REFUSED : undefined);
  if (text === undefined) return new Error(`${path}: ${message} (${code ?? "no code"})`);
  const { passes, code: name, what, next } = text;
  const why = text === REFUSED ? `${message} (${state})` : message;
  const details = { code: name, message: `${path} ${what}: ${why}`, next, ...(mayBeKept ? { why: ONLY_ANSWER_LOST } : {}) };
  return passes === true ? new PassingFailure(details) : new DatabaseFailure(details);
}
