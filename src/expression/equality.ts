import { spend } from "../base/budget.ts";
import { isObject } from "../base/json/json.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import { type ASTNode, exact } from "./cel.ts";
import { type Checker, type Evaluator, type Macro, replace } from "./macro.ts";
import { spelling } from "./map-keys.ts";
import { Duration } from "./time/duration.ts";
import { Moment } from "./time/moment.ts";

/**
 * Gives each `==`, `!=` and `in` of a new syntax tree the equality of JSON. The library compares the contents of lists and maps by their
 * JavaScript types. So `1 in [1]` would fail if one 1 was written and the other was read, and records with a field of different types could
 * not be compared.
 */
export function useJsonEquality(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "==") replace(node, new Comparison(node.args, same));
    else if (node.op === "!=") replace(node, new Comparison(node.args, differ));
    else if (node.op === "in") replace(node, new Comparison(node.args, member));
  }
}

class Comparison implements Macro {
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

const differ = (left: unknown, right: unknown): boolean => !same(left, right);

function same(left: unknown, right: unknown): boolean {
  spend(stepsToCompare(left, right));
  if (left === right) return true;
  if (isNumber(left)) return isNumber(right) && exact(left).equals(exact(right));
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => same(item, right[at]));
  if (left instanceof Moment && right instanceof Moment) return left.nanos === right.nanos;
  if (left instanceof Duration && right instanceof Duration) return left.nanos === right.nanos;
  return sameRecords(left, right);
}

const CHARS_A_STEP = 64;

// Only texts of equal length are compared to their ends.
function stepsToCompare(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string" && left.length === right.length)
    return 1 + left.length / CHARS_A_STEP;
  return isNumber(left) && isNumber(right) ? STEPS_OF_NUMBERS : 1;
}

const STEPS_OF_NUMBERS = 5;

function sameRecords(left: unknown, right: unknown): boolean {
  if (isForeign(left) || isForeign(right))
    throw new RangeError(
      "values without a form in JSON are compared only with those of their own type: make the other one a date or a duration",
    );
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]))
  );
}

function member(value: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return container.some((item) => same(value, item));
  if (isObject(container)) {
    const key = spelling(value);
    return key !== undefined && Object.hasOwn(container, key);
  }
  throw new RangeError("`in` needs a list or a map on its right");
}

function isNumber(value: unknown): value is Decimal | bigint {
  return value instanceof Decimal || typeof value === "bigint";
}

// Dates, durations, byte strings and similar types keep their value where no key shows it.
function isForeign(value: unknown): boolean {
  return isObject(value) ? !isPlain(value) : typeof value === "function";
}

/** Returns whether an object consists only of its fields. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
