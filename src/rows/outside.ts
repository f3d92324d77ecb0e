import type { Json } from "../base/json/json.ts";
import type { Secret } from "../base/secret.ts";
import type { Expression } from "../expression/expression.ts";
import type { Exchanged, Outgoing } from "../transport/exchange.ts";

interface QueryPlace {
  readonly query: string;
  readonly timeoutMs: number;
}

/** Where rows are that the service does not have. An address is the name of a secret. */
export type OutsidePlace =
  | { readonly kind: "csv"; readonly path: string }
  | { readonly kind: "ndjson"; readonly path: string }
  | ({ readonly kind: "sqlite"; readonly path: string } & QueryPlace)
  | ({ readonly kind: "postgres"; readonly address: string } & QueryPlace)
  | {
      readonly kind: "http";
      readonly address: string;
      /** By the name of the header, the name of a secret. */
      readonly headers: ReadonlyMap<string, string>;
      /** The rows of an answer, over `response`; the answer itself when left out. */
      readonly each: Expression | undefined;
      /** Where the next page is, over `response` and `page`. */
      readonly next: Expression | undefined;
      readonly timeoutMs: number;
    };

/** The name of a kind of place. */
export type OutsideKind = OutsidePlace["kind"];

/** One row as it was found, or why it is none. */
export type OutsideRow = { readonly at: string } & ({ readonly record: Json } | { readonly fault: string });

/** The rows in batches. A Failure ends them. */
export type OutsideRows = AsyncGenerator<readonly OutsideRow[], void>;

/** What reading takes from the run. */
export interface OutsideMeans {
  /** The columns that a table must have. */
  readonly columns: readonly string[];
  /** The folder in which the path of a file begins. */
  readonly cwd: string;
  /** Returns a secret that the playbook declares. */
  readonly secret: (name: string) => Secret;
  /** Makes one HTTP exchange. It never throws for what the network or the service does. */
  readonly exchange: (outgoing: Outgoing) => Promise<Exchanged>;
  /** Pauses for so many milliseconds. Ends early when the run must stop. */
  readonly pause: (ms: number) => Promise<void>;
  /** Aborted when the run must stop. */
  readonly signal: AbortSignal;
}

/** Reads one kind of place. */
export type ReaderOf<Kind extends OutsideKind> = (
  place: Extract<OutsidePlace, { readonly kind: Kind }>,
  means: OutsideMeans,
) => OutsideRows;
