import { parseDate } from "../../base/time/date.ts";
import { sharingSteps } from "../../base/budget.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, shownJson, textOrJson } from "../../base/json/json.ts";
import { field, numeral } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import { rested } from "../../base/time/turns.ts";
import { EvaluationFailure, type Expression, ifKnown, type Scope } from "../../expression/expression.ts";
import type { Compare, GivenSides, OutsideSource, ReadSource, Side } from "../../playbook/model.ts";
import { type Operation, operationNamed } from "../../operations/operation.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { type SideRow, type SideName, SIDES } from "../../reconcile/row.ts";
import { bindIn } from "../service/bind-call.ts";
import type { SingleRecord } from "../../services/meaning.ts";
import { listIn } from "../../services/paging/paging.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";
import { type Mapped, mappingsOf } from "./mapped-names.ts";
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

function singleOf(operation: Operation): SingleRecord | undefined {
  return operation.writes ? undefined : operation.meaning.single;
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

/** Takes the compared values from each row. */
class RowTaker {
  readonly side: Side;
  readonly name: SideName;
  /** The positions in the key of the parts that are the same for all rows of one read. */
  readonly fixed: readonly number[];
  readonly #key: readonly (readonly [string, Expression])[];
  /** For each position in the key, its position among the fixed parts; -1 where each row has its own value. */
  readonly #fixedAt: readonly number[];
  readonly #mapped: Mapped;
  readonly #hasIds: boolean;

  constructor(side: Side, { name, key, mapped }: { name: SideName; key: readonly string[]; mapped: Mapped }) {
    this.side = side;
    this.name = name;
    this.#mapped = mapped;
    const { source } = side;
    this.#hasIds = source.kind === "read" && this.readsAlone(source) && singleOf(source.read.operation) !== undefined;
    this.#key = key.flatMap((part) => {
      const expression = side.key.get(part);
      return expression === undefined ? [] : [[part, expression] as const];
    });
    this.fixed = this.#key.flatMap(([part], at) => (side.fixed.has(part) ? [at] : []));
    this.#fixedAt = this.#key.map((_, place) => this.fixed.indexOf(place));
  }

  /** Yields the rows in pieces. The expressions of one piece share one budget. `placeOf` names the place of a record, for evidence and messages. */
  *rows(list: readonly Json[], around: Scope, placeOf?: (index: number) => string): Generator<readonly SideRow[]> {
    for (let from = 0; from < list.length; from += LIMITS.rowsTogether) {
      const place = placeOf === undefined ? undefined : (index: number) => placeOf(from + index);
      yield sharingSteps("expressionSteps", () => this.#taken(list.slice(from, from + LIMITS.rowsTogether), around, place));
    }
  }

  #taken(list: readonly Json[], around: Scope, placeOf: ((index: number) => string) | undefined): readonly SideRow[] {
    const scope: Record<string, Json> = { ...around };
    const rows: SideRow[] = [];
    let fixed: readonly string[] | undefined;
    for (const [index, record] of list.entries()) {
      scope["row"] = record;
      try {
        if (this.side.where?.holds(scope) === false) continue;
        fixed ??= this.fixed.map((place) => this.#part(place, scope));
        rows.push(this.#row({ record, place: placeOf?.(index) }, scope, fixed));
      } catch (error) {
        if (placeOf === undefined || !(error instanceof EvaluationFailure)) throw error;
        throw new EvaluationFailure(`${placeOf(index)}: ${error.message}`);
      }
    }
    return rows;
  }

  /** Returns whether one record alone gives the whole row of its key. */
  readsAlone(source: ReadSource): boolean {
    return this.isByRow(source) && !this.side.sums && this.side.once === undefined;
  }

  /** Returns the id of the record that a key names. */
  idIn(key: readonly string[]): string | undefined {
    const place = this.#key.findIndex(([part, { text }]) => text.trim() === "row.id" && !this.#mapped.isMapped(part));
    return place < 0 ? undefined : key[place];
  }

  /** Returns whether each row can be taken without the others, because no expression uses the whole response. */
  isByRow({ each }: ReadSource): boolean {
    const { where, key, value, once, at } = this.side;
    const used = [where, ...key.values(), value, once, at].flatMap((expression) => expression?.references ?? []);
    return each === undefined && !used.some(({ root }) => root === "response");
  }

  /** Returns the fixed parts of a read's keys before the read is made; `undefined` where they have no value. */
  fixedParts(scope: Scope): readonly string[] | undefined {
    return ifKnown(() => this.fixed.map((at) => this.#part(at, scope)), undefined);
  }

  #row({ record, place }: Pick<SideRow, "record" | "place">, scope: JsonObject, fixed: readonly string[]): SideRow {
    const { value, once, at } = this.side;
    return {
      side: this.name,
      key: this.#fixedAt.map((among, part) => fixed[among] ?? this.#part(part, scope)),
      value: value === undefined ? null : this.#number(value, scope),
      once: once === undefined ? undefined : textOf("once", once, scope),
      at: at === undefined ? undefined : this.#time(at, scope),
      record,
      id: this.#hasIds ? idOf(record) : undefined,
      place,
    };
  }

  #part(place: number, scope: Scope): string {
    const [part, expression] = this.#key[place] as readonly [string, Expression];
    return this.#mapped.canonical(this.name, part, textOf(part, expression, scope, "key."));
  }

  #number(expression: Expression, scope: Scope): Decimal {
    const value = expression.evaluate(scope);
    const number = numeral(value);
    if (number === undefined) throw wrong("value", expression, value, "a number");
    return number;
  }

  #time(expression: Expression, scope: Scope): number | undefined {
    const value = expression.evaluate(scope);
    if (value === null) return undefined; // the row has no time
    const time = typeof value === "string" ? parseDate(value.replace(BELOW_MS, "$1")) : undefined;
    if (time === undefined) throw wrong("at", expression, value, "a time with its zone, such as 2026-01-31T12:00:00Z");
    return time.getTime();
  }
}

function textOf(name: string, expression: Expression, scope: Scope, parent: string = ""): string {
  const value = expression.evaluate(scope);
  if (typeof value === "string") return value;
  if (value instanceof Decimal) return value.canonical();
  if (typeof value === "boolean") return String(value);
  throw wrong(`${parent}${name}`, expression, value, "text or a number");
}

function idOf(record: Json): string | undefined {
  const id = field(record, "id");
  return typeof id === "string" ? id : undefined;
}

const BELOW_MS = /(\.\d{3})\d+/;
// A missing field fails the read, since it is not zero.
function wrong(name: string, { text }: Expression, value: Json, wanted: string): EvaluationFailure {
  return new EvaluationFailure(`${name}: ${text.trim()} must give ${wanted}, but gave ${shownJson(value)}`);
}

/** Returns the scope of a comparison, which distinguishes it from other comparisons with the same name. */
export function scopeName(looks: Compare, scope: Scope): string {
  return looks.scope === undefined ? "" : textOrJson(bind(looks.scope, scope));
}
