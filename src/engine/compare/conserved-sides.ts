import { EvaluationFailure } from "../../expression/expression.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { Conserve } from "../../playbook/model.ts";
import { bind } from "../../playbook/expressions/template.ts";
import { type ConservedReads, type RowsIn, Uncounted } from "../../services/conserved.ts";
import { callerOf } from "../service/caller.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { type RowsOf, rowsOf } from "./list-rows.ts";
import { asksOfConserved } from "./read-asks.ts";
import type { ReadingStep, SourcePage, SourceRead } from "./row-source.ts";

/** The read of a conserved quantity. Throws an EvaluationFailure where the id has no value. */
export function conservedRead(context: ReadingContext, { step, scope }: ReadingStep, conserve: Conserve): SourceRead {
  const id = bind(conserve.id, scope);
  if (typeof id !== "string") throw new EvaluationFailure(`conserve: ${conserve.of} must be the id of one`);
  return {
    label: `${conserve.of} ${id}`,
    sides: ["left", "right"],
    fixed: [id],
    asks: () => asksOfConserved(id, conserve, scope),
    pages: () => conserve.conserved.pages(id, readsOf(context, { step, scope }, conserve)),
  };
}

function readsOf(context: ReadingContext, { step, scope }: ReadingStep, { as }: Conserve): ConservedReads<SourcePage> {
  return {
    callers: as.length,
    read: (operation, input, rows, caller = 0) => {
      const bound = { input, caller: callerOf(as[caller], scope) };
      return rowsOf(context, { step, operation: operationNamed(operation), bound, inPieces: true }, countable(rows));
    },
    later: (page, rows) => (page.kind === "rows" ? [{ ...page, rows, requests: 0 }] : []),
  };
}

function countable(rows: RowsIn): RowsOf {
  return (payload) => {
    try {
      return [rows(payload)];
    } catch (error) {
      throw error instanceof Uncounted ? new EvaluationFailure(error.message) : error;
    }
  };
}
