import { styleText } from "node:util";
import type { Terminal, TextKind } from "../shell.ts";
import { isOn, isSet, type Variables } from "../../base/variables.ts";

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<string, Style>> = {
  "✓": "green",
  "=": "green",
  "!": "yellow",
  "–": "dim",
  "·": "dim",
  "…": "yellow",
  "✗": "red",
  "≠": "red",
  "?": "magenta",
  "‼": "magenta",
};

// If several runs write into one log, the mark follows the name of the playbook. Everything else at the start of a line is our own text.
const MARKED = new RegExp(String.raw`^((?:\[[^\]]*\] )?\s*)([${Object.keys(STYLES).join("")}])(?= )`, "gm");

/** Whether a CI system runs this: `CI` is set, and is not `false`. */
export function isCi({ CI: ci }: Variables): boolean {
  return isSet(ci) && ci !== "false";
}

/** Returns whether to print colours: `NO_COLOR` wins over `FORCE_COLOR`, and both win over the kind of the output. */
export function showsColour({ isTTY }: Pick<Terminal, "isTTY">, variables: Variables): boolean {
  if (isSet(variables["NO_COLOR"])) return false;
  const { FORCE_COLOR: forced } = variables;
  if (isSet(forced)) return isOn(forced);
  return isTTY && variables["TERM"] !== "dumb";
}

/** Returns a mark in its color, or in the given one if it has none. */
export function colouredMark(mark: string, otherwise: Style = "reset"): string {
  return styleText(STYLES[mark] ?? otherwise, mark, { validateStream: false });
}

/** Returns the kind of a text whose marks are colored if colors are wanted. */
export function markedOn(terminal: Pick<Terminal, "isTTY">, variables: Variables): TextKind {
  return showsColour(terminal, variables) ? "coloured" : "words";
}

/** Lines whose marks have their colours; the text is the same. */
export function painted(text: string): string {
  return text.replaceAll(MARKED, (_, before: string, mark: string) => before + colouredMark(mark));
}
