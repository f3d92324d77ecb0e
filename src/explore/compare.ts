import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../base/json/json.ts";

/** The first place where two answers differ. */
export interface AnswerDifference {
  /** The field names and list indexes (from 0) that lead there; empty if the whole answers differ. */
  readonly path: readonly (string | number)[];
  /** The value of the reference; `undefined` if it has none there. */
  readonly expected: Json | undefined;
  /** The value of the service; `undefined` if it has none there. */
  readonly seen: Json | undefined;
}

// Fields in which each service may choose its own words, counts and marks. A comment also contains the mark of its run.
const FREE: ReadonlySet<string> = new Set(["message", "bookmark", "timestampUnix", "tokenbook", "comment"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
// The forms of ids that the reference generates.
const MADE_UP = /^(?:account~)?[0-9a-f]{24,64}$/;

/** Which generated ids of the service correspond to which of the reference. */
export class MadeUpIds {
  #seenFor = new Map<string, string>();
  #expectedFor = new Map<string, string>();

  /** Returns whether two ids may mean the same thing. From now on they do. */
  agree(expected: string, seen: string): boolean {
    const [known, owner] = [this.#seenFor.get(expected), this.#expectedFor.get(seen)];
    if (known !== undefined || owner !== undefined) return known === seen && owner === expected;
    this.#seenFor.set(expected, seen);
    this.#expectedFor.set(seen, expected);
    return true;
  }

  /** Returns a copy, to which pairs can be added separately. */
  copy(): MadeUpIds {
    const copy = new MadeUpIds();
    copy.#seenFor = new Map(this.#seenFor);
    copy.#expectedFor = new Map(this.#expectedFor);
    return copy;
  }

  /** Replaces its pairs with those of another one. */
  become(other: MadeUpIds): void {
    this.#seenFor = other.#seenFor;
    this.#expectedFor = other.#expectedFor;
  }
}

/**
 * Compares an answer with that of the reference: numbers by all digits, lists in any order, times only by their form. A service may show more fields than the
 * reference.
 */
export function compareAnswers(expected: Json, seen: Json | undefined, ids: MadeUpIds): AnswerDifference | undefined {
  if (expected === null) return seen === null || seen === undefined ? undefined : differing(expected, seen);
  if (seen === undefined) return differing(expected, seen);
  if (expected instanceof Decimal)
    return seen instanceof Decimal && seen.equals(expected) ? undefined : differing(expected, seen);
  if (typeof expected === "string") return sameText(expected, seen, ids) ? undefined : differing(expected, seen);
  if (Array.isArray(expected)) return compareLists(expected as readonly Json[], seen, ids);
  if (isObject(expected)) return compareObjects(expected, seen, ids);
  return expected === seen ? undefined : differing(expected, seen);
}

function differing(expected: Json, seen: Json | undefined): AnswerDifference {
  return { path: [], expected, seen };
}

function sameText(expected: string, seen: Json, ids: MadeUpIds): boolean {
  if (typeof seen !== "string") return false;
  if (TIME.test(expected)) return TIME.test(seen);
  return MADE_UP.test(expected) ? ids.agree(expected, seen) : seen === expected;
}

function compareObjects(expected: JsonObject, seen: Json, ids: MadeUpIds): AnswerDifference | undefined {
  if (!isObject(seen)) return differing(expected, seen);
  for (const [name, field] of Object.entries(expected)) {
    if (FREE.has(name) || isOwnName(name, expected)) continue;
    const inner = compareAnswers(field, seen[name], ids);
    if (inner !== undefined) return { ...inner, path: [name, ...inner.path] };
  }
  return undefined;
}

// The description does not require that a token transaction has the id of the ledger's transaction.
function isOwnName(name: string, { docType }: JsonObject): boolean {
  return name === "id" && docType === "tkntx";
}

function compareLists(expected: readonly Json[], seen: Json, ids: MadeUpIds): AnswerDifference | undefined {
  if (!Array.isArray(seen) || seen.length !== expected.length) return differing(expected, seen);
  const first = compareInOrder(expected, seen, ids);
  return first === undefined || isSameInAnyOrder(expected, seen, ids) ? undefined : first;
}

function compareInOrder(expected: readonly Json[], seen: readonly Json[], ids: MadeUpIds): AnswerDifference | undefined {
  const trial = ids.copy();
  for (const [at, item] of expected.entries()) {
    const inner = compareAnswers(item, seen[at], trial);
    if (inner !== undefined) return { ...inner, path: [at, ...inner.path] };
  }
  ids.become(trial);
  return undefined;
}

function isSameInAnyOrder(expected: readonly Json[], seen: readonly Json[], ids: MadeUpIds): boolean {
  const known = ids.copy();
  const left = [...seen];
  for (const item of expected) {
    const at = left.findIndex((each) => {
      const trial = known.copy();
      if (compareAnswers(item, each, trial) !== undefined) return false;
      known.become(trial);
      return true;
    });
    if (at < 0) return false;
    left.splice(at, 1);
  }
  ids.become(known);
  return true;
}
