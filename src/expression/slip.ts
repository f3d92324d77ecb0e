import { IN_SECONDS } from "./comparing/two-types.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import { messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { FOREIGN_SPACE, hexCode } from "../base/text/text.ts";
import type { ExpressionProblem } from "./problem.ts";

/** Explains why a text cannot be parsed, from the library's error and the text. */
export function syntaxProblem(error: unknown, text: string): ExpressionProblem {
  if (error instanceof RangeError) {
    const message = error.message.startsWith("a number") ? error.message : "this expression nests too deeply";
    return { code: "expression.too-complex", message, start: 0, end: text.length };
  }
  const { start, end } = (error as { range?: { start: number; end: number } }).range ?? { start: 0, end: text.length };
  const exceeded = exceededLimit(summaryOf(error));
  if (exceeded !== undefined) return { code: "expression.too-complex", ...exceeded, start, end: Math.max(end, start + 1) };
  if (summaryOf(error).startsWith("Invalid number: ")) return { ...tooLarge(text.slice(start, end)), start, end };
  const message = summaryOf(error).replaceAll(/\b[A-Z]+\b/g, (token) => TOKENS[token] ?? token);
  const at = { ...endedEarly(message), start, end: Math.max(end, start + 1) };
  return { code: "expression.syntax", ...(signOf(text, start) ?? wordOf(text, start) ?? characterOf(text, start) ?? at) };
}

// A number literal is first a double, before we read it exactly.
function tooLarge(number: string): Omit<ExpressionProblem, "start" | "end"> {
  return Decimal.parse(number) === undefined
    ? { code: "expression.too-complex", message: `a number of more than ${LIMITS.decimalDigits} digits` }
    : { code: "expression.syntax", message: `${number} is too large to be written so`, suggestion: `write decimal("${number}")` };
}

type SlipWords = Omit<ExpressionProblem, "code">;

function endedEarly(message: string): Pick<ExpressionProblem, "message" | "suggestion"> {
  if (message === "Unexpected token: the end") {
    const suggestion = "write the value, or remove the operator before it";
    return { message: "the expression ends where a value is expected", suggestion };
  }
  const [, missing] = /^Expected (\S), got the end$/.exec(message) ?? [];
  return missing === undefined ? { message } : { message, suggestion: `write the missing ${missing}` };
}

// The limits in the library's messages, in words.
const BOUNDED: Readonly<Record<string, string>> = {
  maxAstNodes: "parts in one expression",
  maxDepth: "brackets and dots inside one another",
  maxListElements: "items in one list",
  maxCallArguments: "arguments of one call",
};

function exceededLimit(message: string): Pick<ExpressionProblem, "message" | "suggestion"> | undefined {
  const [, name = "", limit] = /^Exceeded (\w+) \((\d+)\)/.exec(message) ?? [];
  const bounded = BOUNDED[name];
  if (bounded === undefined) return undefined;
  const suggestion = "split it: several items of `expect`, outputs of steps, or values given as inputs";
  return { message: `more than ${Number(limit).toLocaleString("en")} ${bounded}`, suggestion };
}

// The tokens in the library's messages, as they are written.
const TOKENS: Readonly<Record<string, string>> = {
  EOF: "the end",
  IDENTIFIER: "a name",
  NUMBER: "a number",
  STRING: "a text",
  BOOLEAN: "true or false",
  NULL: "null",
  BYTES: "bytes",
  PLUS: "+",
  MINUS: "-",
  MULTIPLY: "*",
  DIVIDE: "/",
  MODULO: "%",
  EQ: "==",
  NE: "!=",
  LT: "<",
  LE: "<=",
  GT: ">",
  GE: ">=",
  AND: "&&",
  OR: "||",
  NOT: "!",
  IN: "in",
  LPAREN: "(",
  RPAREN: ")",
  LBRACKET: "[",
  RBRACKET: "]",
  LBRACE: "{",
  RBRACE: "}",
  DOT: ".",
  COMMA: ",",
  COLON: ":",
  QUESTION: "?",
};

// Operators of other languages, and their spelling in CEL.
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["=", "=="],
  ["===", "=="],
  ["!==", "!="],
  ["<>", "!="],
  ["=>", ">="],
  ["=<", "<="],
  ["&", "&&"],
  ["|", "||"],
  ["=~", 're2(text, "pattern")'],
  ["~", 're2(text, "pattern")'],
  ["!~", '!re2(text, "pattern")'],
  ["matches", 're2(text, "pattern")'],
  ["contains", 'text.contains("part")'],
  ["startswith", 'text.startsWith("part")'],
  ["endswith", 'text.endsWith("part")'],
  ["??", "has(a.field) ? a.field : other"],
  ["and", "&&"],
  ["or", "||"],
  ["not", "!, and quote the whole expression"],
  ["is", "=="],
  ["equals", "=="],
]);

