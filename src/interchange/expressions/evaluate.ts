import { Decimal } from "../../base/numbers/decimal.ts";
import { type ASTNode, cel } from "../../expression/cel.ts";
import { spansIn, wholeExpression } from "../../playbook/expressions/expression-spans.ts";
import type { SourceNode } from "../../source/node.ts";
import { withKeys } from "./runtime-expression.ts";
import { Expr, isMap, Joined, listOf, mapOf, type WrittenValue } from "../value.ts";

/** Something that an expression can name, and that has parts. */
export interface Named {
  /** Returns a part of it; `undefined` if there is none that could be written. */
  readonly part: (key: string) => Known | undefined;
  /** Returns it as a value; `undefined` if it has none. */
  readonly value: () => WrittenValue | undefined;
}

/** The result of evaluating an expression before a run. */
export type Known = WrittenValue | Named;

/** The names that expressions can use. */
export type Knowledge = Readonly<Record<string, Known>>;

const dynamic = cel.clone({ unlistedVariablesAreDyn: true });

/** Parses an expression of a checked playbook. */
export function parseExpression(text: string): ASTNode {
  return dynamic.parse(text).ast;
}

/** Returns whether something has parts. */
export function isNamed(known: Known | undefined): known is Named {
  return typeof known === "object" && known !== null && "part" in known && typeof known.part === "function";
}

/** Returns the value of an evaluated expression. */
export function valueOf(known: Known | undefined): WrittenValue | undefined {
  return isNamed(known) ? known.value() : known;
}

/**
 * Returns the value of a playbook's node before a run, with expressions in place of values that only the run knows. Returns `undefined` if it cannot be
 * written.
 */
export function evaluateNode(node: SourceNode, names: Knowledge): WrittenValue | undefined {
  if (node.kind === "list") return listOf(node.items.map((item) => evaluateNode(item, names)));
  if (node.kind === "map") return mapOf(Array.from(node.entries, ([name, { value }]) => [name, evaluateNode(value, names)]));
  return typeof node.value === "string" ? evaluateText(node.value, names) : node.value;
}

function evaluateText(text: string, names: Knowledge): WrittenValue | undefined {
  const whole = wholeExpression(text);
  if (whole !== undefined) return valueOf(evaluate(parseExpression(whole.text), names));
  const parts: WrittenValue[] = [];
  let from = 0;
  for (const span of spansIn(text)) {
    const value = valueOf(evaluate(parseExpression(span.text), names));
    if (value === undefined) return undefined;
    parts.push(text.slice(from, span.start), value);
    from = span.end;
  }
  return from === 0 ? text : join([...parts, text.slice(from)]);
}

/** Joins texts and expressions into one text. */
export function join(values: readonly WrittenValue[]): WrittenValue | undefined {
  const parts: (string | Expr)[] = [];
  for (const value of values) {
    const more = value instanceof Joined ? value.parts : [value instanceof Decimal ? value.text : value];
    for (const part of more) {
      const last = parts.at(-1);
      if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
      else if (typeof part === "string" || part instanceof Expr) parts.push(part);
      else if (typeof part === "boolean") parts.push(String(part));
      else return undefined;
    }
  }
  const kept = parts.filter((part) => part !== "");
  return kept.every((part) => typeof part === "string") ? kept.join("") : new Joined(kept);
}

/** Evaluates an expression before a run. */
export function evaluate(node: ASTNode, names: Knowledge): Known | undefined {
  switch (node.op) {
    case "value":
      return literal(node);
    case "id":
      return Object.hasOwn(names, node.args) ? names[node.args] : undefined;
    case ".":
      return partOf(evaluate(node.args[0], names), node.args[1]);
    case "[]": {
      const key = valueOf(evaluate(node.args[1], names));
      if (typeof key !== "string" && !(key instanceof Decimal)) return undefined;
      return partOf(evaluate(node.args[0], names), String(key));
    }
    case "list":
      return listOf(node.args.map((item) => valueOf(evaluate(item, names))));
    case "map":
      return mapped(node.args, names);
    case "?:": {
      const condition = valueOf(evaluate(node.args[0], names));
      return typeof condition === "boolean" ? evaluate(node.args[condition ? 1 : 2], names) : undefined;
    }
    case "!_": {
      const inner = valueOf(evaluate(node.args, names));
      return typeof inner === "boolean" ? !inner : undefined;
    }
    case "rcall":
      return called(node.args, names);
    default:
      return BINARY[node.op] === undefined ? undefined : binary(node.op, node.args as readonly ASTNode[], names);
  }
}

