import { parseDate } from "../../base/time/date.ts";
import { sharingSteps } from "../../base/budget.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { type Json, type JsonObject, shownJson } from "../../base/json/json.ts";
import { field, numeral } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import { EvaluationFailure, type Expression, ifKnown, type Scope } from "../../expression/expression.ts";
import type { ReadSource, Side } from "../../playbook/model.ts";
import type { Operation } from "../../operations/operation.ts";
import type { SideRow, SideName } from "../../reconcile/row.ts";
import type { SingleRecord } from "../../services/meaning.ts";
import type { Mapped } from "./mapped-names.ts";

/** Returns how a list shows one of its records; `undefined` if no operation reads a single one. */
export function singleOf(operation: Operation): SingleRecord | undefined {
  return operation.writes ? undefined : operation.meaning.single;
}

/** Takes what one side of a comparison compares from each of its rows. */
export class RowTaker {
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

function textOf(name: string, expression: Expression, scope: Scope, parent = ""): string {
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
