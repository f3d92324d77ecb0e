import { readRuntime } from "./runtime-expression.ts";

// Arazzo has simple conditions and JSONPath filters, which have the same syntax.

/** A part of a condition. */
export type ConditionPart =
  | { readonly kind: "literal"; readonly text: string; readonly isText: boolean }
  | { readonly kind: "runtime"; readonly text: string; readonly path: readonly string[] }
  | { readonly kind: "current"; readonly path: readonly string[] }
  | { readonly kind: "not"; readonly inner: ConditionPart }
  | { readonly kind: "group"; readonly inner: ConditionPart }
  | { readonly kind: "binary"; readonly operator: string; readonly left: ConditionPart; readonly right: ConditionPart };

const TOKEN =
  /\s*(?:('(?:[^']|'')*'|"(?:[^"\\]|\\.)*")|(\$[\w-]+(?:[\w.-]|\[\d+\])*(?:#(?:[^\s()=!<>&|,\]]|\](?=\/))*)?)|(@(?:\.[\w-]+|\[(?:'[^']*'|"[^"]*"|\d+)\])*)|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null)\b|(&&|\|\||==|!=|<=|>=|<|>|!|\(|\))|((?:\.[\w-]+|\[\d+\])+))/y;

const BINARY: readonly (readonly string[])[] = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="]];

/** Why a text is not a condition. */
export class BadCondition extends Error {}

/** How deeply brackets may be nested. */
const DEEPEST = 32;

/** Reads a condition. Throws a {@link BadCondition}. */
export function readCondition(text: string): ConditionPart {
  const reader = new ConditionReader(text);
  const condition = reader.level(0, 0);
  if (!reader.ended) throw new BadCondition(`"${reader.next()}" cannot be here`);
  return condition;
}

class ConditionReader {
  readonly #tokens: readonly RegExpExecArray[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  get ended(): boolean {
    return this.#at >= this.#tokens.length;
  }

  next(): string {
    return this.#tokens[this.#at]?.[0].trim() ?? "the end";
  }

  level(level: number, depth: number): ConditionPart {
    const operators = BINARY[level];
    if (operators === undefined) return this.#unary(depth);
    let left = this.level(level + 1, depth);
    while (operators.includes(this.next())) {
      const operator = this.next();
      this.#at += 1;
      left = { kind: "binary", operator, left, right: this.level(level + 1, depth) };
    }
    return left;
  }

  #unary(depth: number): ConditionPart {
    if (depth > DEEPEST) throw new BadCondition(`it has more than ${DEEPEST} brackets inside one another`);
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new BadCondition("it ends too early");
    this.#at += 1;
    const [, text, runtime, current, number, word, operator] = token;
    if (operator === "!") return { kind: "not", inner: this.#unary(depth + 1) };
    if (operator === "(") return this.#group(depth);
    if (text !== undefined) return { kind: "literal", text: JSON.stringify(unquoted(text)), isText: true };
    const plain = number ?? word;
    if (plain !== undefined) return { kind: "literal", text: plain, isText: false };
    if (current !== undefined) return { kind: "current", path: keysIn(current) };
    if (runtime !== undefined) return this.#runtime(runtime);
    throw new BadCondition(`"${token[0].trim()}" cannot be here`);
  }

  #group(depth: number): ConditionPart {
    const inner = this.level(0, depth + 1);
    if (this.next() !== ")") throw new BadCondition("a bracket is not closed");
    this.#at += 1;
    return { kind: "group", inner };
  }

  #runtime(text: string): ConditionPart {
    const after = this.#tokens[this.#at]?.[7];
    if (after !== undefined) this.#at += 1;
    if (readRuntime(text) === undefined) throw new BadCondition(`"${text}" is no runtime expression`);
    return { kind: "runtime", text, path: keysIn(after ?? "") };
  }
}

function tokensOf(text: string): readonly RegExpExecArray[] {
  const tokens: RegExpExecArray[] = [];
  const whole = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < whole.length) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(whole);
    if (token === null) throw new BadCondition(`"${whole.slice(from, from + 20).trim()}" cannot be read`);
    tokens.push(token);
  }
  return tokens;
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return text.slice(1, -1).replaceAll(/\\(.)/g, "$1");
}

function keysIn(path: string): readonly string[] {
  return Array.from(path.matchAll(/\.([\w-]+)|\[(?:'([^']*)'|"([^"]*)"|(\d+))\]/g), ([, a, b, c, d]) => a ?? b ?? c ?? d ?? "");
}

/** The list that a JSONPath refers to, and the condition that selects its items. */
interface Filter {
  /** The keys from the root to the list, or to the named value. */
  readonly path: readonly string[];
  /** The condition that selects items; undefined if the path names one value. */
  readonly where: ConditionPart | undefined;
}

/** Reads a JSONPath that names a value, or selects items of a list by one filter. Returns `undefined` for any other. Throws a {@link BadCondition}. */
export function readFilter(text: string): Filter | undefined {
  // In the standard's own example, the root is a list that contains only the context.
  const around = /^\$\[\?\s*(?:\(\s*)?@((?:\.[\w-]+|\[\d+\])*(?:\[\?.+\]|\[\d+\]))\s*\)?\s*\]$/s.exec(text.trim());
  if (around?.[1] !== undefined) return readFilter(`$${around[1]}`);
  const found = /^\$((?:\.[\w-]+|\[(?:'[^']*'|"[^"]*"|\d+)\])*)(?:\[\?\s*(.+)\])?$/s.exec(text.trim());
  if (found === null) return undefined;
  const [, path = "", where] = found;
  return { path: keysIn(path), where: where === undefined ? undefined : readCondition(where) };
}

/** Returns the parts that must all hold. */
export function conjuncts(condition: ConditionPart): readonly ConditionPart[] {
  if (condition.kind === "group") return conjuncts(condition.inner);
  if (condition.kind !== "binary" || condition.operator !== "&&") return [condition];
  return [...conjuncts(condition.left), ...conjuncts(condition.right)];
}

/** Returns every part of a condition. */
export function partsOf(condition: ConditionPart): readonly ConditionPart[] {
  if (condition.kind === "binary") return [condition, ...partsOf(condition.left), ...partsOf(condition.right)];
  return condition.kind === "not" || condition.kind === "group" ? [condition, ...partsOf(condition.inner)] : [condition];
}
