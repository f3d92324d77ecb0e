import { dateProblem } from "../base/time/date.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import { LIMITS } from "../base/limits.ts";
import type { ASTNode } from "./cel.ts";
import { type ComparisonOperator, isComparing } from "./comparing/operators.ts";
import { mapKeyProblem } from "./map-keys.ts";
import { patternProblem } from "./pattern.ts";
import type { ExpressionProblem } from "./problem.ts";
import type { Assumption, Reference } from "./reference.ts";
import { Duration } from "./time/duration.ts";

/** The methods that name an item and visit each item of a list. */
export const COMPREHENSIONS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);

/**
 * Makes the literals in the nodes of a new syntax tree exact: `0.1` becomes an exact decimal, read from its text. At this point the library
 * has already rounded it to a double.
 */
export function useExactLiterals(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op !== "value" || typeof node.args !== "number") continue;
    const literal = Decimal.parse(node.input.slice(node.start, node.end));
    if (literal === undefined) throw new RangeError(`a number of more than ${LIMITS.decimalDigits} digits`);
    (node as { args: unknown }).args = literal;
  }
}

/**
 * Does the same. It also turns whole numbers into decimals where they meet decimals: in comparisons, in items of a list or a map, in
 * searches, and in the branches of `?:` and `orValue`.
 */
export function useDecimalLiterals(nodes: readonly ASTNode[]): void {
  useExactLiterals(nodes);
  for (const node of nodes) for (const part of besideDecimals(node)) makeDecimal(part);
}

function besideDecimals(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "in":
      return node.args;
    case "==":
    case "!=":
    case "+":
      return node.args.filter(({ op }) => op !== "value");
    case "?:":
      return node.args.slice(1);
    case "rcall":
      return node.args[0] === "or" || node.args[0] === "orValue" ? node.args[2] : NO_NODES;
    default:
      return NO_NODES;
  }
}

function makeDecimal(node: ASTNode): void {
  if (node.op === "value" && typeof node.args === "bigint") (node as { args: unknown }).args = Decimal.of(node.args);
  if (node.op === "-_" || node.op === "list" || node.op === "map") for (const child of childrenOf(node)) makeDecimal(child);
}

/** Returns the first use of syntax that CEL allows but tokenbook refuses. `nodes` begins with the tree itself. */
export function refusedSyntax(nodes: readonly ASTNode[]): ExpressionProblem | undefined {
  for (const node of nodes) {
    if (node.op === "rcall" && node.args[0] === "matches") {
      return {
        code: "expression.runaway-pattern",
        message: "`matches` is not available: one pattern such as (a+)+$ can keep it busy for minutes",
        suggestion: 'write `re2(text, "pattern")`, which always ends in time proportional to the text',
        start: node.start,
        end: node.end,
      };
    }
    const wrong = inexactProblem(node) ?? mapKeyProblem(node) ?? literalProblem(node);
    if (wrong !== undefined) return wrong;
  }
  const [tree] = nodes;
  return tree !== undefined && nodes.some(isComprehension) && comprehensionDepth(tree) > LIMITS.expressionComprehensions
    ? {
        code: "expression.too-complex",
        message: `more than ${LIMITS.expressionComprehensions} of map, filter, exists, all inside one another`,
        suggestion: "compute the inner list in a step or an output of its own",
        start: tree.start,
        end: tree.end,
      }
    : undefined;
}

// Functions of CEL whose numbers are rounded, or cannot be mixed with ours.
const INEXACT: ReadonlyMap<string, string> = new Map([
  ["double", "decimal(…)"],
  ["uint", "int(…)"],
]);

const NUMBER_TYPES: ReadonlySet<string> = new Set(["int", "uint", "double"]);

function inexactProblem(node: ASTNode): ExpressionProblem | undefined {
  const at = { code: "expression.inexact", start: node.start, end: node.end } as const;
  if (node.op === "call" && INEXACT.has(node.args[0])) {
    const [name] = node.args;
    return { ...at, message: `\`${name}\` is not available: numbers are exact here`, suggestion: `write ${INEXACT.get(name)}` };
  }
  if (node.op === "id" && NUMBER_TYPES.has(node.args))
    return { ...at, message: `no value is of the type \`${node.args}\`: every number that is read is a decimal` };
  if (node.op === "rcall" && node.args[0] === "json" && node.args[2].length === 0)
    return { ...at, message: "`json` is not available: it rounds the numbers that it reads" };
  const text = node.op === "value" ? node.input.slice(node.start, node.end) : "";
  return /^\d.*u$/i.test(text) ? { ...at, message: "unsigned numbers are not available", suggestion: "drop the u" } : undefined;
}

