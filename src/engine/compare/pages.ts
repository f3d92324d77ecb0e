import { Decimal } from "../../base/decimal.ts";
import type { Json } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import type { Operation } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Row } from "../../reconcile/row.ts";
import type { Bound } from "../bind.ts";
import type { Looking } from "../looking.ts";
import { claimOf, listIn, type Page, pagesOf } from "../read.ts";
import type { SourcePage } from "./source.ts";

/** What a page is read for: its rows. Throws an EvaluationFailure when one cannot be told. */
export type RowsOf = (payload: Json) => readonly Row[];

/** Reads an operation page by page, and takes the rows of each. What the service says of how many there are must add up. */
export async function* rowsOf(
  context: Looking,
  { operation, bound }: { readonly operation: Operation; readonly bound: Bound },
  rows: RowsOf,
): AsyncGenerator<SourcePage, void> {
  const { input, caller } = bound;
  const { paging } = operation.call;
  let number = 0;
  let records = 0;
  let last: Page | undefined;
  for await (const page of pagesOf(context, { operation, input, caller, pages: LIMITS.pages })) {
    const { requests } = page;
    if (page.kind === "failed") return yield { kind: "failed", problem: page.problem, requests };
    number += 1;
    last = page;
    const onPage = paging === undefined ? 0 : listIn(page.payload, paging.items).length;
    records += onPage;
    const short = paging?.style === "bookmark" ? missing(claimOf(page).onPage, onPage, `page ${number}`) : undefined;
    if (short !== undefined) return yield { kind: "failed", problem: short, requests };
    const taken = take(rows, page.payload, number);
    if ("problem" in taken) return yield { kind: "failed", problem: taken.problem, requests };
    const origin = { operation: operation.name, input, actor: caller.label, page: number, at: context.ports.clock.now() };
    yield { kind: "rows", rows: taken.rows, requests, origin };
  }
  const short = last === undefined || paging?.style !== "page" ? undefined : missing(claimOf(last).inAll, records, "the list");
  if (short !== undefined) yield { kind: "failed", problem: short, requests: 0 };
}

function take(rows: RowsOf, payload: Json, page: number): { readonly rows: readonly Row[] } | { readonly problem: StepProblem } {
  try {
    return { rows: rows(payload) };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return { problem: { code: "reconcile.row", message: `page ${page}: ${error.message}` } };
  }
}

function missing(claimed: Decimal | undefined, given: number, where: string): StepProblem | undefined {
  if (claimed === undefined || claimed.equals(Decimal.of(given))) return undefined;
  return {
    code: "paging.count",
    message: `the service says that ${where} has ${claimed.text} of them, and gave ${count(given, "record")}`,
    why: "what was read of the list may lack something, or hold it twice",
  };
}
