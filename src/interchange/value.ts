import { Decimal } from "../base/numbers/decimal.ts";

/** An expression in the target language, which is that of playbooks or of Arazzo. */
export class Expr {
  /** The expression without delimiters. */
  readonly text: string;
  /** Whether its value is known to be a text. */
  readonly isText: boolean;

  constructor(text: string, isText = false) {
    this.text = text;
    this.isText = isText;
  }
}

/** A text with expressions in it. */
export class Joined {
  /** The texts and expressions in order. */
  readonly parts: readonly (string | Expr)[];

  constructor(parts: readonly (string | Expr)[]) {
    this.parts = parts;
  }
}

/** A value of a playbook: JSON in which expressions may be anywhere. */
export type WrittenValue = null | boolean | string | Decimal | Expr | Joined | readonly WrittenValue[] | ValueMap;

/** A map of values. */
export interface ValueMap {
  /** The value of each field. */
  readonly [name: string]: WrittenValue;
}

/** Returns whether a value is a map. */
export function isMap(value: WrittenValue | undefined): value is ValueMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLeaf(value);
}

function isLeaf(value: WrittenValue): boolean {
  return value instanceof Decimal || value instanceof Expr || value instanceof Joined;
}

/** Returns a list of these items; `undefined` if one of them is unknown. */
export function listOf(items: readonly (WrittenValue | undefined)[]): readonly WrittenValue[] | undefined {
  return items.includes(undefined) ? undefined : (items as readonly WrittenValue[]);
}

/** Returns a map of these fields; `undefined` if one of them is unknown. */
export function mapOf(fields: readonly (readonly [string, WrittenValue | undefined])[]): ValueMap | undefined {
  return fields.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(fields) as ValueMap);
}

/** A value that is neither a list nor a map. */
type Leaf = Exclude<WrittenValue, readonly WrittenValue[] | ValueMap>;

/** Returns a value with each leaf replaced. */
export function withLeaves(value: WrittenValue, change: (leaf: Leaf) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: WrittenValue) => withLeaves(item, change));
  if (!isMap(value)) return change(value as Leaf);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withLeaves(field, change)]));
}

type SpellExpression = (expression: Expr) => string;

function spelled(value: WrittenValue, inText: SpellExpression, alone = inText): unknown {
  return withLeaves(value, (leaf) => {
    if (leaf instanceof Expr) return alone(leaf);
    return leaf instanceof Joined ? leaf.parts.map((part) => (typeof part === "string" ? part : inText(part))).join("") : leaf;
  });
}

/** Returns the value as a playbook writes it. */
export function written(value: WrittenValue): unknown {
  return spelled(value, ({ text }) => `\${{ ${text} }}`);
}

/** Returns the value as Arazzo writes it. */
export function runtimeOf(value: WrittenValue): unknown {
  return spelled(
    value,
    ({ text }) => `{${text}}`,
    ({ text }) => text,
  );
}

/** Returns the value that a parameter had before it became a text in the request. */
export function typed(text: string): boolean | Decimal | string {
  if (text === "true" || text === "false") return text === "true";
  return Decimal.parse(text) ?? text;
}

/** Returns the value as a CEL expression. */
export function celOf(value: WrittenValue): string {
  if (value instanceof Expr) return value.text;
  if (value instanceof Decimal) return value.text;
  if (value instanceof Joined)
    return value.parts.map((part) => (typeof part === "string" ? JSON.stringify(part) : `string(${part.text})`)).join(" + ");
  if (Array.isArray(value)) return `[${value.map((item: WrittenValue) => celOf(item)).join(", ")}]`;
  if (!isMap(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${celOf(field)}`);
  return `{${fields.join(", ")}}`;
}

const FIELD = /^(?!(?:in|true|false|null)$)[A-Za-z_]\w*$/;

/** Appends a path to an expression. */
export function celPath(owner: string, path: readonly string[]): string {
  return path.reduce((text, key) => {
    if (/^(?:0|[1-9]\d*)$/.test(key)) return `${text}[${key}]`;
    return FIELD.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, owner);
}

/** Returns the value at a path inside another value, if it is known. */
export function valueAt(value: WrittenValue, path: readonly string[]): WrittenValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (value instanceof Expr) return new Expr(celPath(value.text, path));
  const inner = Array.isArray(value) ? (value[Number(key)] as WrittenValue | undefined) : isMap(value) ? value[key] : undefined;
  return inner === undefined ? undefined : valueAt(inner, rest);
}
