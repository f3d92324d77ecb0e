import { Argument, Command as Commander, Help, Option, type OptionValues } from "commander";
import type { Command } from "../shell.ts";
import { WrongArgument } from "./arguments.ts";

// A command is defined only once: the types of its options, its help, its completion and docs/cli.md are derived from the definition.

/** What completion offers for a value without fixed choices. */
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
  /** Reads a value as it was typed. `before` is the result of the values before it. Throws a WrongArgument if the value is wrong. */
  read(typed: string, before: T | undefined): T;
  /** Whether an option may be given several times with all of its values used. */
  readonly collects: boolean;
  /** What completion offers for the value. */
  readonly offers: OfferedValues;
  /** Whether an empty value is allowed. The command then refuses it itself, or gives it a meaning. */
  readonly mayBeEmpty?: true;
}

/** The kind of a value: one of several words, or the result of a reader. */
export type OptionKind<T> = Reader<T> | { readonly choices: readonly (T & string)[] };

/** Loads a command only when it is called, so that tokenbook starts fast. */
export type Load<Taken> = () => Promise<Command<Taken>>;

/** Runs a command that was called with these arguments. */
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
type OptionName<Flags extends string> = Camel<Long<Flags>>;
type Inner<Name extends string> = Name extends `<${infer Word}>` | `[${infer Word}]` ? Word : never;
type Bare<Name extends string> = Inner<Name> extends `${infer Word}...` ? Word : Inner<Name>;
type MayBeLeftOut<Name extends string> = Name extends `[${string}...]` ? false : Name extends `[${string}]` ? true : false;
/** An option that may be left out. */
export type Maybe<Name extends string, T> = { readonly [Key in Name]?: T };
type Sure<Name extends string, T> = { readonly [Key in Name]: T };

/** The other options and arguments on which an option depends. Those that come earlier in the definition can be named. */
interface Relations<Name extends string = string> {
  /** This option would do nothing beside one of these, or they would do nothing beside it. */
  readonly conflicts?: readonly Name[];
  /** This option would do nothing without this one. */
  readonly needs?: Name;
}

/** The properties of an option or an argument besides its value. */
interface Special<T, Name extends string> extends Relations<Name> {
  /** The value if it is not given. */
  readonly default?: T;
  /** The default as a person would type it, if it differs from the value. */
  readonly shown?: string;
  readonly hidden?: true;
}
type GivenOption<Lacks, Name extends string, T, S> = Lacks extends true
  ? S extends { readonly default: T }
    ? Sure<Name, T>
    : Maybe<Name, T>
  : Sure<Name, T>;

const readers = new WeakMap<Option | Argument, Reader<unknown>>();

const relations = new WeakMap<Option, Relations>();

/** Returns the options and arguments on which an option depends. */
export function relationsOf(option: Option): Relations {
  return relations.get(option) ?? {};
}

/** Returns the reader of an option or argument; `undefined` for a flag, and for one with fixed choices. */
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

// Commander would silently take the last of two values, so we refuse the second.
function takeOnce(option: Option): void {
  const { parseArg: read } = option;
  let isGiven = false;
  option.argParser((typed: string, before: unknown): unknown => {
    if (isGiven) throw new WrongArgument("It is given twice, and only one of the two could count.");
    isGiven = true;
    return read === undefined ? typed : read(typed, before);
  });
}

const DESCRIBED = new Help();

/** Returns the help text of an option, without the default if that is an empty list. */
export function helpOfOption(option: Option): string {
  return DESCRIBED.optionDescription(option).replace(/ \(default: (?:\{\}|\[\])\)$/, "");
}

/** Returns a program without commands. */
export function newProgram(name: string): Commander {
  return new Commander(name);
}

/** The options that only the definition or only the command knows: nobody reads the former, and nobody can give the latter. */
type Unmatched<Has, Taken> = Exclude<keyof Has, keyof Taken> | Exclude<keyof Taken, keyof Has>;
type Fits<Has, Taken> = [Unmatched<Has, Taken>] extends [never]
  ? Has extends Taken
    ? unknown
    : { readonly "what the definition gives": Has }
  : { readonly "options that only the definition or only the command has": Unmatched<Has, Taken> };

/** A command that is being defined. `Has` is the type of the options defined so far. */
export class Definition<Has> {
  /** Commander's command, to which each call adds an argument or an option. */
  readonly command: Commander;
  readonly #perform: Perform;

  constructor(command: Commander, perform: Perform) {
    this.command = command;
    this.#perform = perform;
  }

  /** Adds an option without a value. */
  flag<const Flags extends string>(
    flags: Flags,
    help: string,
    related: Relations<keyof Has & string> = {},
  ): Definition<Has & Maybe<OptionName<Flags>, boolean>> {
    const option = new Option(flags, help);
    relations.set(option, related);
    return this.#after(this.command.addOption(option));
  }

  /** Adds an option with a value. */
  value<const Flags extends string, T, const S extends Special<T, keyof Has & string>>(
    flags: Flags,
    help: string,
    kind: OptionKind<T>,
    special?: S,
  ): Definition<Has & GivenOption<true, OptionName<Flags>, T, S>> {
    const option = withKind(new Option(flags, help), kind).hideHelp(special?.hidden === true);
    if (special?.default !== undefined) option.default(special.default, special.shown);
    relations.set(option, special ?? {});
    return this.#after(this.command.addOption(option));
  }

  /** Adds an option with a value, and a flag that removes the value. */
  valueOrNone<const Flags extends string, T>(
    [flags, none]: readonly [Flags, string],
    [help, helpOfNone]: readonly [string, string],
    kind: OptionKind<T>,
  ): Definition<Has & Maybe<OptionName<Flags>, T | false>> {
    return this.#after(this.command.addOption(withKind(new Option(flags, help), kind)).addOption(new Option(none, helpOfNone)));
  }

  /** Adds the next positional argument. An argument with dots is a list, unless its reader returns something else. */
  argument<const Name extends string, T, const S extends Pick<Special<T, never>, "default">>(
    name: Name,
    help: string,
    kind: OptionKind<T>,
    special?: S,
  ): Definition<Has & GivenOption<MayBeLeftOut<Name>, Bare<Name>, T, S>> {
    const argument = withKind(new Argument(name, help), kind);
    if (special?.default !== undefined) argument.default(special.default);
    return this.#after(this.command.addArgument(argument));
  }

  /** Adds options that several commands share. */
  with<More>(add: (definition: Definition<Has>) => Definition<More>): Definition<More> {
    return add(this);
  }

  /** Sets the command that takes exactly these options. */
  action<Taken extends OptionValues>(load: Load<Taken> & Fits<Has, Taken>): Commander {
    // Commander appends the options and the command to the arguments.
    return this.command.action((...given: unknown[]) => this.#perform(this.command, given.slice(0, -2), load));
  }

  #after<More>(command: Commander): Definition<Has & More> {
    return new Definition(command, this.#perform);
  }
}
