import { Argument, Command as Commander, Help, Option, type OptionValues } from "commander";
import type { Command } from "../shell.ts";
import { WrongArgument } from "./arguments.ts";

// A command is defined once: the types of its options, its help, what completion offers and docs/cli.md follow from that.

/** What completion offers for a value that has no choices. */
export type OfferedValues =
  | "nothing"
  | "files"
  | "folders"
  | "playbook files"
  | "inputs of the playbooks"
  | "environments"
  | "operations"
  | "library playbooks"
  | "runs and latest"
  | "runs to resume"
  | "steps to resolve"
  | "drifts"
  | "comparisons"
  | "report formats"
  | "codes"
  | "schemas";

/** How a value is read, and what completion offers for it. */
export interface Reader<T> {
  /** Reads a value as it was typed; `before` is what the earlier ones gave. Throws a WrongArgument when it cannot be read. */
  read(typed: string, before: T | undefined): T;
  /** Whether an option may be given several times, and all of its values count. */
  readonly collects: boolean;
  /** What completion offers for the value. */
  readonly offers: OfferedValues;
  /** The command itself refuses an empty one, or knows what it means. */
  readonly mayBeEmpty?: true;
}

/** What a value is: one of several words, or what a reader makes of it. */
export type OptionKind<T> = Reader<T> | { readonly choices: readonly (T & string)[] };

/** Each command is loaded when it is called: start-up is a feature. */
export type Load<Taken> = () => Promise<Command<Taken>>;

/** Carries out a command that was called with these arguments. */
export type Perform = <Taken extends OptionValues>(
  command: Commander,
  values: readonly unknown[],
  load: Load<Taken>,
) => Promise<void>;

type Long<Flags extends string> = Flags extends `--${infer Name} ${string}`
  ? Name
  : Flags extends `--${infer Name}`
    ? Name
    : never;
type Camel<Name extends string> = Name extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<Camel<Rest>>}` : Name;
type Named<Flags extends string> = Camel<Long<Flags>>;
type Inner<Name extends string> = Name extends `<${infer Word}>` | `[${infer Word}]` ? Word : never;
type Bare<Name extends string> = Inner<Name> extends `${infer Word}...` ? Word : Inner<Name>;
type MayLack<Name extends string> = Name extends `[${string}...]` ? false : Name extends `[${string}]` ? true : false;
/** An option that may be left out. */
export type Maybe<Name extends string, T> = { readonly [Key in Name]?: T };
type Sure<Name extends string, T> = { readonly [Key in Name]: T };

/** What an option or an argument may be beside its value. */
interface Special<T> {
  /** What it is without being given. */
  readonly default?: T;
  /** The default as a person would type it, where its value says it otherwise. */
  readonly shown?: string;
  readonly hidden?: true;
  readonly conflicts?: string | string[];
}
type Given<Lacks, Name extends string, T, S> = Lacks extends true
  ? S extends { readonly default: T }
    ? Sure<Name, T>
    : Maybe<Name, T>
  : Sure<Name, T>;

const readers = new WeakMap<Option | Argument, Reader<unknown>>();

/** How the value of an option or an argument is read; `undefined` for a flag, and for one of several words. */
export function readerOf(part: Option | Argument): Reader<unknown> | undefined {
  return readers.get(part);
}

function withKind<Part extends Option | Argument>(part: Part, kind: OptionKind<unknown>): Part {
  if ("choices" in kind) {
    part.choices(kind.choices);
  } else {
    readers.set(part, kind);
    part.argParser((typed: string, before: unknown) => kind.read(typed, before));
  }
  if (part instanceof Option && ("choices" in kind || !kind.collects)) takeOnce(part);
  return part;
}

// Of two values, the parser takes the last one without a word.
function takeOnce(option: Option): void {
  const { parseArg: read } = option;
  let isGiven = false;
  option.argParser((typed: string, before: unknown): unknown => {
    if (isGiven) throw new WrongArgument("It is given twice, and one of both would not count.");
    isGiven = true;
    return read === undefined ? typed : read(typed, before);
  });
}

const DESCRIBED = new Help();

/** Returns what the help says of an option; that a list is empty by default is no news. */
export function helpOfOption(option: Option): string {
  return DESCRIBED.optionDescription(option).replace(/ \(default: (?:\{\}|\[\])\)$/, "");
}

/** A program without any command. */
export function newProgram(name: string): Commander {
  return new Commander(name);
}

/** The options that only one of a definition and its command knows: one that nobody reads, or one that nobody can give. */
type Unmatched<Has, Taken> = Exclude<keyof Has, keyof Taken> | Exclude<keyof Taken, keyof Has>;
type Fits<Has, Taken> = [Unmatched<Has, Taken>] extends [never]
  ? Has extends Taken
    ? unknown
    : { readonly "what the definition gives": Has }
  : { readonly "options that only the definition or only the command has": Unmatched<Has, Taken> };

/** A command as it is being defined, with the type of the options that it `Has`. */
export class Definition<Has> {
  /** The command of the parser, to which each call adds an argument or option. */
  readonly command: Commander;
  readonly #perform: Perform;

  constructor(command: Commander, perform: Perform) {
    this.command = command;
    this.#perform = perform;
  }

  /** An option without a value. */
  flag<const Flags extends string>(flags: Flags, help: string): Definition<Has & Maybe<Named<Flags>, boolean>> {
    return this.#after(this.command.addOption(new Option(flags, help)));
  }

  /** An option with a value. */
  value<const Flags extends string, T, const S extends Special<T>>(
    flags: Flags,
    help: string,
    kind: OptionKind<T>,
    special?: S,
  ): Definition<Has & Given<true, Named<Flags>, T, S>> {
    const option = withKind(new Option(flags, help), kind).hideHelp(special?.hidden === true);
    if (special?.default !== undefined) option.default(special.default, special.shown);
    if (special?.conflicts !== undefined) option.conflicts(special.conflicts);
    return this.#after(this.command.addOption(option));
  }

  /** An option with a value, and a flag that takes the value away. */
  valueOrNone<const Flags extends string, T>(
    [flags, none]: readonly [Flags, string],
    [help, helpOfNone]: readonly [string, string],
    kind: OptionKind<T>,
  ): Definition<Has & Maybe<Named<Flags>, T | false>> {
    return this.#after(this.command.addOption(withKind(new Option(flags, help), kind)).addOption(new Option(none, helpOfNone)));
  }

  /** The next positional argument; the value of one with dots is a list, unless its reader makes something else of it. */
  argument<const Name extends string, T, const S extends Special<T>>(
    name: Name,
    help: string,
    kind: OptionKind<T>,
    special?: S,
  ): Definition<Has & Given<MayLack<Name>, Bare<Name>, T, S>> {
    const argument = withKind(new Argument(name, help), kind);
    if (special?.default !== undefined) argument.default(special.default);
    return this.#after(this.command.addArgument(argument));
  }

  /** Adds what several commands have in common. */
  with<More>(add: (definition: Definition<Has>) => Definition<More>): Definition<More> {
    return add(this);
  }

  /** Says what does it: a command that takes these options, each of them and no other. */
  action<Taken extends OptionValues>(load: Load<Taken> & Fits<Has, Taken>): Commander {
    // Commander adds the options and the command.
    return this.command.action((...given: unknown[]) => this.#perform(this.command, given.slice(0, -2), load));
  }

  #after<More>(command: Commander): Definition<Has & More> {
    return new Definition(command, this.#perform);
  }
}