// Literal arguments of functions are checked before the run.
function literalProblem(node: ASTNode): ExpressionProblem | undefined {
  if (node.op !== "call") return undefined;
  const [name, [first, second]] = node.args;
  const text = name === "re2" ? second : first;
  if (text?.op !== "value" || typeof text.args !== "string") return undefined;
  const { args: value, start, end } = text;
  switch (name) {
    case "timestamp":
    case "date": {
      const problem = dateProblem(value);
      return problem === undefined
        ? undefined
        : { code: "expression.date", message: `${JSON.stringify(value)} ${problem}`, start, end };
    }
    case "duration": {
      const duration = Duration.read(value);
      return typeof duration === "string" ? { code: "expression.duration", message: duration, start, end } : undefined;
    }
    case "decimal":
    case "int": {
      const number = Decimal.parse(value);
      if (number !== undefined && (name === "decimal" || number.isInteger())) return undefined;
      const wanted = number === undefined ? "a number" : "a whole number";
      return { code: "expression.number", message: `${JSON.stringify(value)} is not ${wanted}`, start, end };
    }
    case "re2": {
      const problem = patternProblem(value);
      return problem === undefined ? undefined : { code: "expression.pattern", message: problem, start, end };
    }
    default:
      return undefined;
  }
}

function comprehensionDepth(node: ASTNode): number {
  const inner = Math.max(0, ...childrenOf(node).map(comprehensionDepth));
  return inner + (isComprehension(node) ? 1 : 0);
}

/** Returns whether a node calls a method that visits each item. */
export function isComprehension(node: ASTNode): node is ASTNode & { readonly op: "rcall" } {
  return node.op === "rcall" && COMPREHENSIONS.has(node.args[0]);
}

/** Returns every name that the expression reads, the longest path first, except names that the expression binds itself. */
export function referencesIn(tree: ASTNode): readonly Reference[] {
  const found: Reference[] = [];
  collect(tree, AT_FIRST, found);
  return found.slice(); // slice() frees the spare capacity, because the list lives as long as the expression
}

interface ReferenceContext {
  readonly bound: ReadonlySet<string>;
  readonly under: readonly Assumption[];
}

const AT_FIRST: ReferenceContext = { bound: new Set(), under: [] };

function collect(node: ASTNode, around: ReferenceContext, found: Reference[]): void {
  const path = pathOf(node);
  if (path !== undefined) {
    const [root = ""] = path;
    if (!around.bound.has(root)) found.push({ root, path: path.slice(1), start: node.start, end: node.end, under: around.under });
    return;
  }
  const binding = bindingIn(node);
  if (binding !== undefined) {
    collect(binding.value, around, found);
    return collect(binding.body, binds(around, binding.name), found);
  }
  const name = visitOf(node)?.name;
  const inner = name === undefined ? around : binds(around, name);
  const assumed = assumedIn(node);
  childrenOf(node).forEach((child, at) => {
    const more = assumed?.[at];
    // The list itself is evaluated outside the comprehension, where the item's name may mean something else.
    const here = node.op === "rcall" && at === 0 ? around : inner;
    collect(child, more === undefined ? here : { ...here, under: [...here.under, ...more] }, found);
  });
}

function binds({ bound, under }: ReferenceContext, name: string): ReferenceContext {
  return { bound: new Set([...bound, name]), under };
}

/** Returns, for each part of a node, what the other parts have checked before it is evaluated. */
export function assumedIn(node: ASTNode): readonly (readonly Assumption[] | undefined)[] | undefined {
  switch (node.op) {
    case "?:":
      return [undefined, assumptionsOf(node.args[0]), denied(node.args[0])];
    case "&&":
      return [undefined, assumptionsOf(node.args[0])];
    case "||":
      return [undefined, denied(node.args[0])];
    default: {
      const field = hasArgument(node);
      return field === undefined ? undefined : [[there(field)]];
    }
  }
}

/** Returns what must be true if a condition holds. */
export function assumptionsOf(node: ASTNode): readonly Assumption[] {
  if (node.op === "&&") return node.args.flatMap((each) => assumptionsOf(each));
  if (node.op === "!_") return denied(node.args);
  const field = hasArgument(node);
  if (field !== undefined) return [there(field)];
  return node.op === "==" || node.op === "!=" ? comparison(node.op, node.args) : [];
}

