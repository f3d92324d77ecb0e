// Writes the page of `man tokenbook` from the same texts as --help.
import type { Command } from "commander";
import { EXIT } from "../../src/base/exit.ts";
import { COMMANDS } from "../../src/cli/program/command-words.ts";
import { EXITS } from "../../src/cli/program/exits.ts";
import { buildProgram } from "../../src/cli/program/program.ts";
import { WORDS } from "../../src/cli/program/words.ts";
import { subcommandsOf } from "../pages.ts";
import { ABOUT } from "./place.ts";

/** Returns the page, for a day such as 2026-11-23. */
export function manPage(day: string): string {
  const commands = subcommandsOf(buildProgram({} as never)); // none of it is run
  return [
    `.TH TOKENBOOK 1 "${day}" "tokenbook ${ABOUT.version}" "User Commands"`,
    ".SH NAME",
    `tokenbook \\- ${text(ABOUT.description)}`,
    ".SH SYNOPSIS",
    ".B tokenbook",
    String.raw`\fICOMMAND\fR [\fIOPTIONS\fR]`,
    ".SH DESCRIPTION",
    text(WORDS.root.summary),
    ".SH COMMANDS",
    ...commands.flatMap((command) => section(command)),
    ".SH EXIT STATUS",
    ...Object.entries(EXIT).flatMap(([name, code]) => entry(`${code}`, EXITS[name as keyof typeof EXIT].means)),
    ".SH FILES",
    ...entry("tokenbook.yaml", "the environments in which playbooks run"),
    ...entry(".tokenbook", "the state: what every run did"),
    "",
  ].join("\n");
}

function section(command: Command): readonly string[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== "--help");
  const examples = COMMANDS[command.name() as keyof typeof COMMANDS]?.examples;
  return [
    `.SS ${text(help.commandUsage(command))}`,
    text(command.description()),
    ...help.visibleArguments(command).flatMap((argument) => entry(argument.name(), argument.description)),
    ...options.flatMap((option) => entry(option.flags, help.optionDescription(option))),
    ...subcommandsOf(command).flatMap((inner) => entry(help.commandUsage(inner), inner.description())),
    ...(examples === undefined ? [] : [".PP", ".nf", ...examples.split("\n").map(text), ".fi"]),
  ];
}

function entry(term: string, means: string): readonly string[] {
  return [".TP", `.B ${text(term)}`, text(means)];
}

// A backslash, a hyphen, and a dot or quote at the start of a line have a meaning in roff.
function text(words: string): string {
  const escaped = words
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll("\n", " ");
  return /^[.']/.test(escaped) ? String.raw`\&${escaped}` : escaped;
}
