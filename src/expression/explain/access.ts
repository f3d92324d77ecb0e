import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { didYouMean } from "../../base/text/text.ts";
import type { ASTNode } from "../cel.ts";
import type { BareScope } from "../expression.ts";
import { type AccessNode, isAccess } from "../syntax.ts";
import type { Remedy } from "./explanation.ts";
import { fieldsRemark, glimpse, jsonOf } from "./glimpse.ts";
import type { DissectedExpression } from "./source.ts";

/** Returns the part before the fields of a path, and the parts in its brackets. */
export function partsOfPath(node: AccessNode): { readonly base: ASTNode; readonly indices: readonly ASTNode[] } {
  const indices: ASTNode[] = [];
  let at: ASTNode = node;
  while (isAccess(at)) {
    const [owner, last]: readonly [ASTNode, ASTNode | string] = at.args;
    if (typeof last !== "string" && last.op !== "value") indices.unshift(last);
    at = owner;
  }
  return { base: at, indices };
}

/** Why a path has no value, and how to fix this. */
export interface Missing {
  /** What is missing, in a few words: `steps.mint has no field "id"`. */
  readonly why: string;
  /** What the part that was read would have to be or contain. */
  readonly hint: Remedy;
}

/** Returns where a path ends too early; `undefined` if it does not, or if something else prevents its value. */
export function missingIn(source: DissectedExpression, node: AccessNode, scope: BareScope): Missing | undefined {
  const chain: AccessNode[] = [];
  for (let at: ASTNode = node; isAccess(at); [at] = at.args) chain.unshift(at);
  for (const link of chain) {
    const outcome = source.evaluate(link, scope);
    if ("value" in outcome) continue;
    const owner = source.evaluate(link.args[0], scope);
    return "value" in owner ? missing(source, { link, scope }, owner.value) : undefined;
  }
  return undefined;
}

function missing(
  source: DissectedExpression,
  { link, scope }: { link: AccessNode; scope: BareScope },
  value: unknown,
): Missing | undefined {
  const owner = jsonOf(value);
  const key = keyOf(source, link, scope);
  if (owner === undefined) return undefined;
  const subject = source.textOf(link.args[0]);
  if (Array.isArray(owner) && typeof key === "bigint") return tooShort(subject, owner.length, key);
  if (!isObject(owner)) {
    const hint = { subject, must: "be an object", is: glimpse(owner) };
    return { why: `${subject} is ${kindOf(owner)}`, hint };
  }
  return typeof key === "string" ? noField(subject, owner, key) : undefined;
}

function noField(subject: string, owner: JsonObject, field: string): Missing | undefined {
  const fields = Object.keys(owner);
  if (fields.includes(field)) return undefined;
  const remark = fieldsRemark(fields, didYouMean(field, fields));
  const hint = { subject, must: `hold a field ${JSON.stringify(field)}`, remark };
  return { why: `${subject} has no field ${JSON.stringify(field)}`, hint };
}

function tooShort(subject: string, length: number, index: bigint): Missing | undefined {
  if (index >= 0n && index < length) return undefined;
  const there = length === 0 ? "is empty" : length === 1 ? "has one item, [0]" : `has ${length} items, [0] to [${length - 1}]`;
  const hint = { subject, must: index < 0n ? "be read from [0]" : `hold an item [${index}]`, remark: `it ${there}` };
  return { why: `${subject} ${there}`, hint };
}

function keyOf(source: DissectedExpression, link: AccessNode, scope: BareScope): unknown {
  const [, last] = link.args;
  if (typeof last === "string") return last;
  const outcome = source.evaluate(last, scope);
  return "value" in outcome ? outcome.value : undefined;
}

/** Returns the type of a value as a word. */
function kindOf(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return "a text";
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : "a number";
}
