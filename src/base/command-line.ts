import { quoted } from "./text/text.ts";

/** A command of tokenbook that can be typed as it is printed. It has its own type, so that no foreign text is mistaken for a command. */
export class CommandLine {
  /** The whole command, with `tokenbook` before it. */
  readonly text: string;

  /** For callers that know that the text is a command; others use `command`. */
  constructor(text: string) {
    this.text = text;
  }
}

/** Makes a command from its words: command`runs show ${id}`. A value is quoted for the shell; each value of a list becomes a word of its own. */
export function command(words: TemplateStringsArray, ...values: readonly (string | readonly string[])[]): CommandLine {
  const spelt = values.map((value) => (typeof value === "string" ? quoted(value) : value.map(quoted).join(" ")));
  return new CommandLine(`tokenbook ${String.raw({ raw: words }, ...spelt)}`);
}

/** What a person can do: words and commands, each on a line of its own. */
export type AdviceLines = readonly (string | CommandLine)[];

/** The same, with one line or several. */
export type Advice = string | CommandLine | AdviceLines;

/** Returns advice as a text. In it, exactly the lines that begin with `tokenbook` are commands. */
export function adviceText(advice: Advice): string {
  const lines = typeof advice === "string" || advice instanceof CommandLine ? [advice] : advice;
  return lines.map((line) => (typeof line === "string" ? line.replaceAll(BEGINNING, " ") : line.text)).join("\n");
}

/** Returns the lines of such a text. */
export function adviceLines(text: string): AdviceLines {
  return text.split("\n").map((line) => (line.startsWith("tokenbook ") ? new CommandLine(line) : line));
}

const BEGINNING = /^(?=tokenbook )/gm;

/** Adds options to a command, so that it finds its subject wherever it is typed. `spell` escapes the options for another format. */
export type Hint = (command: CommandLine, spell?: (options: string) => string) => string;

/** For places where commands need no options. */
export const PLAIN_HINT: Hint = ({ text }) => text;

/** Returns the advice in a text, with each of its commands completed. */
export function completedAdvice(text: string, hint: Hint): string {
  return adviceLines(text)
    .map((line) => (typeof line === "string" ? line : hint(line)))
    .join("\n");
}
