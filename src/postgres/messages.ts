import type { Cell, SqlRow } from "../sql/database.ts";

/** A statement with its values, which `$1` and so on name; without values it may be several. */
export interface Statement {
  /** The SQL. */
  readonly text: string;
  /** Its values, in the order of their numbers; undefined for a text that may be several statements. */
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

/** A server, and the schema that statements mean. */
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
  /** Opens a connection for one query that can only read. */
  | {
      readonly kind: "query";
      readonly connection: number;
      readonly url: string;
      readonly query: string;
      readonly timeoutMs: number;
    }
  /** The next rows of the query; after the last one, none. */
  | { readonly kind: "fetch"; readonly connection: number; readonly rows: number }
  /** Shows other processes that this one is alive, again and again, until `still`. */
  | { readonly kind: "beat"; readonly name: string; readonly address: Address; readonly everyMs: number }
  | { readonly kind: "still"; readonly name: string };

/** The code of an error: a pooler gives each transaction another session. */
export const SHARED_SESSION = "shared session";

/** The code of an error: a commit is only on this server, because something ended its wait for the synchronous standby. */
export const NOT_REPLICATED = "not replicated";

/** The code of an error: the database has an encoding without all characters. */
export const WRONG_ENCODING = "wrong encoding";

/** The code of an error: a row that must be there after its INSERT is not. */
export const NOT_ADDED = "not added";

/** An error of the server, or of the way to it. */
export interface ServerError {
  /** What the server or the network says of the error. */
  readonly message: string;
  /** The SQLSTATE, or the code of the network error. */
  readonly code: string | undefined;
  /** The connection cannot be used any more. */
  readonly isBroken: boolean;
  /** The connection had ended before anything was sent on it. */
  readonly isUnsent: boolean;
}

/** The answer to the request of this number. */
export interface ThreadReply {
  /** The number of the request that is answered. */
  readonly request: number;
  /** The results of the statements, in their order; left out when the request failed. */
  readonly results?: readonly StatementResult[];
  /** Why the request failed; left out when it did not. */
  readonly error?: ServerError;
}
