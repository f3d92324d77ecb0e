import { isObject, type Json, type JsonObject, shownJson, textOrJson } from "../../base/json/json.ts";
import { rested } from "../../base/time/turns.ts";
import { EvaluationFailure, type Expression, type Scope } from "../../expression/expression.ts";
import type { Compare, GivenSides, OutsideSource, ReadSource } from "../../playbook/model.ts";
import { type Operation, operationNamed } from "../../operations/operation.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { SIDES } from "../../reconcile/row.ts";
import { bindIn } from "../service/bind-call.ts";
import { listIn } from "../../services/paging/paging.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";
import { mappingsOf } from "./mapped-names.ts";
import { recordOf, rowsOf } from "./list-rows.ts";
import { nameOfPlace, type OutsideReading, outsidePages } from "./outside-read.ts";
import { asksOfList, asksOfOutside, asksOfService, stepsNamedIn } from "./read-asks.ts";
import {
  type ReadingStep,
  readsInRounds,
  type RecordRead,
  type RowSource,
  type SourcePage,
  type SourceRead,
} from "./row-source.ts";
import { singleOf, RowTaker } from "./row-taker.ts";

/** Returns the two sides of a comparison, or why they cannot be read. Throws an EvaluationFailure. */
export function givenSources(
  context: SidesContext,
  place: Place,
  looks: Compare & { readonly sides: GivenSides },
): readonly RowSource[] | StepProblem {
  const scope = context.scopeAt(place);
  const mapped = mappingsOf(looks.mappings, scope);
  if ("code" in mapped) return mapped;
  const sources: RowSource[] = [];
  for (const name of SIDES) {
    const taker = new RowTaker(looks.sides[name], { name, key: looks.key, mapped });
    const source = sourceOf(context, place, taker);
    if ("code" in source) return source;
    sources.push(source);
  }
  return sources;
}

/** A run that can read the rows of every side. */
type SidesContext = ReadingContext & OutsideReading;

function sourceOf(context: SidesContext, place: Place, taker: RowTaker): RowSource | StepProblem {
  const { source } = taker.side;
  if (source.kind === "list") return { fixed: [], parallel: 1, reads: [listRead(context, place, source.rows, taker)] };
  if (source.kind === "outside") return { fixed: [], parallel: 1, reads: [outsideRead(context, place, source, taker)] };
  const found = readsInRounds(context.scopeAt(place), source.foreach, (scope, key) => {
    const read = serviceRead(context, source, { step: place.address, scope }, taker);
    return key === undefined ? read : { ...read, label: `${read.label} of ${key}` };
  });
  return "code" in found ? found : { fixed: taker.fixed, ...found };
}

function listRead(context: ReadingContext, place: Place, rows: Expression, taker: RowTaker): SourceRead {
  return {
    label: taker.side.name,
    sides: [taker.name],
    fixed: [],
    asks: () => asksOfList(context, place, rows),
    async *pages(): AsyncGenerator<SourcePage> {
      const scope = context.scopeAt(place);
      const list = rows.evaluate(scope);
      if (!Array.isArray(list)) throw new EvaluationFailure(`rows: ${rows.text.trim()} is not a list`);
      const origin = {
        operation: rows.text.trim(),
        input: null,
        actor: null,
        as: null,
        page: 1,
        at: heldSince(context, place, rows),
      };
      for (const piece of taker.rows(list as readonly Json[], scope)) {
        yield { kind: "rows", rows: piece, requests: 0, origin };
        await rested();
      }
    },
  };
}

function outsideRead(context: SidesContext, place: Place, source: OutsideSource, taker: RowTaker): SourceRead {
  return {
    label: nameOfPlace(source.place),
    sides: [taker.name],
    fixed: [],
    asks: () => asksOfOutside(context, source),
    pages: () =>
      outsidePages(context, source, (found) =>
        taker.rows(
          found.map(({ record }) => record),
          context.scopeAt(place),
          (index) => found[index]?.at ?? "",
        ),
      ),
  };
}

