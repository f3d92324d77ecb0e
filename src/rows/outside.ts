import type { Json } from "../base/json/json.ts";
import type { Secret } from "../base/secret.ts";
import type { Expression } from "../expression/expression.ts";
import type { MakeExchange } from "../transport/exchange.ts";

interface QueryPlace {
  readonly query: string;
  readonly timeoutMs: number;
}

/** A place with rows outside the service. An address is given as the name of a secret. */
export type OutsidePlace =
  | { readonly kind: "csv"; readonly path: string }
  | { readonly kind: "ndjson"; readonly path: string }
  | ({ readonly kind: "sqlite"; readonly path: string } & QueryPlace)
  | ({ readonly kind: "postgres"; readonly address: string } & QueryPlace)
  | {
      readonly kind: "http";
      readonly address: string;
      /** The names of secrets, by the names of the headers that hold them. */
      readonly headers: ReadonlyMap<string, string>;
      /** Gives the rows of an answer from `response`; if left out, the answer itself is the list. */
      readonly each: Expression | undefined;
      /** Gives the address of the next page from `response` and `page`. */
      readonly next: Expression | undefined;
      readonly timeoutMs: number;
    };

/** The name of a kind of place. */
export type OutsideKind = OutsidePlace["kind"];

/** One row, or why it is not valid. */
export type OutsideRow = { readonly at: string } & ({ readonly record: Json } | { readonly fault: string });

/** The rows in batches. A Failure ends them. */
export type OutsideRows = AsyncGenerator<readonly OutsideRow[], void>;

/** What the run provides for reading. */
export interface OutsideMeans {
  /** The columns that a table must have. */
  readonly columns: readonly string[];
  /** The folder against which the path of a file is resolved. */
  readonly cwd: string;
  /** Returns a secret that the playbook declares. */
  readonly secret: (name: string) => Secret;
  /** Makes one HTTP exchange. Never throws because of the network or the service. */
  readonly exchange: MakeExchange;
  /** Pauses for a number of milliseconds. Ends early when the run must stop. */
  readonly pause: (ms: number) => Promise<void>;
  /** Aborted when the run must stop. */
  readonly signal: AbortSignal;
}

/** Reads one kind of place. */
export type ReaderOf<Kind extends OutsideKind> = (
  place: Extract<OutsidePlace, { readonly kind: Kind }>,
  means: OutsideMeans,
) => OutsideRows;
