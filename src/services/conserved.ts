import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, shownJson } from "../base/json/json.ts";
import { TextSet } from "../base/text/text-set.ts";
import type { OperationName } from "../contract/contract.ts";

/** A quantity on which two sides of the service must agree: the sides, and how to read them. */
export interface Conserved {
  /** What must hold, in words. */
  readonly law: string;
  /** The names of the two sides, as people see them. */
  readonly sides: Readonly<Record<"left" | "right", string>>;
  /** The names of the parts of a row's key. */
  readonly key: readonly string[];
  /** The operations that it needs. The id names what the first one reads. */
  readonly reads: readonly [OperationName, ...OperationName[]];
  /** Whether callers see only their own records. Then a playbook may name a group, whose members read one after the other. */
  readonly seenByOwners: boolean;
  /** Reads both sides of the thing with this id, and returns their rows page by page. */
  readonly pages: <Page>(id: string, reads: ConservedReads<Page>) => AsyncGenerator<Page, void>;
}

/** The reads that a conserved quantity may make. */
export interface ConservedReads<Page> {
  /** How many callers are named. */
  readonly callers: number;
  /** Reads an operation page by page as one of the callers, by default the first. Counts the rows of each page. */
  read(operation: OperationName, input: JsonObject, rows: RowsIn, caller?: number): AsyncGenerator<Page, void>;
  /** Returns rows that are known only after their page was read; none if the page failed. */
  later(page: Page, rows: readonly ConservedRow[]): readonly Page[];
}

/** Returns the rows of an answer, or of a piece of a list. Throws an Uncounted if a record cannot be counted. */
export type RowsIn = (payload: Json) => readonly ConservedRow[];

/** A part of a quantity on one side. */
export interface ConservedRow {
  /** The side on which it counts. */
  readonly side: "left" | "right";
  /** The parts of its key, in the order of the quantity's `key`. Rows with the same key are added up. */
  readonly key: readonly string[];
  /** How much it adds to its side. */
  readonly value: Decimal;
  /** Always undefined, because the row has no time. */
  readonly at: undefined;
  /** The record of the row, as the service gave it. */
  readonly record: Json;
}

/** Thrown for a record that cannot be counted. */
export class Uncounted extends Error {
  override readonly name = "Uncounted";
}

/** The number 0. */
export const ZERO: Decimal = Decimal.of(0);
/** The number 1: how often something may be listed. */
export const ONE: Decimal = Decimal.of(1);

/** Makes a row of the left side. */
export function left(key: readonly string[], value: Decimal, record: Json): ConservedRow {
  return { side: "left", key, value, at: undefined, record };
}

/** Makes a row of the right side. */
export function right(key: readonly string[], value: Decimal, record: Json): ConservedRow {
  return { side: "right", key, value, at: undefined, record };
}

/** Returns rows that differ only if something exists more than once. */
export function once(key: readonly string[], times: number, record: Json): readonly ConservedRow[] {
  return times === 1 ? [] : within(key, { value: Decimal.of(times), most: ONE, record });
}

/** Returns rows that differ only if a quantity is negative. A sum would not show this, since another quantity may offset it. */
export function notBelowZero([of, what]: readonly [string, string], value: Decimal, record: Json): readonly ConservedRow[] {
  if (!value.isNegative()) return [];
  const key = [of, `${what}, at least 0`];
  return [left(key, ZERO, record), right(key, value, record)];
}

/** Returns rows that differ only if a value exceeds the maximum. A value within the limit is compared with itself. */
export function within(
  key: readonly string[],
  { value, most, record }: { value: Decimal; most: Decimal; record: Json },
): readonly ConservedRow[] {
  return [left(key, value, record), right(key, value.compare(most) > 0 ? most : value, record)];
}

/** Returns a record; an empty one for any other value. */
export function recordIn(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the record with an id. Throws an Uncounted if the answer is about another id. */
export function recordOf(id: string, answer: Json): JsonObject {
  const record = recordIn(answer);
  const given = textIn(record, "id");
  if (given === id) return record;
  throw new Uncounted(`the service was asked for ${id} and gave ${given}`);
}

/** Returns an answer as a list of records. Throws an Uncounted if it is not one. */
export function recordsIn(value: Json, name = "the answer"): readonly JsonObject[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw new Uncounted(`${name} must be a list of records, and is ${shownJson(value)}`);
}

/** Collects the ids of a list that arrives in pieces. */
export class Ids {
  readonly #what: string;
  readonly #seen = new TextSet();

  /** `what` is the word for one record, such as "account". */
  constructor(what: string) {
    this.#what = what;
  }

  /** Returns the records. Throws an Uncounted if one of them was listed before. */
  add(records: readonly JsonObject[]): readonly JsonObject[] {
    for (const record of records) {
      const id = textIn(record, "id");
      if (!this.#seen.add(id)) throw new Uncounted(`${this.#what} ${id} is listed more than once`);
    }
    return records;
  }
}

/** Returns how often each text occurs. */
export function timesOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}

/** Does the work. If it fails, the failure names the record. */
export function counted<T>(what: string, { id = null }: JsonObject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Uncounted)) throw error;
    throw new Uncounted(`${what} ${typeof id === "string" ? id : shownJson(id)}: ${error.message}`);
  }
}

/** Returns a text in a record. Throws an Uncounted if the field has none. */
export function textIn(record: JsonObject, field: string): string {
  const value = record[field];
  if (typeof value === "string") return value;
  throw new Uncounted(`${field} must be a text, and is ${shownJson(value)}`);
}

/** Returns a list of texts in a record. Throws an Uncounted if the field has none. */
export function textsIn(record: JsonObject, field: string): readonly string[] {
  const value = record[field];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new Uncounted(`${field} must be a list of texts, and is ${shownJson(value)}`);
}

/** Returns a number in a record. Throws an Uncounted if the field is missing, since a missing field is not zero. */
export function numberIn(record: JsonObject, field: string): Decimal {
  const value = record[field];
  if (value instanceof Decimal) return value;
  throw new Uncounted(`${field} must be a number, and is ${shownJson(value)}`);
}
