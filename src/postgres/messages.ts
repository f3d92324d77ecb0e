import type { Cell, SqlRow } from "../sql/database.ts";

/** A statement with its values for `$1` and so on. Without values, the text may contain several statements. */
export interface Statement {
  /** The SQL. */
  readonly text: string;
  /** Its values in the order of their numbers; undefined if the text may contain several statements. */
  readonly values: readonly Cell[] | undefined;
}

/** The result of a statement. */
export interface StatementResult {
  /** The rows that a query found; empty for other statements. */
  readonly rows: readonly SqlRow[];
  /** How many rows were inserted, updated or deleted, or found by a query. */
  readonly changes: number;
  /** The names of the columns, for a query. */
  readonly columns?: readonly string[];
}

/** A server, and the schema that statements use. */
export interface Address {
  /** The address of the server, with its password. */
  readonly url: string;
  /** The name of the schema. */
  readonly schema: string;
}

/** What the thread that talks to servers is asked to do. */
export type ThreadRequest =
  | {
      readonly kind: "open";
      readonly connection: number;
      readonly address: Address;
      readonly readOnly: boolean;
      /** By this value of its own, a transaction knows the session again. */
      readonly mark: string;
    }
  | { readonly kind: "send"; readonly connection: number; readonly statements: readonly Statement[] }
  | { readonly kind: "close"; readonly connection: number }
  /** Opens a connection for one read-only query. */
  | {
      readonly kind: "query";
      readonly connection: number;
      readonly url: string;
      readonly query: string;
      readonly timeoutMs: number;
    }
  /** Returns the next rows of the query; none after the last one. */
  | { readonly kind: "fetch"; readonly connection: number; readonly rows: number }
  /** Shows other processes again and again that this one is alive, until `still`. */
  | { readonly kind: "beat"; readonly name: string; readonly address: Address; readonly everyMs: number }
  | { readonly kind: "still"; readonly name: string };

/** The error code for a pooler that gives each transaction another session. */
export const SHARED_SESSION = "shared session";

/** The code of an error: a commit is only on this server, because something ended its wait for the synchronous standby. */
export const NOT_REPLICATED = "not replicated";

/** The error code for a database whose encoding lacks some characters. */
export const WRONG_ENCODING = "wrong encoding";

/** The error code for a row that is missing after its INSERT. */
export const NOT_ADDED = "not added";

/** The error code for an answer that holds more than `LIMITS.queryBytes`. */
export const TOO_LARGE = "too large";

/** The error code for an answer that no PostgreSQL server gives. */
export const BROKEN_PROTOCOL = "broken protocol";

/** An error of the server, or of the connection to it. */
export interface ServerError {
  /** The message of the server or the network. */
  readonly message: string;
  /** The SQLSTATE, or the code of the network error. */
  readonly code: string | undefined;
  /** Whether the connection can no longer be used. */
  readonly isBroken: boolean;
  /** Whether the connection had ended before anything was sent on it. */
  readonly isUnsent: boolean;
}

/** The answer to a request. */
export interface ThreadReply {
  readonly request: number;
  /** The results of the statements in order; left out if the request failed. */
  readonly results?: readonly StatementResult[];
  /** Why the request failed; left out if it succeeded. */
  readonly error?: ServerError;
}
