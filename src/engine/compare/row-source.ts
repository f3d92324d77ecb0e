import type { Json } from "../../base/json/json.ts";
import type { Scope } from "../../expression/expression.ts";
import type { SideRow, SideName } from "../../reconcile/row.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Foreach } from "../../playbook/model.ts";
import { roundsOf } from "../steps/expand-foreach.ts";

/** Where rows come from: reads that can be made again. */
export interface RowSource {
  /** The parts of a row's key that its read determines, by their places in the key. */
  readonly fixed: readonly number[];
  /** In the order in which they begin. */
  readonly reads: readonly SourceRead[];
  /** How many may be under way at a time. */
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
  /** Which one, for people. */
  readonly label: string;
  /** The sides that its rows are of. */
  readonly sides: readonly SideName[];
  /** The fixed parts of its rows' keys, in their order; `undefined` when they have no value. */
  readonly fixed: readonly string[] | undefined;
  /** Returns what it asks for, where and by whom, one text for each caller: the same texts whenever the same is read. */
  readonly asks: () => readonly string[];
  /** Reads the pages, from the first request on. A failure ends them. */
  readonly pages: () => AsyncIterable<SourcePage>;
  /** Reads one record instead of all, where the service can be asked for it. */
  readonly alone?: RecordRead | undefined;
}

/** The read of one record of a source. */
export interface RecordRead {
  /** The id of the record that a key names, whether or not there is one; `undefined` where keys name none. */
  readonly idIn: (key: readonly string[]) => string | undefined;
  /** Reads the record: one page, without a row if the service says that there is none. */
  readonly page: (id: string) => AsyncIterable<SourcePage>;
}

/** Returns one read, or one for each round of a `foreach`, each with the names that it sees; or why there are no rounds. Throws an EvaluationFailure. */
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

/** What one page gave. */
export type SourcePage =
  | {
      readonly kind: "rows";
      readonly rows: readonly SideRow[];
      readonly requests: number;
      readonly origin: RowOrigin;
    }
  | { readonly kind: "failed"; readonly problem: StepProblem; readonly requests: number };

/** Where rows were read, so that a difference can be explained. */
export interface RowOrigin {
  /** An operation, the expression that gave the rows, or the name of their place. */
  readonly operation: string;
  /** The input of the operation, or the query of a database; null without one. */
  readonly input: Json;
  /** The name that reports show; null of interface B without an acting entity. */
  readonly actor: string | null;
  /** The entity or the credential; null for the key's own, and of rows that no operation gave. */
  readonly as: string | null;
  /** From 1 on. */
  readonly page: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}
