import { Decimal } from "../base/decimal.ts";
import type { ASTNode, Environment } from "./cel.ts";
import { nodesOf } from "./syntax.ts";

/**
 * Teaches an environment JSON's equality. The library's own compares the insides of lists and maps by JavaScript type, so that
 * `1 in [1]` would fail where one 1 was written and the other read, and has no answer where two records differ in a field's type.
 */
export function registerEquality(environment: Environment): Environment {
  environment.registerFunction("same_(dyn, dyn): bool", same);
  environment.registerFunction("member_(dyn, dyn): bool", member);
  return environment;
}

/** Puts that equality in the place of each `==`, `!=` and `in` of a fresh syntax tree; `parse` reads a tree of the same environment. */
export function useJsonEquality(tree: ASTNode, parse: (text: string) => ASTNode): void {
  for (const node of nodesOf(tree)) {
    if (node.op === "==" || node.op === "!=") graft(node, parse("same_(null, null) == true"), 0);
    else if (node.op === "in") graft(node, parse("true in [member_(null, null)]"), 1);
  }
}

// The operator stays and compares the call's answer with true; its operands become the call's.
function graft(node: ASTNode, donor: ASTNode, side: 0 | 1): void {
  const operands = node.args;
  const parts = donor.args as readonly ASTNode[];
  const holder = parts[side];
  const call = holder?.op === "list" ? holder.args[0] : holder;
  if (call?.op === "call") (call as { args: unknown }).args = [call.args[0], operands];
  (node as { args: unknown }).args = parts;
}

function same(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNumber(left)) return isNumber(right) && exact(left).equals(exact(right));
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => same(item, right[at]));
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  return sameRecords(left, right);
}

function sameRecords(left: unknown, right: unknown): boolean {
  if (isForeign(left) || isForeign(right))
    throw new RangeError("values that are not JSON cannot be compared: compare their texts");
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]))
  );
}

function member(value: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return container.some((item) => same(value, item));
  if (isRecord(container)) return typeof value === "string" && Object.hasOwn(container, value);
  throw new RangeError("`in` wants a list or a map on its right");
}

function isNumber(value: unknown): value is Decimal | bigint {
  return value instanceof Decimal || typeof value === "bigint";
}

function exact(value: Decimal | bigint): Decimal {
  return value instanceof Decimal ? value : Decimal.of(value);
}

// CEL's durations, byte strings and the like keep their value where no key shows it.
function isForeign(value: unknown): boolean {
  if (!isRecord(value)) return typeof value === "function";
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Decimal);
}
