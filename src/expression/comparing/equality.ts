import { spend } from "../../base/budget.ts";
import { isObject } from "../../base/json/json.ts";
import { type ASTNode, exact, isType } from "../cel.ts";
import { type Checker, type Evaluator, type Macro, replace } from "../macro.ts";
import { spelling } from "../map-keys.ts";
import { Duration } from "../time/duration.ts";
import { Moment } from "../time/moment.ts";
import { isNumber, typeOf, unlikeTypes } from "./two-types.ts";

/**
 * Gives each `==`, `!=` and `in` of a new syntax tree the equality of JSON. The library compares the contents of lists and maps by their
 * JavaScript types. So `1 in [1]` would fail if one 1 was written and the other was read. Values of two types have no result (decision 226).
 */
export function useJsonEquality(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "==") replace(node, new EqualityMacro(node.args, same));
    else if (node.op === "!=") replace(node, new EqualityMacro(node.args, differ));
    else if (node.op === "in") replace(node, new EqualityMacro(node.args, member));
  }
}

class EqualityMacro implements Macro {
  readonly #left: ASTNode;
  readonly #right: ASTNode;
  readonly #holds: (left: unknown, right: unknown) => boolean;

  constructor([left, right]: readonly [ASTNode, ASTNode], holds: (left: unknown, right: unknown) => boolean) {
    this.#left = left;
    this.#right = right;
    this.#holds = holds;
  }

  typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
    checker.check(this.#left, context);
    checker.check(this.#right, context);
    return checker.getType("bool");
  }

  evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): boolean {
    const left = evaluator.run(this.#left, context);
    const right = evaluator.run(this.#right, context);
    evaluator.debugType(left);
    evaluator.debugType(right);
    return this.#holds(left, right);
  }
}

const same = (left: unknown, right: unknown): boolean => decided(sameness(left, right));
const differ = (left: unknown, right: unknown): boolean => !same(left, right);

/** Two values of two types. Whether they mean the same is unknown, since a service may keep a number as a text (decision 226). */
class TwoTypes {
  readonly left: unknown;
  readonly right: unknown;

  constructor(left: unknown, right: unknown) {
    this.left = left;
    this.right = right;
  }
}

/** Whether two values are the same; `TwoTypes` if that is unknown. */
type Sameness = boolean | TwoTypes;

function decided(result: Sameness): boolean {
  if (typeof result === "boolean") return result;
  throw new RangeError(unlikeTypes(result.left, result.right));
}

function sameness(left: unknown, right: unknown): Sameness {
  spend(stepsToCompare(left, right));
  if (left === right) return true;
  const [type, other] = [typeOf(left), typeOf(right)];
  if (type === undefined || other === undefined) return sameForeign(left, right);
  if (type !== other) return type === "null" || other === "null" ? false : new TwoTypes(left, right);
  if (isNumber(left)) return exact(left).equals(exact(right));
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && allAre(true, left.keys(), (at) => sameness(left[at], right[at]));
  return isObject(left) && isObject(right) && sameRecords(left, right);
}

const CHARS_A_STEP = 64;

// Only texts of equal length are compared to their ends.
function stepsToCompare(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string" && left.length === right.length)
    return 1 + left.length / CHARS_A_STEP;
  return isNumber(left) && isNumber(right) ? STEPS_OF_NUMBERS : 1;
}

const STEPS_OF_NUMBERS = 5;

function sameForeign(left: unknown, right: unknown): boolean {
  if (left instanceof Moment && right instanceof Moment) return left.nanos === right.nanos;
  if (left instanceof Duration && right instanceof Duration) return left.nanos === right.nanos;
  if (isType(left) && isType(right)) return false;
  throw new RangeError(
    "values without a form in JSON are compared only with those of their own type: make the other one a date or a duration",
  );
}

function sameRecords(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>): Sameness {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length || !keys.every((key) => Object.hasOwn(right, key))) return false;
  return allAre(true, keys, (key) => sameness(left[key], right[key]));
}

// Returns `wanted` if all results are, and the opposite if one surely is not. Otherwise it depends on values of two types.
function allAre<T>(wanted: boolean, items: Iterable<T>, of: (item: T) => Sameness): Sameness {
  let doubt: TwoTypes | undefined;
  for (const item of items) {
    const result = of(item);
    if (result === !wanted) return !wanted;
    if (result instanceof TwoTypes) doubt ??= result;
  }
  return doubt ?? wanted;
}

function member(value: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return decided(allAre(false, container, (item) => sameness(value, item)));
  if (isObject(container)) {
    const key = spelling(value);
    return key !== undefined && Object.hasOwn(container, key);
  }
  throw new RangeError("`in` needs a list or a map on its right");
}
