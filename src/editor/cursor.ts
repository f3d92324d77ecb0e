import { childrenOf, nodesOf, typeOfPart, visitOf } from "../expression/syntax.ts";
import { itemType, type TypeEnvironment, type TypeName } from "../expression/types.ts";
import { wordAt } from "./document.ts";
import type { ExpressionPart } from "../expression/expression.ts";

type Tree = NonNullable<ReturnType<TypeEnvironment["tree"]>>;

/** The word at a place of an expression, and what it is a word of. */
export interface Word extends ExpressionPart {
  /** What it is a field or method of; `undefined` when it is a name by itself. */
  readonly owner: Owner | undefined;
  /** The names that the comprehensions around it have given, with their types. */
  readonly bound: Readonly<Record<string, TypeName>>;
  /** The names that lead to it, itself the last, as in `steps`, `mint`, `id`. */
  readonly chain: readonly string[];
}

interface Owner {
  readonly text: string;
  readonly type: TypeName;
}

/** The word around a place of an expression; `undefined` in a text or a number. The expression may be as yet unfinished. */
export function wordIn(text: string, at: number, types: TypeEnvironment): Word | undefined {
  const { start, end } = wordAt(text, at);
  if (isInText(text, at) || /^\d/.test(text.slice(start))) return undefined;
  const before = text.slice(0, start).trimEnd();
  const word = { text: text.slice(start, end), start, end };
  if (!/\.\??$/.test(before)) return { ...word, owner: undefined, bound: namesBound(before, types), chain: [word.text] };
  const receiver = before.replace(/\.\??$/, "").trimEnd();
  const from = chainStart(receiver);
  const owner = { text: receiver.slice(from), type: typeAtEnd(receiver, from, types) };
  return { ...word, owner, bound: {}, chain: [...owner.text.split("."), word.text] };
}

// Of `… sum(xs.map(x, x` the type of the last x: the whole is tried first, for the names that it binds, then ever less of it.
function typeAtEnd(text: string, from: number, types: TypeEnvironment): TypeName {
  for (const start of [0, lastPart(text), from]) {
    const tree = types.tree(closed(text.slice(start)));
    const found = tree === undefined ? undefined : partAt(tree, from - start, text.length - start);
    const type = found === undefined ? undefined : typeOfPart(found);
    if (type !== undefined) return type;
  }
  return "dyn";
}

function partAt(tree: Tree, start: number, end: number): Tree | undefined {
  const parts = nodesOf(tree).filter((node) => node.start >= start && node.end <= end);
  return parts.find((node) => node.end === end) ?? parts.find((node) => node === tree);
}

const PLACEHOLDER = "placeholder_";

function namesBound(before: string, types: TypeEnvironment): Readonly<Record<string, TypeName>> {
  for (const start of [0, lastPart(before)]) {
    const text = before.slice(start);
    const tree = types.tree(closed(`${text} ${PLACEHOLDER}`));
    if (tree !== undefined) return boundAround(tree) ?? {};
  }
  return {};
}

function boundAround(node: Tree): Readonly<Record<string, TypeName>> | undefined {
  if (node.op === "id") return node.args === PLACEHOLDER ? {} : undefined;
  const visit = visitOf(node);
  for (const child of childrenOf(node)) {
    const inner = boundAround(child);
    if (inner === undefined) continue;
    const own = visit === undefined || child === visit.list ? {} : { [visit.name]: itemOf(typeOfPart(visit.list)) };
    return { ...own, ...inner };
  }
  return undefined;
}

/** The type of what a comprehension looks at: of a list its items, of a map its keys. */
function itemOf(type: TypeName | undefined): TypeName {
  if (type?.startsWith("map<") === true) return "string";
  return itemType(type ?? "") ?? "dyn";
}

// An expression that was begun, with what closes its brackets.
function closed(text: string): string {
  let closing = "";
  for (const { char } of outsideTexts(text)) {
    if (char === "(") closing = `)${closing}`;
    else if (char === "[") closing = `]${closing}`;
    else if (char === "{") closing = `}${closing}`;
    else if (")]}".includes(char)) closing = closing.slice(1);
  }
  return text + closing;
}

// Where the last part begins that no operator of lowest rank joins to the others, outside of brackets that are closed or not.
function lastPart(text: string): number {
  let [depth, start] = [0, 0];
  for (const { char, at } of outsideTexts(text)) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (depth === 0 && /[&|?:]/.test(char) && text[at - 1] !== ".") start = at + 1;
  }
  return start;
}

// Where the chain of fields and calls begins that ends with the text.
function chainStart(text: string): number {
  const open: number[] = [];
  let start = 0;
  let fresh = true;
  for (const { char, at } of outsideTexts(text, true)) {
    if ("([{".includes(char)) {
      open.push(fresh ? at : start);
      fresh = true;
    } else if (")]}".includes(char)) {
      start = open.pop() ?? start;
      fresh = false;
    } else if (/[\w.?"']/.test(char) && !(char === "?" && text[at - 1] !== ".")) {
      if (fresh) start = at;
      fresh = false;
    } else if (!/\s/.test(char)) {
      fresh = true;
    } else if (!/^\s*\./.test(text.slice(at)) && !/\.\s*$/.test(text.slice(0, at))) {
      fresh = true;
    }
  }
  return start;
}

function isInText(text: string, at: number): boolean {
  let inside = true;
  for (const { at: place } of outsideTexts(`${text.slice(0, at)} `)) if (place === at) inside = false;
  return inside;
}

// The characters of an expression that are in none of its texts; with `quotes`, those around them too.
function* outsideTexts(text: string, quotes = false): Generator<{ readonly char: string; readonly at: number }> {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const opens = quote === "" && (char === '"' || char === "'");
    if (quote !== "" && char === "\\") at++;
    else if (char === quote) quote = "";
    else if (quote === "" && !opens) yield { char, at };
    if (opens) {
      quote = char;
      if (quotes) yield { char, at };
    }
  }
}
