import { Decimal } from "../../base/numbers/decimal.ts";
import type { ASTNode } from "../../expression/cel.ts";
import { evaluate, type Knowledge, valueOf } from "../expressions/evaluate.ts";
import { Expr, isMap, type WrittenValue } from "../value.ts";

/** A criterion of a step. */
export interface Criterion {
  readonly condition: string;
  readonly context?: string;
  readonly type?: string;
}

/** Returns the criteria that ask for what a condition asks for; `undefined` when Arazzo cannot say it. */
export function criteriaOf(node: ASTNode, names: Knowledge): readonly Criterion[] | undefined {
  if (node.op === "&&") {
    const parts = (node.args as readonly ASTNode[]).map((part) => criteriaOf(part, names));
    return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  const known = valueOf(evaluate(node, names));
  if (known === true) return [];
  const chosen = sized(node, names) ?? existing(node, names);
  if (chosen !== undefined) return [chosen];
  const condition = simple(node, names);
  // Runners do not read a condition that begins with a bracket.
  return condition === undefined ? undefined : [{ condition: node.op === "||" ? condition.slice(1, -1) : condition }];
}

const OPERATORS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

function simple(node: ASTNode, names: Knowledge): string | undefined {
  if (node.op === "&&" || node.op === "||") {
    const parts = (node.args as readonly ASTNode[]).map((part) => simple(part, names));
    return parts.includes(undefined) ? undefined : `(${parts.join(` ${node.op} `)})`;
  }
  if (!OPERATORS.has(node.op)) return undefined;
  const [left, right] = (node.args as readonly ASTNode[]).map((part) => valueOf(evaluate(part, names)));
  if (left === undefined || right === undefined) return undefined;
  const equal = node.op === "==" ? fieldByField(left, right) : undefined;
  return equal ?? compared(left, node.op, right);
}

function compared(left: WrittenValue, operator: string, right: WrittenValue): string | undefined {
  const [one, other] = [operand(left), operand(right)];
  return one === undefined || other === undefined ? undefined : `${one} ${operator} ${other}`;
}

// A map has these fields, and may have others.
function fieldByField(left: WrittenValue, right: WrittenValue): string | undefined {
  const [expression, map] = left instanceof Expr ? [left, right] : [right, left];
  if (!(expression instanceof Expr) || !isMap(map)) return undefined;
  const fields = Object.entries(map).map(([name, value]) => {
    const inner = new Expr(`${expression.text}${expression.text.includes("#") ? "" : "#"}/${name}`);
    return compared(inner, "==", value);
  });
  return fields.includes(undefined) || fields.length === 0 ? undefined : fields.join(" && ");
}

function operand(value: WrittenValue): string | undefined {
  if (value instanceof Expr || value instanceof Decimal) return value.text;
  if (value === null || typeof value === "boolean") return String(value);
  return typeof value === "string" ? quoted(value) : undefined;
}

// A text in a condition cannot begin as an expression, or hold what runners read differently.
function quoted(text: string): string | undefined {
  return /['"\\{}$\n]/.test(text) ? undefined : `'${text}'`;
}

// `response.sales.size() > 0`, as the existence of an item.
function sized(node: ASTNode, names: Knowledge): Criterion | undefined {
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

// `response.exists(x, x.id == "a")`, as a filter.
function existing(node: ASTNode, names: Knowledge): Criterion | undefined {
  if (node.op !== "rcall" || node.args[0] !== "exists") return undefined;
  const [, receiver, [variable, where]] = node.args;
  const list = valueOf(evaluate(receiver, names));
  if (!(list instanceof Expr) || variable?.op !== "id" || where === undefined) return undefined;
  const place = placeOf(list);
  const filter = filterOf(where, variable.args, names);
  if (place === undefined || filter === undefined) return undefined;
  return selecting(`${place}[?(${filter})]`);
}

// As in the standard's own example, the root is the list of the context alone.
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

function filterOf(node: ASTNode, item: string, names: Knowledge): string | undefined {
  if (node.op === "&&" || node.op === "||") {
    const parts = (node.args as readonly ASTNode[]).map((part) => filterOf(part, item, names));
    return parts.includes(undefined) ? undefined : parts.join(` ${node.op} `);
  }
  if (!OPERATORS.has(node.op)) return undefined;
  const [left, right] = (node.args as readonly ASTNode[]).map((part) => inItem(part, item) ?? constant(part, names));
  return left === undefined || right === undefined ? undefined : `${left} ${node.op} ${right}`;
}

function inItem(node: ASTNode, item: string): string | undefined {
  if (node.op === "id") return node.args === item ? "@" : undefined;
  if (node.op !== ".") return undefined;
  const owner = inItem(node.args[0], item);
  return owner === undefined ? undefined : `${owner}.${node.args[1]}`;
}

function constant(node: ASTNode, names: Knowledge): string | undefined {
  const value = valueOf(evaluate(node, names));
  return value === undefined || value instanceof Expr ? undefined : operand(value);
}
