import type { Json } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import type { Operation } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Row } from "../../reconcile/row.ts";
import type { Bound } from "../bind.ts";
import type { Looking } from "../looking.ts";
import { pagesOf } from "../read.ts";
import type { SourcePage } from "./source.ts";

/** What a page is read for: its rows. Throws an EvaluationFailure when one cannot be told. */
export type RowsOf = (payload: Json) => readonly Row[];

/** Reads an operation page by page, and takes the rows of each. */
export async function* rowsOf(
  context: Looking,
  { operation, bound }: { readonly operation: Operation; readonly bound: Bound },
  rows: RowsOf,
): AsyncGenerator<SourcePage, void> {
  const { input, caller } = bound;
  let number = 0;
  for await (const page of pagesOf(context, { operation, input, caller, pages: LIMITS.pages })) {
    const { requests } = page;
    if (page.kind === "failed") return yield { kind: "failed", problem: page.problem, requests };
    number += 1;
    const taken = take(rows, page.payload, number);
    if ("problem" in taken) return yield { kind: "failed", problem: taken.problem, requests };
    const origin = { operation: operation.name, input, actor: caller.label, page: number, at: context.ports.clock.now() };
    yield { kind: "rows", rows: taken.rows, requests, origin };
  }
}

function take(rows: RowsOf, payload: Json, page: number): { readonly rows: readonly Row[] } | { readonly problem: StepProblem } {
  try {
    return { rows: rows(payload) };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return { problem: { code: "reconcile.row", message: `page ${page}: ${error.message}` } };
  }
}
