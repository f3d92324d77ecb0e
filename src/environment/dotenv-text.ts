import { Failure } from "../base/failure.ts";
import type { Variables } from "../base/variables.ts";

// One line gives one variable. A line that could be read in two ways is refused, because a key that is read only in part would not be
// masked.

const BLANK = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME = /[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_]\w*)[^\S\n]*=[^\S\n]*/y;
const QUOTED = /"([^"]*)"|'([^']*)'|`([^`]*)`/y;
const PLAIN = /[^\n]*/y;
const COMMENT = /\s#.*$/;

/** Returns the variables of a text in the format of `.env`, which messages call `name`. Throws a Failure that names the first unclear line. */
export function variablesIn(text: string, name: string): Variables {
  const reading = new Reading(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"), name);
  const variables = new Map<string, string>();
  while (!reading.isAtEnd) {
    if (reading.take(BLANK) !== undefined) continue;
    const line = reading.line;
    const [, variable = ""] =
      reading.take(NAME) ?? reading.refuse("is neither NAME=VALUE nor a comment", "write NAME=VALUE, or # before a comment");
    if (variables.has(variable)) reading.refuse(`gives ${variable} a second time`, "remove one of the two lines", line);
    variables.set(variable, reading.value(variable));
  }
  return Object.fromEntries(variables);
}

class Reading {
  readonly #text: string;
  readonly #name: string;
  #at = 0;

  constructor(text: string, name: string) {
    this.#text = text;
    this.#name = name;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The number of the current line, from 1. */
  get line(): number {
    return this.#text.slice(0, this.#at).split("\n").length;
  }

  /** Returns the match of a sticky pattern at the present position and moves behind it; returns undefined if there is no match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  /** Returns the value of a variable. A quoted value may have several lines. */
  value(variable: string): string {
    const line = this.line;
    const quoted = this.take(QUOTED);
    if (quoted !== undefined) {
      if (this.take(BLANK) === undefined)
        this.refuse(`has text after the quoted value of ${variable}`, "quote the whole value", line);
      // Only in double quotes, \n means a line end.
      return quoted[1]?.replaceAll(String.raw`\n`, "\n") ?? quoted[2] ?? quoted[3] ?? "";
    }
    const plain = (this.take(PLAIN)?.[0] ?? "").replace(COMMENT, "").trim();
    if (/^["'`]/.test(plain)) this.refuse(`does not end the quoted value of ${variable}`, "close the quotation mark", line);
    if (plain.includes("#"))
      this.refuse(`has # in the value of ${variable}, where a comment could begin`, "quote the value", line);
    return plain;
  }

  /** Throws the failure about a line. It shows no value, because that may be a key. */
  refuse(how: string, next: string, line = this.line): never {
    throw new Failure({
      code: "dotenv.unclear",
      message: `${this.#name}:${line} ${how}`,
      why: "if tokenbook skipped or cut the line, a run would get other values than the file shows",
      next,
    });
  }
}
