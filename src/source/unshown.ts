import type { Finding } from "./diagnostic.ts";
import { type Parsed, parseYaml } from "./parse.ts";

// If a text cannot be parsed, its keys and secrets are unknown, but its lines are shown to explain the error (decision 12).

/** Parses a text that refers to keys and secrets. If this fails, no value that is written in place of a reference is shown. */
export function parseUnshown(path: string, text: string): Parsed {
  const parsed = parseYaml(path, text);
  const [first] = parsed.diagnostics;
  if (parsed.root !== undefined || first === undefined) return parsed;
  const { file, diagnostics } = parseYaml(path, withoutWritten(text));
  const [shown] = diagnostics;
  if (shown?.line === first.line && shown.column === first.column && shown.message === first.message) {
    return { file, root: undefined, diagnostics };
  }
  const start = file.offsetAt(first);
  return { file, root: undefined, diagnostics: [file.diagnose(UNREADABLE, { start, end: start + 1 })] };
}

const UNREADABLE: Finding = {
  code: "source.syntax",
  message: "the text cannot be read here; what may be a secret is not shown",
  suggestion: "refer to a secret as env:NAME or file:PATH, and quote any other text",
};

const NAMED = /["']?(?:api[-_]?key|credentials|secrets?|passwords?|url|postgres|http|headers)["']?[ \t]*:/i;
const LONGEST_LINE = 4_000;

/** Matches the value after a key if it is not a reference, up to the next key or the end of the line; also in braces, as in `{KEY}`. */
const VALUE =
  /(?<=:[ \t]+)(?:(?!["']?(?:env|file):|[|>][-+\d]*[ \t\r]*$)[^\s{#].*?(?=[ \t]*(?:,[ \t]*["']?\w+["']?[ \t]*:|[ \t}\r]*$))|\{+[^:{}]+\})/g;
const ENTRY = /^[ \t{,-]*["']?\w+["']?[ \t]*:/;

/** The part of a text below a name whose values may be secrets. */
interface Region {
  /** The column of the line with the name. Text that is indented further belongs to it. */
  readonly margin: number;
  /** How many brackets are open. */
  readonly depth: number;
  /** The quote that is open; empty if there is none. */
  readonly quote: string;
}

function withoutWritten(text: string): string {
  let region: Region | undefined;
  const lines = text.split("\n").map((line) => {
    if (region !== undefined && isWithin(region, line)) {
      const isEntry = region.quote === "" && ENTRY.test(line);
      region = behind(region, line);
      return isEntry ? hiddenIn(line) : hidden(line);
    }
    const at = line.search(NAMED);
    region = at < 0 ? undefined : behind({ margin: marginOf(line), depth: 0, quote: "" }, line.slice(at));
    return at < 0 ? line : line.slice(0, at) + hiddenIn(line.slice(at));
  });
  return lines.join("\n");
}

function isWithin({ margin, depth, quote }: Region, line: string): boolean {
  return depth > 0 || quote !== "" || /^\s*(?:#|$)/.test(line) || marginOf(line) > margin;
}

function marginOf(line: string): number {
  return line.search(/\S|$/);
}

const BRACKETS: Readonly<Record<string, number>> = { "{": 1, "[": 1, "}": -1, "]": -1 };

// A quote begins a text only where a value may begin; elsewhere it may be an apostrophe.
function behind({ margin, depth, quote }: Region, line: string): Region {
  let [open, quoted] = [depth, quote];
  for (let at = 0; at < line.length; at++) {
    const [before = " ", char = ""] = [line[at - 1], line[at]];
    if (quoted !== "") {
      if (char === "\\" && quoted === '"') at++;
      else if (char === quoted) quoted = "";
    } else if (char === "#" && /\s/.test(before)) break;
    else if ((char === '"' || char === "'") && /[\s:,[{]/.test(before)) quoted = char;
    else open = Math.max(0, open + (BRACKETS[char] ?? 0));
  }
  return { margin, depth: open, quote: quoted };
}

const COMMENT = /(?<=[ \t])#.*/;

function hiddenIn(line: string): string {
  return line.length > LONGEST_LINE ? hidden(line) : line.replaceAll(VALUE, hidden).replace(COMMENT, hidden);
}

function hidden(text: string): string {
  return text.replaceAll(/[^\s{}[\],]/g, "x");
}
