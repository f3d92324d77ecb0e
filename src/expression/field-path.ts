import { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";
import type { ASTNode } from "./cel.ts";

/** What leads from the names of a scope to one value: a name, then fields and places in lists, as in `row.details[0].amount`. */
export type FieldPath = readonly (string | number)[];

/** Returns the path that an expression is, if it is nothing else. */
export function fieldPathOf(node: ASTNode): FieldPath | undefined {
  const path: (string | number)[] = [];
  for (let at = node; ;) {
    if (at.op === "id") return isOwnName(at.args) ? [at.args, ...path.toReversed()] : undefined;
    if (at.op !== "." && at.op !== "[]") return undefined;
    const step = at.op === "." ? at.args[1] : stepOf(at.args[1]);
    if (step === undefined || !isOwnName(step)) return undefined;
    path.push(step);
    [at] = at.args;
  }
}

function stepOf(index: ASTNode): string | number | undefined {
  if (index.op !== "value") return undefined;
  return typeof index.args === "bigint" ? Number(index.args) : typeof index.args === "string" ? index.args : undefined;
}

// What every object inherits is no field.
function isOwnName(step: string | number): boolean {
  return !(step in Object.prototype);
}

/**
 * Returns the text, number, boolean or null at the end of a path, as the language would, in a fraction of its time; `undefined` when there
 * is something else or nothing, which only the language can explain. Throws an Unforeseen like the language.
 */
export function simpleValueAt(
  path: FieldPath,
  scope: Readonly<Record<string, Json>>,
): null | boolean | string | Decimal | undefined {
  let value: Json | undefined = scope;
  for (const step of path) {
    if (value === null || value === undefined || typeof value !== "object") return undefined;
    const wanted: unknown = typeof step === "number" ? Array : Object;
    if (value.constructor !== wanted) return undefined;
    value = (value as Readonly<Record<string | number, Json | undefined>>)[step];
  }
  if (value === null || typeof value === "string" || typeof value === "boolean" || value instanceof Decimal) return value;
  return undefined;
}
