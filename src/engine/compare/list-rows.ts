import type { Json } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { rested } from "../../base/time/turns.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import type { Operation } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { SideRow } from "../../reconcile/row.ts";
import type { Bound } from "../service/bind-call.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { isNotThere, pagesOf, read } from "../read/read.ts";
import type { RowOrigin, SourcePage } from "./row-source.ts";

/** Takes the rows of a page, in pieces. Throws an EvaluationFailure when a row has no value. */
export type RowsOf = (payload: Json) => Iterable<readonly SideRow[]>;

/** A list to be read. */
interface ListToRead {
  readonly step: string;
  readonly operation: Operation;
  readonly bound: Bound;
  /** Whether no row depends on another row, so that rows may be taken as they arrive. */
  readonly inPieces: boolean;
}

/** Reads an operation page by page, and takes the rows of each. */
export async function* rowsOf(
  context: ReadingContext,
  { step, operation, bound, inPieces }: ListToRead,
  rows: RowsOf,
): AsyncGenerator<SourcePage, void> {
  const { input, caller } = bound;
  let number = 0;
  for await (const page of pagesOf(context, { step, operation, input, caller, pages: LIMITS.pages, isPart: true, inPieces })) {
    let { requests } = page;
    if (page.kind === "failed") return yield { kind: "failed", problem: page.problem, requests };
    number = operation.call.paging === undefined ? 1 : number + 1;
    const origin = { ...originOf(operation, bound), page: number, at: context.ports.clock.now() };
    for (const taken of piecesOf(rows, page.payload, number)) {
      if ("problem" in taken) return yield { kind: "failed", problem: taken.problem, requests };
      yield { kind: "rows", rows: taken.rows, requests, origin };
      requests = 0;
      await rested();
    }
  }
}

/** Reads one record and takes its row; gives no row if the service says that the record does not exist. */
export async function* recordOf(
  context: ReadingContext,
  { step, operation, bound }: Omit<ListToRead, "inPieces">,
  rows: RowsOf,
): AsyncGenerator<SourcePage, void> {
  const result = await read(context, { step, operation, ...bound, pages: 1 });
  const { requests } = result;
  const origin = { ...originOf(operation, bound), page: 1, at: context.ports.clock.now() };
  if (result.kind === "read") {
    for (const taken of piecesOf(rows, result.payload, 1))
      yield "problem" in taken
        ? { kind: "failed", problem: taken.problem, requests }
        : { kind: "rows", rows: taken.rows, requests, origin };
  } else if (isNotThere(result.reply)) yield { kind: "rows", rows: [], requests, origin };
  else yield { kind: "failed", problem: result.problem, requests };
}

function originOf({ name, service }: Operation, { input, caller }: Bound): Omit<RowOrigin, "page" | "at"> {
  return { operation: name, input, actor: caller.label, as: caller.identities[service.name] ?? null };
}

type Piece = { readonly rows: readonly SideRow[] } | { readonly problem: StepProblem };

// A page without rows is yielded too, because its requests must be counted.
function* piecesOf(rows: RowsOf, payload: Json, page: number): Generator<Piece> {
  let isEmpty = true;
  try {
    for (const piece of rows(payload)) {
      yield { rows: piece };
      isEmpty = false;
    }
    if (isEmpty) yield { rows: [] };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    yield { problem: { code: "reconcile.row", message: `page ${page}: ${error.message}` } };
  }
}
