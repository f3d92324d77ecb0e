import { isComparing } from "../../expression/comparing/operators.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import type { ASTNode } from "../../expression/cel.ts";
import { patternOfText } from "../exact-text.ts";
import { evaluate, type Knowledge, valueOf } from "../expressions/evaluate.ts";
import { withKeys } from "../expressions/runtime-expression.ts";
import { Expr, isMap, type WrittenValue } from "../value.ts";

/** A criterion of a step. */
export interface Criterion {
  /** The condition, in the language that `type` names. */
  readonly condition: string;
  /** The runtime expression of the value that the condition examines. Left out for a simple condition. */
  readonly context?: string;
  /** `regex` or `jsonpath`. Left out for a simple condition. */
  readonly type?: string;
}

/** Reports that criteria are less exact than the condition. */
type LoseOfCriteria = (message: string, why: string) => void;

/** The names that a condition can use, and how losses of its criteria are reported. */
interface CriteriaScope {
  readonly names: Knowledge;
  readonly lose: LoseOfCriteria;
}

/** Returns criteria with the meaning of a condition; `undefined` if Arazzo cannot express it. */
export function criteriaOf(node: ASTNode, names: Knowledge, lose: LoseOfCriteria): readonly Criterion[] | undefined {
  if (node.op === "&&") {
    const parts = (node.args as readonly ASTNode[]).map((part) => criteriaOf(part, names, lose));
    return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  const known = valueOf(evaluate(node, names));
  if (known === true) return [];
  const asked = { names, lose };
  const chosen = sized(node, asked) ?? existing(node, asked);
  if (chosen !== undefined) return [chosen];
  const exact = exactText(node, names);
  if (exact !== undefined) return [exact];
  const condition = simple(node, asked);
  // Runners do not parse a condition that begins with a bracket.
  return condition === undefined ? undefined : [{ condition: node.op === "||" ? condition.slice(1, -1) : condition }];
}

function exactText(node: ASTNode, names: Knowledge): Criterion | undefined {
  if (node.op !== "==") return undefined;
  const sides = (node.args as readonly ASTNode[]).map((part) => valueOf(evaluate(part, names)));
  const place = sides.find((side) => side instanceof Expr && side.text.startsWith(BODY));
  const text = sides.find((side) => typeof side === "string");
  const condition = typeof text === "string" ? patternOfText(text) : undefined;
  return place instanceof Expr && condition !== undefined ? { context: place.text, condition, type: "regex" } : undefined;
}

function simple(node: ASTNode, asked: CriteriaScope): string | undefined {
  if (node.op === "&&" || node.op === "||") {
    const parts = (node.args as readonly ASTNode[]).map((part) => simple(part, asked));
    return parts.includes(undefined) ? undefined : `(${parts.join(` ${node.op} `)})`;
  }
  if (!isComparing(node.op)) return undefined;
  const [left, right] = (node.args as readonly ASTNode[]).map((part) => valueOf(evaluate(part, asked.names)));
  if (left === undefined || right === undefined) return undefined;
  const equal = node.op === "==" ? fieldByField(left, right, asked) : undefined;
  return equal ?? compared(left, node.op, right, asked);
}

function compared(left: WrittenValue, operator: string, right: WrittenValue, { lose }: CriteriaScope): string | undefined {
  const [one, other] = [operand(left, lose), operand(right, lose)];
  if (one !== undefined && other !== undefined && [left, right].some((side) => typeof side === "string" && /[a-z]/i.test(side)))
    lose("this criterion finds A and a equal", "conditions of Arazzo compare texts without regard to case");
  return one === undefined || other === undefined ? undefined : `${one} ${operator} ${other}`;
}

// The criteria require these fields of a map, but allow others.
function fieldByField(left: WrittenValue, right: WrittenValue, asked: CriteriaScope): string | undefined {
  const [expression, map] = left instanceof Expr ? [left, right] : [right, left];
  if (!(expression instanceof Expr) || !isMap(map)) return undefined;
  const fields = Object.entries(map).map(([name, value]) =>
    compared(new Expr(withKeys(expression.text, [name])), "==", value, asked),
  );
  if (fields.includes(undefined) || fields.length === 0) return undefined;
  asked.lose("this criterion does not notice further fields", "Arazzo compares no maps, and one field at a time");
  return fields.join(" && ");
}

function operand(value: WrittenValue, lose: LoseOfCriteria): string | undefined {
  if (value instanceof Decimal && !isDouble(value)) lose(...rounded(value));
  if (value instanceof Expr || value instanceof Decimal) return value.text;
  if (value === null || typeof value === "boolean") return String(value);
  return typeof value === "string" ? quoted(value) : undefined;
}

/** Returns whether a double holds this number with all its digits. */
export function isDouble(value: Decimal): boolean {
  const double = Decimal.parse(String(Number(value.text)));
  return double !== undefined && double.equals(value);
}

/** Returns the loss of a number that no double holds, and why. */
export function rounded({ text }: Decimal): [message: string, why: string] {
  return [`runners that read ${text} as a double round it`, "the standard has no exact numbers"];
}

// A text in a condition must not begin like an expression, or contain characters that runners interpret differently.
function quoted(text: string): string | undefined {
  return /['"\\{}$\n]/.test(text) ? undefined : `'${text}'`;
}

// Writes `response.sales.size() > 0` as the existence of an item.
function sized(node: ASTNode, { names }: CriteriaScope): Criterion | undefined {
  if (node.op !== ">" && node.op !== ">=") return undefined;
  const [left, right] = node.args as readonly [ASTNode, ASTNode];
  if (left.op !== "rcall" || left.args[0] !== "size") return undefined;
  const least = valueOf(evaluate(right, names));
  const list = valueOf(evaluate(left.args[1], names));
  if (!(least instanceof Decimal) || !(list instanceof Expr)) return undefined;
  const place = placeOf(list);
  const index = Number(least.text) - (node.op === ">" ? 0 : 1);
  return place === undefined || index < 0 ? undefined : selecting(`${place}[${index}]`);
}

// Writes `response.exists(x, x.id == "a")` as a filter.
function existing(node: ASTNode, asked: CriteriaScope): Criterion | undefined {
  if (node.op !== "rcall" || node.args[0] !== "exists") return undefined;
  const [, receiver, [variable, where]] = node.args;
  const list = valueOf(evaluate(receiver, asked.names));
  if (!(list instanceof Expr) || variable?.op !== "id" || where === undefined) return undefined;
  const place = placeOf(list);
  const filter = filterOf(where, variable.args, asked);
  if (place === undefined || filter === undefined) return undefined;
  return selecting(`${place}[?(${filter})]`);
}

// As in the standard's own example, the root is a list that contains only the context.
function selecting(path: string): Criterion {
  return { context: BODY, condition: `$[?(${path})]`, type: "jsonpath" };
}

const BODY = "$response.body";

function placeOf({ text }: Expr): string | undefined {
  if (text === BODY) return "@";
  const pointer = text.startsWith(`${BODY}#/`) ? text.slice(BODY.length + 2) : undefined;
  if (pointer === undefined || !/^[\w/-]+$/.test(pointer)) return undefined;
  return `@${pointer
    .split("/")
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join("")}`;
}

function filterOf(node: ASTNode, item: string, asked: CriteriaScope): string | undefined {
  if (node.op === "&&" || node.op === "||") {
    const parts = (node.args as readonly ASTNode[]).map((part) => {
      const filter = filterOf(part, item, asked);
      return filter !== undefined && node.op === "&&" && part.op === "||" ? `(${filter})` : filter;
    });
    return parts.includes(undefined) ? undefined : parts.join(` ${node.op} `);
  }
  if (!isComparing(node.op)) return undefined;
  const [left, right] = (node.args as readonly ASTNode[]).map((part) => inItem(part, item) ?? constant(part, asked));
  return left === undefined || right === undefined ? undefined : `${left} ${node.op} ${right}`;
}

function inItem(node: ASTNode, item: string): string | undefined {
  if (node.op === "id") return node.args === item ? "@" : undefined;
  if (node.op !== ".") return undefined;
  const owner = inItem(node.args[0], item);
  return owner === undefined ? undefined : `${owner}.${node.args[1]}`;
}

function constant(node: ASTNode, { names, lose }: CriteriaScope): string | undefined {
  const value = valueOf(evaluate(node, names));
  return value === undefined || value instanceof Expr ? undefined : operand(value, lose);
}
