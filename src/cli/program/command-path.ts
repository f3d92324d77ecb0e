import type { Command } from "commander";
import { CommandLine } from "../../base/command-line.ts";

/** A command as it is typed, with those above it. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The command that prints the help of a command. */
export function helpOf(command: Command): CommandLine {
  return new CommandLine(`${pathOf(command)} --help`);
}

/** The program that a command belongs to. */
export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
