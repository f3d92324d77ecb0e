import type { Cell, SqlRow } from "../sql/database.ts";

/** A statement with its values, which `$1` and so on name; without values it may be several. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Cell[] | undefined;
}

/** The result of a statement. */
export interface StatementResult {
  readonly rows: readonly SqlRow[];
  readonly changes: number;
  /** The names of the columns, for a query. */
  readonly columns?: readonly string[];
}

/** A server, and the schema that statements mean. */
export interface Address {
  readonly url: string;
  readonly schema: string;
}

/** What the thread that talks to servers is asked to do. */
export type ThreadRequest =
  | { readonly kind: "open"; readonly connection: number; readonly address: Address; readonly readOnly: boolean }
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

/** An error of the server, or of the way to it. */
export interface ServerError {
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
  readonly request: number;
  readonly results?: readonly StatementResult[];
  readonly error?: ServerError;
}
