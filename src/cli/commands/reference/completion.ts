import { oneLine } from "../../../report/formats/foreign-text.ts";
import { COMPLETION_SCRIPTS, type ShellName } from "../../complete/scripts.ts";
import { type Candidate, valuesOf } from "../../complete/values.ts";
import { argumentAt, type Cursor, cursorIn } from "../../complete/walk.ts";
import { wordsOf } from "../../complete/words.ts";
import { printText } from "../../print/result.ts";
import { buildProgram } from "../../program/program.ts";
import type { Command, Shell } from "../../shell.ts";

/** `tokenbook completion SHELL`: prints the script that the shell loads for completion. */
export const completion: Command<{ readonly shell: ShellName }> = async (shell, { shell: name }) => {
  return printText(shell, COMPLETION_SCRIPTS[name], "exact");
};

/** Answers the completion scripts. For a line up to the cursor, prints each word that may complete it on a line, with its meaning. */
export const complete: Command<{ readonly line: string }> = async (shell, { line }) => {
  const cursor = cursorIn(buildProgram(shell), wordsOf(line).slice(1));
  const fitting = candidatesAt(shell, cursor).filter((candidate) => isOffered(candidate, cursor));
  const lines = fitting.map(({ value, description = "" }) => `${cursor.before}${value}\t${oneLine(description)}\n`);
  return printText(shell, lines.join(""), "exact");
};

// A completed word becomes a part of the command line. So a name that somebody else has chosen must not become a command, and a file name must not become an
// option.
const HARMLESS = /^[\p{L}\p{M}\p{N}_./:=@,+%[\]-]+$/u;

function isOffered({ value }: Candidate, { typed, valueOf }: Cursor): boolean {
  const mayBeOption = valueOf === undefined && typed.startsWith("-");
  return value.startsWith(typed) && HARMLESS.test(value) && (mayBeOption || !value.startsWith("-"));
}

function candidatesAt(shell: Shell, cursor: Cursor): readonly Candidate[] {
  try {
    return cursor.valueOf === undefined ? wordsAt(shell, cursor) : valuesOf(shell, cursor, cursor.valueOf);
  } catch {
    return []; // a place that cannot be read offers no names, and a shell prompt must not show errors
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
