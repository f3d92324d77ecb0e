import type { Command } from "commander";
import { CommandLine } from "../../base/command-line.ts";

/** Returns a command as it is typed, with its parent commands. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Returns the command that prints the help of a command. */
export function helpOf(command: Command): CommandLine {
  return new CommandLine(`${pathOf(command)} --help`);
}

/** Returns the program that a command belongs to. */
export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
