import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../base/json/json.ts";

/** The first place where two answers differ. */
export interface AnswerDifference {
  /** The names of fields and the places in lists, from 0 on, that lead there; empty when the whole answers differ. */
  readonly path: readonly (string | number)[];
  /** What the reference says there; `undefined` when it has nothing there. */
  readonly expected: Json | undefined;
  /** What the service says there; `undefined` when it has nothing there. */
  readonly seen: Json | undefined;
}

// What each service words, counts or marks as it likes. A comment also holds the mark of its run.
const FREE: ReadonlySet<string> = new Set(["message", "bookmark", "timestampUnix", "tokenbook", "comment"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
// The forms in which the reference makes ids up.
const MADE_UP = /^(?:account~)?[0-9a-f]{24,64}$/;

/** Which ids that the service made up are which of the reference's. */
export class MadeUpIds {
  #seenFor = new Map<string, string>();
  #expectedFor = new Map<string, string>();

  /** Returns whether the two name the same thing, as far as is known; from now on they do. */
  agree(expected: string, seen: string): boolean {
    const [known, owner] = [this.#seenFor.get(expected), this.#expectedFor.get(seen)];
    if (known !== undefined || owner !== undefined) return known === seen && owner === expected;
    this.#seenFor.set(expected, seen);
    this.#expectedFor.set(seen, expected);
    return true;
  }

  /** Returns the same pairs, to which others can be added by themselves. */
  copy(): MadeUpIds {
    const copy = new MadeUpIds();
    copy.#seenFor = new Map(this.#seenFor);
    copy.#expectedFor = new Map(this.#expectedFor);
    return copy;
  }

  /** Takes the pairs of another in place of its own. */
  become(other: MadeUpIds): void {
    this.#seenFor = other.#seenFor;
    this.#expectedFor = other.#expectedFor;
  }
}

/**
 * Compares an answer with the reference's: numbers digit for digit, lists in any order, times by their form only. A service may show more
 * fields than the reference.
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

// The description does not say that a token transaction has the id of the ledger's transaction.
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
