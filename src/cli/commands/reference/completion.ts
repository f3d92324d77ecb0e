import { oneLine } from "../../../report/formats/foreign-text.ts";
import { COMPLETION_SCRIPTS, type ShellName } from "../../complete/scripts.ts";
import { type Candidate, valuesOf } from "../../complete/values.ts";
import { argumentAt, type Cursor, cursorIn } from "../../complete/walk.ts";
import { wordsOf } from "../../complete/words.ts";
import { printText } from "../../print/result.ts";
import { buildProgram } from "../../program/program.ts";
import type { Command, Shell } from "../../shell.ts";

/** `tokenbook completion SHELL`: what the shell reads to complete our commands. */
export const completion: Command<{ readonly shell: ShellName }> = async (shell, { shell: name }) => {
  return printText(shell, COMPLETION_SCRIPTS[name], "exact");
};

/** Answers the completion scripts: for the line up to the cursor, the words that may complete it, each on a line with its meaning. */
export const complete: Command<{ readonly line: string }> = async (shell, { line }) => {
  const cursor = cursorIn(buildProgram(shell), wordsOf(line).slice(1));
  const fitting = candidatesAt(shell, cursor).filter((candidate) => isOffered(candidate, cursor));
  const lines = fitting.map(({ value, description = "" }) => `${cursor.before}${value}\t${oneLine(description)}\n`);
  return printText(shell, lines.join(""), "exact");
};

// Shells obey what they are offered once it is entered: a name of somebody else's must not become a command, nor a file's an option.
const HARMLESS = /^[\p{L}\p{M}\p{N}_./:=@,+%[\]-]+$/u;

function isOffered({ value }: Candidate, { typed, valueOf }: Cursor): boolean {
  const mayBeOption = valueOf === undefined && typed.startsWith("-");
  return value.startsWith(typed) && HARMLESS.test(value) && (mayBeOption || !value.startsWith("-"));
}

function candidatesAt(shell: Shell, cursor: Cursor): readonly Candidate[] {
  try {
    return cursor.valueOf === undefined ? wordsAt(shell, cursor) : valuesOf(shell, cursor, cursor.valueOf);
  } catch {
    return []; // what cannot be read has no names to offer, and a prompt is no place for an error
  }
}

function wordsAt(shell: Shell, cursor: Cursor): readonly Candidate[] {
  const { command, positionals, typed } = cursor;
  const help = command.createHelp();
  if (typed.startsWith("-")) {
    return help.visibleOptions(command).map(({ long, description }) => ({ value: long ?? "", description }));
  }
  const commands = positionals.length > 0 ? [] : help.visibleCommands(command);
  const argument = argumentAt(cursor);
  return [
    ...commands.map((each) => ({ value: each.name(), description: each.description() })),
    ...(argument === undefined ? [] : valuesOf(shell, cursor, argument)),
  ];
}
