import type { Json } from "../../base/json/json.ts";
import type { Scope } from "../../expression/expression.ts";
import type { SideRow, SideName } from "../../reconcile/row.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Foreach } from "../../playbook/model.ts";
import { roundsOf } from "../steps/expand-foreach.ts";

/** A source of rows: reads that can be repeated. */
export interface RowSource {
  /** The parts of a row's key that its read determines, by their positions in the key. */
  readonly fixed: readonly number[];
  /** The reads in the order in which they begin. */
  readonly reads: readonly SourceRead[];
  /** How many reads may be in progress at a time. */
  readonly parallel: number;
}

/** The step that reads, and the values of its names. */
export interface ReadingStep {
  /** The step's address. */
  readonly step: string;
  /** The values of the names in its expressions. */
  readonly scope: Scope;
}

/** One read of a source, to its last page. */
export interface SourceRead {
  /** The name of the read, for people. */
  readonly label: string;
  /** The sides to which its rows belong. */
  readonly sides: readonly SideName[];
  /** The fixed parts of its rows' keys, in their order; `undefined` when they have no value. */
  readonly fixed: readonly string[] | undefined;
  /** Returns what it requests, from where and as whom, one text for each caller. The same read always gives the same texts. */
  readonly asks: () => readonly string[];
  /** Reads the pages. A failure is the last of them. */
  readonly pages: () => AsyncIterable<SourcePage>;
  /** Reads one record instead of all, where the service offers this. */
  readonly alone?: RecordRead | undefined;
}

/** The read of one record of a source. */
export interface RecordRead {
  /** Returns the id of the record that a key names, whether or not the record exists; `undefined` if keys name none. */
  readonly idIn: (key: readonly string[]) => string | undefined;
  /** Reads the record as one page, without a row if the service says that the record does not exist. */
  readonly page: (id: string) => AsyncIterable<SourcePage>;
}

/**
 * Returns one read, or one for each round of a `foreach`, each with the names in its scope; or the problem of the `foreach`. Throws an
 * EvaluationFailure.
 */
export function readsInRounds(
  scope: Scope,
  foreach: Foreach | undefined,
  read: (scope: Scope, key?: string) => SourceRead,
): Pick<RowSource, "reads" | "parallel"> | StepProblem {
  if (foreach === undefined) return { reads: [read(scope)], parallel: 1 };
  const rounds = roundsOf(scope, foreach);
  if ("code" in rounds) return rounds;
  const { variable, parallel } = foreach;
  return { reads: rounds.map(({ key, item }) => read({ ...scope, [variable]: item }, key)), parallel };
}

/** The result of reading one page. */
export type SourcePage =
  | {
      readonly kind: "rows";
      readonly rows: readonly SideRow[];
      readonly requests: number;
      readonly origin: RowOrigin;
    }
  | { readonly kind: "failed"; readonly problem: StepProblem; readonly requests: number };

/** Where rows were read, so that a report can explain a difference. */
export interface RowOrigin {
  /** An operation, the expression that gave the rows, or the name of a place outside the service. */
  readonly operation: string;
  /** The input of the operation, or the query of a database; null without one. */
  readonly input: Json;
  /** The name that reports show; null on interface B without an acting entity. */
  readonly actor: string | null;
  /** The entity or the credential; null for the key's own entity, and for rows that no operation gave. */
  readonly as: string | null;
  /** The page number, from 1 on. */
  readonly page: number;
  /** When the page was read, in milliseconds since the Unix epoch. */
  readonly at: number;
}
