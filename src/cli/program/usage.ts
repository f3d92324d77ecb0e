import type { Command, CommanderError, Option } from "commander";
import { type AdviceLines, CommandLine } from "../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { didYouMean, quoted } from "../../base/text/text.ts";
import { helpOf, pathOf } from "./command-path.ts";
import { readerOf, relationsOf } from "./definition.ts";
import { commandForWord } from "./other-words.ts";
import { RunReference } from "../runs/run-reference.ts";

/** Thrown when the command line asked only for help or the version, or named no command. The text is already printed. */
export class HelpShown extends Error {
  override readonly name = "HelpShown";
  /** The exit code of the command line. */
  readonly exit: ExitCode;

  constructor(exit: ExitCode) {
    super("help was shown");
    this.exit = exit;
  }
}

/** Returns how a command line ends that calls no command: with its help, or with a failure. */
export function endOf(error: CommanderError, command: Command): HelpShown | Failure {
  if (error.exitCode === 0) return new HelpShown(EXIT.passed);
  return error.code.startsWith("commander.help") ? new HelpShown(EXIT.cannotStart) : misunderstood(error, command);
}

function misunderstood({ code, message }: CommanderError, command: Command): Failure {
  const words = message.replace(/^error: /, "").replace("'--debug='", "'--debug'"); // see withDebugAlone
  const typed = typedIn(words);
  const known = code.startsWith("commander.unknown") && command.parent === null ? commandForWord(typed) : undefined;
  const near = didYouMean(typed, namesFor(code, words, command));
  const help = helpOf(command);
  return new Failure({
    code: code.replace(/^commander\./, "usage.").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    message: plain(words),
    next:
      fileAdvice(typed, command) ?? known ?? (near === undefined ? help : [`did you mean ${near}? To see all of them:`, help]),
  });
}

// No option has a dot in its name.
function fileAdvice(typed: string, command: Command): AdviceLines | undefined {
  if (!/^-.*\.\w+$/.test(typed)) return undefined;
  const path = command.parent === null ? `${pathOf(command)} run` : pathOf(command);
  return ["a file whose name begins with - needs ./ before it:", new CommandLine(`${path} ${quoted(`./${typed}`)}`)];
}

/**
 * Throws a Failure if an option or argument is empty, which happens when a shell variable is not set. An empty path would mean the current folder and
 * everything in it.
 */
export function refuseEmpty(given: Readonly<Record<string, unknown>>, command: Command): void {
  const isGivenEmpty = (name: string): boolean => [given[name]].flat().some(isEmpty);
  const option = command.options.find((each) => isGivenEmpty(each.attributeName()) && readerOf(each)?.mayBeEmpty !== true);
  const argument = command.registeredArguments.find((each) => isGivenEmpty(each.name()));
  if (option === undefined && argument === undefined) return;
  throw new Failure({
    code: "usage.empty",
    message: `${option === undefined ? `one of the arguments '${argument?.name()}'` : `the value of '${option.long}'`} is empty`,
    why: "a shell variable that is not set gives an empty value",
    next: helpOf(command),
  });
}

function isEmpty(value: unknown): boolean {
  return value === "" || (value instanceof RunReference && value.typed === "");
}

/** Throws a Failure if an option was given that only the parent command knows. Commander would accept it, and it would do nothing. */
export function refuseOfParent(command: Command): void {
  const { parent } = command;
  if (parent === null || parent.parent === null) return;
  const own = new Set(command.options.map((option) => option.attributeName()));
  const given = parent.options.filter((option) => parent.getOptionValueSource(option.attributeName()) === "cli");
  const foreign = given.find((option) => !own.has(option.attributeName()));
  if (foreign === undefined) return;
  throw new Failure({
    code: "usage.unknown-option",
    message: `unknown option '${foreign.long ?? foreign.flags}'`,
    next: helpOf(command),
  });
}

/** Throws a Failure if an option was given that would do nothing beside another option or argument, or without one. */
export function refuseIdle(given: Readonly<Record<string, unknown>>, command: Command): void {
  const isTyped = (option: Option): boolean => command.getOptionValueSourceWithGlobals(option.attributeName()) === "cli";
  const typed = command.options.filter(isTyped);
  const isArgument = (name: string): boolean => command.registeredArguments.some((each) => each.name() === name);
  const isGiven = (name: string): boolean =>
    isArgument(name) ? [given[name]].flat().some(Boolean) : typed.some((option) => option.attributeName() === name);
  const spelt = (name: string): string =>
    isArgument(name) ? `argument '${name}'` : `option '${command.options.find((each) => each.attributeName() === name)?.flags}'`;
  for (const option of typed) {
    const { conflicts = [], needs } = relationsOf(option);
    const conflict = conflicts.find(isGiven);
    const next = helpOf(command);
    const message = `option '${option.flags}' cannot be used`;
    if (conflict !== undefined)
      throw new Failure({ code: "usage.conflicting-option", message: `${message} with ${spelt(conflict)}`, next });
    if (needs !== undefined && !isGiven(needs))
      throw new Failure({ code: "usage.incomplete-option", message: `${message} without ${spelt(needs)}`, next });
  }
}

function plain(words: string): string {
  return words
    .replace(/^option '([^']*)' argument missing$/, "the value of the option '$1' is missing")
    .replace(/^option '([^']*)' argument '(.*?)' is invalid\./s, "the value '$2' of the option '$1' is not valid.")
    .replace(
      /^command-argument value '(.*?)' is invalid for argument '([^']*)'\./s,
      "the value '$1' of the argument '$2' is not valid.",
    );
}

// Commander gives what was typed only as a part of its message.
function typedIn(words: string): string {
  const [, typed = ""] = /(?:unknown \w+|argument|value) '([^'=]+)/.exec(words) ?? /but got \d+: ([^,]+?)[,.]/.exec(words) ?? [];
  return typed;
}

function namesFor(code: string, words: string, command: Command): readonly string[] {
  const help = command.createHelp();
  if (code === "commander.unknownOption") return help.visibleOptions(command).flatMap(({ long }) => long ?? []);
  if (!code.startsWith("commander.invalid")) return help.visibleCommands(command).map((each) => each.name());
  return /Allowed choices are (.*)\.$/.exec(words)?.[1]?.split(", ") ?? [];
}
