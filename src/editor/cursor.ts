import { childrenOf, nodesOf, typeOfPart, visitOf } from "../expression/syntax.ts";
import { itemType, type TypeEnvironment, type TypeName } from "../expression/types.ts";
import { wordAt } from "./document.ts";
import type { ExpressionPart } from "../expression/expression.ts";

type Tree = NonNullable<ReturnType<TypeEnvironment["tree"]>>;

/** The word at a place of an expression, and the value that it belongs to. */
export interface Word extends ExpressionPart {
  /** The value whose field or method it is; `undefined` if it is a name by itself. */
  readonly owner: Owner | undefined;
  /** The variables of the comprehensions around it, with their types. */
  readonly bound: Readonly<Record<string, TypeName>>;
  /** The names that lead to it, ending with the word itself, as in `steps`, `mint`, `id`. */
  readonly chain: readonly string[];
}

interface Owner {
  readonly text: string;
  readonly type: TypeName;
}

/** Returns the word around a place of an expression; `undefined` in a text or a number. The expression may be unfinished. */
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

// Returns the type of the last part, such as the last x in `… sum(xs.map(x, x`. The whole text is tried first, because it has the variables of comprehensions,
// then shorter and shorter ends of it.
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

/** Returns the item type of a comprehension: the items of a list, or the keys of a map. */
function itemOf(type: TypeName | undefined): TypeName {
  if (type?.startsWith("map<") === true) return "string";
  return itemType(type ?? "") ?? "dyn";
}

// Returns an unfinished expression with its brackets closed.
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

// Returns the start of the last part that no operator of lowest rank joins to the others. Brackets may be open or closed.
function lastPart(text: string): number {
  let [depth, start] = [0, 0];
  for (const { char, at } of outsideTexts(text)) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (depth === 0 && /[&|?:]/.test(char) && text[at - 1] !== ".") start = at + 1;
  }
  return start;
}

// Returns the start of the chain of fields and calls at the end of the text.
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

// Yields the characters of an expression outside its text literals. With `quotes`, also yields the quotes around them.
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