// Returns what must be true if a condition does not hold.
function denied(node: ASTNode): readonly Assumption[] {
  if (node.op === "||") return node.args.flatMap((each) => denied(each));
  if (node.op === "!_") return assumptionsOf(node.args);
  return node.op === "==" || node.op === "!=" ? comparison(node.op === "==" ? "!=" : "==", node.args) : [];
}

function comparison(is: "==" | "!=", [left, right]: readonly [ASTNode, ASTNode]): readonly Assumption[] {
  const [named, literal] = left.op === "value" ? [right, left] : [left, right];
  const path = pathOf(named);
  return path !== undefined && literal.op === "value" && typeof literal.args === "string"
    ? [{ is, path, value: literal.args }]
    : [];
}

function hasArgument(node: ASTNode): ASTNode | undefined {
  if (node.op === "rcall" && node.args[0] === "hasValue") return node.args[1];
  return node.op === "call" && node.args[0] === "has" ? node.args[1][0] : undefined;
}

function there(field: ASTNode): Assumption {
  return { is: "there", path: pathOf(field) ?? [] };
}

/** A method that names an item and visits each item of a list: `list.all(name, body)`. */
export interface Visit {
  /** The name of the method, such as `all`. */
  readonly kind: string;
  /** The part that gives the list. */
  readonly list: ASTNode;
  /** The name of the item in the bodies. */
  readonly name: string;
  /** The parts that are evaluated for each item; `map` may have two of them. */
  readonly bodies: readonly ASTNode[];
}

/** Reads a node as a method that visits each item; returns `undefined` for any other node. */
export function visitOf(node: ASTNode): Visit | undefined {
  if (!isComprehension(node)) return undefined;
  const [kind, list, [variable, ...bodies]] = node.args;
  return variable?.op === "id" ? { kind, list, name: variable.args, bodies } : undefined;
}

/** A name for a value: `cel.bind(name, value, body)`. */
export interface Binding {
  /** The name of the value in the body. */
  readonly name: string;
  readonly value: ASTNode;
  readonly body: ASTNode;
}

/** Reads a node as `cel.bind`; returns `undefined` for any other node. */
export function bindingIn(node: ASTNode): Binding | undefined {
  if (node.op !== "rcall" || node.args[0] !== "bind") return undefined;
  const [variable, value, body] = node.args[2];
  return variable?.op === "id" && value !== undefined && body !== undefined ? { name: variable.args, value, body } : undefined;
}

// Returns a name and the fields after it.
function pathOf(node: ASTNode): string[] | undefined {
  if (node.op === "id") return [node.args];
  const field = fieldIn(node);
  if (field === undefined) return undefined;
  const path = pathOf(field.owner);
  path?.push(field.name);
  return path;
}

/** A node that compares two values. */
export type ComparisonNode = Extract<ASTNode, { op: ComparisonOperator }>;

/** Returns whether a node compares two values. */
export function isComparison(node: ASTNode): node is ComparisonNode {
  return isComparing(node.op);
}

/** A part that reads a field or an item of another part. */
export type AccessNode = Extract<ASTNode, { op: "." | ".?" | "[]" | "[?]" }>;

/** Returns whether a node reads a field or an item. */
export function isAccess(node: ASTNode): node is AccessNode {
  return node.op === "." || node.op === ".?" || node.op === "[]" || node.op === "[?]";
}

/** Returns the type of a part of a checked tree. */
export function typeOfPart(node: ASTNode): string | undefined {
  return (node as { readonly checkedType?: { readonly name: string } }).checkedType?.name;
}

/** Returns the owner and the name of a field that a node reads. */
export function fieldIn(node: ASTNode): { readonly owner: ASTNode; readonly name: string } | undefined {
  if (node.op === "." || node.op === ".?") return { owner: node.args[0], name: node.args[1] };
  if (node.op !== "[]") return undefined;
  const [owner, index] = node.args;
  return index.op === "value" && typeof index.args === "string" ? { owner, name: index.args } : undefined;
}

const NO_NODES: readonly ASTNode[] = [];

/** Returns the parts of a node in the order of the text. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return NO_NODES;
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "list":
      return node.args;
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}

/** Returns every node of a tree, each before its parts. */
export function nodesOf(tree: ASTNode): readonly ASTNode[] {
  const nodes: ASTNode[] = [];
  gather(tree, nodes);
  return nodes;
}

function gather(node: ASTNode, nodes: ASTNode[]): void {
  nodes.push(node);
  for (const child of childrenOf(node)) gather(child, nodes);
}