function noOperator(text: string, start: number, end: number): SlipWords | undefined {
  const meant = OPERATORS.get(text.slice(start, end).toLowerCase());
  if (meant === undefined) return undefined;
  return { message: `"${text.slice(start, end)}" is no operator here`, suggestion: `write ${meant}`, start, end };
}

// The parser stops inside an operator that is longer than its own.
function signOf(text: string, at: number): SlipWords | undefined {
  const [before = ""] = /[=<>!~&|?]*$/.exec(text.slice(0, at)) ?? [];
  const [behind = ""] = /^[=<>!~&|?]*/.exec(text.slice(at)) ?? [];
  const isArrow = before + behind === "=>" && /\(\s*\w+\s*\)?\s*$/.test(text.slice(0, at - before.length));
  if (isArrow) {
    const suggestion = "write a comma, as in list.exists(x, x > 1)";
    return { message: "an item has no arrow after it", suggestion, start: at - before.length, end: at + behind.length };
  }
  return noOperator(text, at - before.length, at + behind.length);
}

function wordOf(text: string, at: number): SlipWords | undefined {
  const [word] = /^[A-Za-z_]\w*/.exec(text.slice(at)) ?? [];
  if (word === undefined || !/[\w"')\]]\s*$/.test(text.slice(0, at))) return undefined;
  const not = /\bnot\s+$/i.exec(text.slice(0, at));
  if (not !== null) return noOperator(text, not.index, not.index + "not".length);
  const message = `an operator is missing before "${word}"`;
  return noOperator(text, at, at + word.length) ?? { message, start: at, end: at + word.length };
}

function characterOf(text: string, at: number): SlipWords | undefined {
  const character = text.charAt(at);
  const place = { start: at, end: at + 1 };
  if (/[\u2018-\u201f\u00ab\u00bb]/.test(character)) {
    return { message: `${character} is no quote here`, suggestion: "write \" or '", ...place };
  }
  if (character === "," && /\d$/.test(text.slice(0, at)) && /^,\d/.test(text.slice(at))) {
    const suggestion = "write a point before the decimals, and nothing between the thousands";
    return { message: "a number has no comma", suggestion, ...place };
  }
  if (character === "$") {
    const isQuoted = text.startsWith("${{", at);
    const suggestion = isQuoted
      ? "write it without ${{ }}: all of this is an expression"
      : "write the name alone, as in response.id";
    return { message: "no name begins with $", suggestion, ...place };
  }
  if (!new RegExp(FOREIGN_SPACE).test(character)) return undefined;
  const message = `the character U+${hexCode(character).toUpperCase()} is not a space`;
  return { message, suggestion: "type the space again", ...place };
}

// Messages of the library about values, and our words for them.
const SAID: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^no such overload: !(\S*)$/, "! takes true or false, and is given a $1"],
  [/^no such overload: -(\S*)$/, "- takes a number, and is given a $1"],
  [/^no such overload: (.*)$/s, "these types do not go together: $1"],
  [/^found no matching overload for '(.*)'$/s, "there is no such function of these types: $1"],
  [/dyn<((?:[^<>]|<[^<>]*>)*)>/g, "$1"],
  [/^No such key: index out of bounds, index (-?\d+) .*$/, "the index $1 is out of bounds: the list has no such item"],
  [/^No such key: (.*)$/s, 'there is no field "$1"'],
  [
    /^Ternary branches must have the same type, got '(.*)' and '(.*)'$/s,
    "the two results of ? : must be of one type, and are $1 and $2",
  ],
  [/^Ternary condition must be bool, got '(.*)'$/, "the condition of ? : must be true or false, and is a $1"],
  [/^Logical operator requires bool operands, got '(.*)'$/s, "&& and || take true or false, and are given a $1"],
  [/^integer overflow: (-?\d+)$/, "$1 is too large for an int: write decimal(…) around one of the numbers"],
];

/** Returns why an evaluation failed, and how to fix it if that is known. */
export function failedReason(error: unknown): string {
  const said = summaryOf(error);
  const remedy = remedyOf(said);
  return remedy === undefined ? said : `${said}: ${remedy}`;
}

/** Returns the library's one-line summary of an error, without its drawing of the position. */
function summaryOf(error: unknown): string {
  const { summary } = error as { summary?: string };
  return SAID.reduce((said, [pattern, words]) => said.replace(pattern, words), summary ?? messageOf(error));
}

type Cause = Pick<ExpressionProblem, "message" | "suggestion">;

/** Explains why an expression has no type, from the library's error and the text before and after its place. */
export function illTyped(error: unknown, before: string, behind: string): Cause {
  const message = summaryOf(error);
  const [field] = before.endsWith(".") ? (/^\w+/.exec(behind) ?? []) : [];
  if (field !== undefined && message.startsWith("List index must be int, got 'string'")) {
    const suggestion = LENGTHS.has(field) ? SIZE : `take one item, as in list[0].${field}, or all: list.map(x, x.${field})`;
    return { message: `a list has no field "${field}"`, suggestion };
  }
  const suggestion = remedyOf(message);
  return suggestion === undefined ? { message } : { message, suggestion };
}