function literal({ args, input, start, end }: ASTNode & { readonly op: "value" }): WrittenValue | undefined {
  const value: unknown = args;
  if (typeof value === "bigint") return Decimal.of(value);
  if (typeof value === "number") return Decimal.parse(input.slice(start, end));
  return value === null || typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

function mapped(entries: readonly (readonly [ASTNode, ASTNode])[], names: Knowledge): WrittenValue | undefined {
  const fields = entries.map(([key, value]) => [valueOf(evaluate(key, names)), valueOf(evaluate(value, names))] as const);
  const isKnown = fields.every(([key, value]) => typeof key === "string" && value !== undefined);
  return isKnown ? (Object.fromEntries(fields) as WrittenValue) : undefined;
}

function partOf(owner: Known | undefined, key: string): Known | undefined {
  if (isNamed(owner)) return owner.part(key);
  if (owner instanceof Expr) return new Expr(withKeys(owner.text, [key]));
  if (Array.isArray(owner)) return (owner as readonly WrittenValue[])[Number(key)];
  return isMap(owner) ? owner[key] : undefined;
}

type Apply = (left: WrittenValue, right: WrittenValue) => WrittenValue | undefined;

const ofNumbers =
  (apply: (left: Decimal, right: Decimal) => WrittenValue): Apply =>
  (left, right) =>
    left instanceof Decimal && right instanceof Decimal ? apply(left, right) : undefined;

const BINARY: Readonly<Record<string, Apply>> = {
  "==": same,
  "!=": (left, right) => {
    const equal = same(left, right);
    return equal === undefined ? undefined : !equal;
  },
  "<": ofNumbers((left, right) => left.compare(right) < 0),
  "<=": ofNumbers((left, right) => left.compare(right) <= 0),
  ">": ofNumbers((left, right) => left.compare(right) > 0),
  ">=": ofNumbers((left, right) => left.compare(right) >= 0),
  "+": (left, right) => {
    if (isText(left) || isText(right)) return join([left, right]);
    if (Array.isArray(left) && Array.isArray(right))
      return [...(left as readonly WrittenValue[]), ...(right as readonly WrittenValue[])];
    return ofNumbers((one, other) => one.plus(other))(left, right);
  },
  "-": ofNumbers((left, right) => left.minus(right)),
  "*": ofNumbers((left, right) => left.times(right)),
  "&&": (left, right) => (typeof left === "boolean" && typeof right === "boolean" ? left && right : undefined),
  "||": (left, right) => (typeof left === "boolean" && typeof right === "boolean" ? left || right : undefined),
};

// Only texts are joined: if both values are known only to a run, they may be numbers to add.
function isText(value: WrittenValue): boolean {
  return typeof value === "string" || value instanceof Joined || (value instanceof Expr && value.isText);
}

// The equality of two values is only known if no run could change them.
function same(left: WrittenValue, right: WrittenValue): boolean | undefined {
  if (left instanceof Decimal && right instanceof Decimal) return left.equals(right);
  const simple = [left, right].every((value) => value === null || typeof value === "string" || typeof value === "boolean");
  return simple ? left === right : undefined;
}

function binary(operator: string, [one, other]: readonly ASTNode[], names: Knowledge): WrittenValue | undefined {
  if (one === undefined || other === undefined) return undefined;
  const left = valueOf(evaluate(one, names));
  const right = valueOf(evaluate(other, names));
  return left === undefined || right === undefined ? undefined : BINARY[operator]?.(left, right);
}

function called(
  [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  names: Knowledge,
): WrittenValue | undefined {
  const list = valueOf(evaluate(receiver, names));
  if (!Array.isArray(list)) return undefined;
  const items = list as readonly WrittenValue[];
  if (name === "size") return Decimal.of(items.length);
  const [variable, first, second] = args;
  if (variable?.op !== "id" || first === undefined) return undefined;
  const each = (node: ASTNode) => items.map((item) => valueOf(evaluate(node, { ...names, [variable.args]: item })));
  const holds = each(first);
  if (name === "map" && second === undefined) return listOf(holds);
  if (holds.some((held) => typeof held !== "boolean")) return undefined;
  if (name === "filter") return items.filter((_, at) => holds[at] === true);
  if (name === "exists") return holds.includes(true);
  if (name === "all") return !holds.includes(false);
  return undefined;
}
