import { EXIT } from "../../base/exit.ts";
import { oneLine } from "../../report/foreign.ts";
import { DIRECTIVE, scriptFor, type ShellName } from "../complete/scripts.ts";
import { type Candidate, valuesOfArgument, valuesOfOption } from "../complete/values.ts";
import { argumentAt, type Cursor, cursorIn } from "../complete/walk.ts";
import { buildProgram } from "../program.ts";
import type { Command, Shell } from "../shell.ts";

/** `tokenbook completion SHELL`: what the shell reads to complete our commands. */
export const completion: Command<{ readonly shell: ShellName }> = async (shell, { shell: name }) => {
  shell.stdout.write(scriptFor(name, "tokenbook"));
  return EXIT.passed;
};

/** What those scripts ask: the words up to the cursor, for the candidates that may stand there, one a line, and how to go on. */
export const complete: Command<{ readonly words: readonly string[] }> = async (shell, { words }) => {
  const cursor = cursorIn(buildProgram(shell), words);
  const fitting = candidatesAt(shell, cursor).filter(({ value }) => value.startsWith(cursor.typed) && HARMLESS.test(value));
  const goesOn = fitting.length === 1 && /[/=]$/.test(fitting[0]?.value ?? "");
  const lines = fitting.map(({ value, description = "" }) => `${value}\t${oneLine(description)}`);
  shell.stdout.write(`${[...lines, `:${goesOn ? DIRECTIVE.goesOn : DIRECTIVE.usual}`].join("\n")}\n`);
  return EXIT.passed;
};

// Shells expand what they are offered: a name of somebody else's must not become a command.
const HARMLESS = /^[\p{L}\p{M}\p{N}_./:=@,+%[\]-]+$/u;

function candidatesAt(shell: Shell, cursor: Cursor): readonly Candidate[] {
  try {
    return cursor.valueOf === undefined
      ? wordsAt(shell, cursor)
      : (choicesOf(cursor.valueOf) ?? valuesOfOption(shell, cursor, cursor.valueOf.long ?? ""));
  } catch {
    return []; // what cannot be read has no names to offer, and a prompt is no place to say so
  }
}

function choicesOf({ argChoices }: { readonly argChoices?: readonly string[] | undefined }): readonly Candidate[] | undefined {
  return argChoices?.map((value) => ({ value }));
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
    ...(argument === undefined ? [] : (choicesOf(argument) ?? valuesOfArgument(shell, cursor, argument.name()))),
  ];
}