const SIZE = "size(…) gives the length of a text or a list";
const LENGTHS: ReadonlySet<string> = new Set(["length", "len", "count", "size"]);

function remedyOf(message: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(message))?.[1];
}

const NO_FUNCTION = "^there is no such function of these types: ";

const REMEDIES: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [
    /^(?:these types do not go together|the two results of .*, and are):? (?:(?:decimal|int) \S+ string|string \S+ (?:decimal|int))$/,
    "a text is never taken for a number: drop its quotes, or write decimal(…) around it",
  ],
  [
    /^these types do not go together: (?:string \S+ date|date \S+ string)$/,
    "a text is never taken for a date: write date(…) around it",
  ],
  [
    /^these types do not go together: (?:.+ [!=]= null|null [!=]= .+)$/,
    "what is of this type is never null: ask whether a field is there with has(…)",
  ],
  [/^these types do not go together: (?:duration [*/%] \S+|\S+ [*/%] duration)$/, IN_SECONDS],
  [/^- takes a number, and is given a string$/, "write decimal(…) around it"],
  [/^Cannot index type 'string'/, "it has no fields; size(…) gives its length"],
  [
    /^List index must be int, got 'decimal'/,
    "write int(…) around it; a division is exact, and has a whole result only where nothing is left over",
  ],
  [
    /^the two results of \? : must be of one type, and are (?:decimal and int|int and decimal)$/,
    "write decimal(…) around the whole number",
  ],
  [new RegExp(`${NO_FUNCTION}(?:.*\\.)?(?:len|length|count)\\(`), SIZE],
  [new RegExp(`${NO_FUNCTION}date\\(`), 'date takes one text, as in date("2026-01-31")'],
  [new RegExp(`${NO_FUNCTION}string\\.get[A-Z]`), "write date(…) around the text"],
  [new RegExp(`${NO_FUNCTION}(?:now|today)\\(`), "date(run.startedAt) is the time when the run started"],
  [new RegExp(`${NO_FUNCTION}(?:uuid|random)\\(`), "run.key is another text in each run"],
  [new RegExp(`${NO_FUNCTION}list.*\\.sum\\(`), "write sum(list)"],
  [new RegExp(`${NO_FUNCTION}string\\.(?:lower|toLowerCase|toLower)\\(`), "write text.lowerAscii()"],
  [new RegExp(`${NO_FUNCTION}string\\.(?:upper|toUpperCase|toUpper)\\(`), "write text.upperAscii()"],
];

// What other languages call the functions that take a name for the items.
const MACROS: ReadonlyMap<string, string> = new Map([
  ["any", "list.exists(x, x > 1)"],
  ["some", "list.exists(x, x > 1)"],
  ["every", "list.all(x, x > 1)"],
  ["none", "!list.exists(x, x > 1)"],
  ["find", "list.filter(x, x > 1)[0]"],
  ["count", "size(list.filter(x, x > 1))"],
  ["sum", "sum(list.map(x, x.amount))"],
]);

/** Returns the function that a person meant who gives a name to the items of a list in a function that does not exist. */
export function macroMeant(before: string): string | undefined {
  const meant = MACROS.get(/\.(\w+)\(\s*$/.exec(before)?.[1] ?? "");
  return meant === undefined ? undefined : `write ${meant}`;
}

// Matches a text literal, a raw one, a comment, or one other character.
const PARTS =
  /(?:[bB]?[rR]|[rR][bB])(?:"""[^]*?"""|'''[^]*?'''|"[^"]*"|'[^']*')|"""(?:\\[^]|[^])*?"""|'''(?:\\[^]|[^])*?'''|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\/\/|[^]/g;

/** Returns the problem of a CEL comment. A comment ends with its line, but YAML joins lines, so the rest of a condition would silently be ignored. */
export function commentProblem(text: string): ExpressionProblem | undefined {
  if (!text.includes("//")) return undefined;
  const comment = [...text.matchAll(PARTS)].find(([part]) => part === "//");
  if (comment === undefined) return undefined;
  return {
    code: "expression.syntax",
    message: "an expression has no comments: everything behind // would silently be left out",
    suggestion: "write it as a comment of YAML: # on a line of its own",
    start: comment.index,
    end: comment.index + "//".length,
  };
}

/** Returns how to declare a name at the beginning of a playbook. */
export function declaration(owner: string, name: string): string | undefined {
  if (owner === "inputs") return `declare it: inputs: { ${name}: { type: string } }`;
  return owner === "actors" ? `declare it: actors: { ${name}: { ledger: "userId:alice" } }` : undefined;
}

/** Returns the fields that a value has, as a suggestion. */
export function fieldsNamed(known: readonly string[]): string {
  return known.length === 0 ? "it has no fields" : `it has: ${known.join(", ")}`;
}