// Rows from steps are as old as their read. Rows from inputs are as old as the run, even when another process compares them.
function heldSince({ state, ports }: ReadingContext, { frame }: Place, expression: Expression): number {
  const { references } = expression;
  const since = references.some(({ root }) => root === "inputs") ? state.openedAt : ports.clock.now();
  const steps = stepsNamedIn(expression, state, frame);
  return steps.reduce((earliest, { completed }) => Math.min(earliest, completed?.startedAt ?? earliest), since);
}

function serviceRead(context: ReadingContext, source: ReadSource, { step, scope }: ReadingStep, taker: RowTaker): SourceRead {
  const { read } = source;
  return {
    label: read.operation.name,
    sides: [taker.name],
    fixed: taker.fixedParts(scope),
    asks: () => asksOfService(context, scope, read),
    async *pages(): AsyncGenerator<SourcePage> {
      const bound = bindIn(context, scope, read);
      if ("problem" in bound) return yield { kind: "failed", problem: bound.problem, requests: 0 };
      yield* rowsOf(context, { step, operation: read.operation, bound, inPieces: taker.isByRow(source) }, (response) => {
        const on = { ...scope, response };
        assertAboutInput(read.operation, bound.input, recordsOf(read.operation, response));
        return taker.rows(listOn(source, response, on), on);
      });
    },
    alone: taker.readsAlone(source) ? recordRead(context, source, { step, scope }, taker) : undefined,
  };
}

function recordRead(
  context: ReadingContext,
  { read }: ReadSource,
  { step, scope }: ReadingStep,
  taker: RowTaker,
): RecordRead | undefined {
  const single = singleOf(read.operation);
  if (single === undefined) return undefined;
  return {
    idIn: (key) => taker.idIn(key),
    async *page(id): AsyncGenerator<SourcePage> {
      const bound = bindIn(context, scope, read);
      if ("problem" in bound) return yield { kind: "failed", problem: bound.problem, requests: 0 };
      const shared = Object.fromEntries(
        single.shares.flatMap((name) => Object.entries(bound.input).filter(([own]) => own === name)),
      );
      const [operation, input] = [operationNamed(single.read), { ...shared, id }];
      yield* recordOf(context, { step, operation, bound: { input, caller: bound.caller } }, (record) => {
        assertAboutInput(read.operation, bound.input, [record]);
        return taker.rows([record], { ...scope, response: record });
      });
    },
  };
}

function listOn({ each, read }: ReadSource, response: Json, scope: Scope): readonly Json[] {
  if (each !== undefined) {
    const list = each.evaluate(scope);
    if (Array.isArray(list)) return list as readonly Json[];
    throw new EvaluationFailure(`each: ${each.text.trim()} is not a list`);
  }
  return recordsOf(read.operation, response);
}

function recordsOf({ call: { paging } }: Operation, response: Json): readonly Json[] {
  if (paging !== undefined) return listIn(response, paging.items);
  return Array.isArray(response) ? (response as readonly Json[]) : [response];
}

// A record must belong to the id that was requested, even where neither the key nor the value of its row shows it.
function assertAboutInput(operation: Operation, input: JsonObject, records: readonly Json[]): void {
  const about = operation.writes ? undefined : operation.meaning.about;
  const wanted = about === undefined ? undefined : input[about.input];
  if (about === undefined || typeof wanted !== "string") return;
  for (const record of records) {
    const ids = isObject(record) ? about.ids(record) : [];
    if (ids.length === 0 || ids.includes(wanted)) continue;
    const given = ids.map((id) => shownJson(id)).join(", ");
    throw new EvaluationFailure(
      `the service was asked for ${about.input} ${JSON.stringify(wanted)} and gave a record of ${given}: ${shownJson(record)}`,
    );
  }
}

/** Returns the scope of a comparison, which distinguishes it from other comparisons with the same name. */
export function scopeName(looks: Compare, scope: Scope): string {
  return looks.scope === undefined ? "" : textOrJson(bind(looks.scope, scope));
}
