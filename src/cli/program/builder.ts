import type { Command as Commander, CommanderError, Option } from "commander";
import { type Hint } from "../../base/command-line.ts";
import type { ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { VERSION } from "../../base/version.ts";
import { fitted, widthOn } from "../print/columns.ts";
import { rootOf } from "./command-path.ts";
import { Definition, helpOfOption, type Load, newProgram } from "./definition.ts";
import { hinted, hintFor, type LocatingOptions } from "../print/hint.ts";
import type { Shell } from "../shell.ts";
import { endOf, refuseEmpty, refuseIdle, refuseOfParent } from "./usage.ts";
import { COMMANDS } from "./command-words.ts";
import { WORDS } from "./words.ts";

/** Callbacks for the command that was called. */
export interface Calling {
  /** Called before the command does anything, with the function that completes the commands that it prints. */
  readonly begin?: (hint: Hint) => void;
  /** Called with the exit code when the command has ended, but not if it throws. */
  readonly finish?: (code: ExitCode) => void;
}

const NO_COLOUR = "--no-color";

// The groups of commands in `--help`, in order.
const GROUPS = { start: "Start:", run: "Run:", see: "See:", reference: "Reference:", serve: "Serve:" } as const;

/** Defines commands that report failures in our form and load their code only when called. */
export class Builder {
  readonly #shell: Shell;
  readonly #calling: Calling;

  constructor(shell: Shell, calling: Calling) {
    this.#shell = shell;
    this.#calling = calling;
  }

  /** Returns the program without commands. */
  root(): Commander {
    const program = this.#prepare(newProgram("tokenbook"));
    return program
      .description(WORDS.root.summary)
      .version(VERSION, "-V, --version", WORDS.version)
      .commandsGroup(GROUPS.reference)
      .helpCommand("help [command]", WORDS.help)
      .option(NO_COLOUR, WORDS.noColour)
      .addHelpText("after", this.#words(WORDS.root.examples));
  }

  /** Adds a command that the help lists in its group, with its texts and examples. */
  command(parent: Commander, name: keyof typeof COMMANDS): Definition<object> {
    const { group, brief, summary, examples } = COMMANDS[name];
    const command = parent.command(name).helpGroup(GROUPS[group]).summary(brief).description(summary);
    return this.#define(command.addHelpText("after", this.#words(examples)));
  }

  /** Adds a command below another one. */
  subcommand(parent: Commander, name: string, summary: string): Definition<object> {
    return this.#define(parent.command(name).description(summary));
  }

  /** Adds a command that the help does not list. */
  hidden(parent: Commander, name: string): Definition<object> {
    return this.#define(parent.command(name, { hidden: true }));
  }

  #define(command: Commander): Definition<object> {
    return new Definition(this.#prepare(command), (...call) => this.#perform(...call));
  }

  /** Loads a command and runs it with its positional arguments and options. */
  async #perform<Taken extends object>(command: Commander, values: readonly unknown[], load: Load<Taken>): Promise<void> {
    const given = command.optsWithGlobals<Taken & LocatingOptions & { readonly color?: boolean }>();
    const named = command.registeredArguments.map((argument, at) => [argument.name(), values[at]] as const);
    const options = Object.assign(given, Object.fromEntries(named));
    refuseOfParent(command);
    refuseEmpty(options, command);
    refuseIdle(options, command);
    const root = rootOf(command);
    let current = hintFor(given, root);
    const hint: Hint = (typed, spell) => current(typed, spell);
    const hintState = (state: string): void => {
      current = hintFor({ state, ...given }, root);
    };
    this.#calling.begin?.(hint);
    const { variables } = this.#shell;
    const shell = {
      ...this.#shell,
      hint,
      hintState,
      variables: options.color === false ? { ...variables, NO_COLOR: "1" } : variables,
    };
    try {
      const code = await (await load())(shell, options);
      this.#calling.finish?.(code);
    } catch (thrown) {
      // the original error matters more than an error in closing something after it
      const error: unknown = thrown instanceof SuppressedError ? thrown.suppressed : thrown;
      throw error instanceof Failure ? hinted(error, hint) : error;
    }
  }

  #words(text: string): () => string {
    return () => `\n${fitted(text, widthOn(this.#shell.stdout))}`;
  }

  #prepare(command: Commander): Commander {
    return command
      .exitOverride((error: CommanderError) => {
        throw endOf(error, command);
      })
      .configureOutput({
        writeOut: (text) => this.#shell.stdout.write(text),
        writeErr: (text) => this.#shell.stderr.write(text),
        outputError: () => undefined, // main prints it like every other failure
      })
      .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: noColourOf, optionDescription: helpOfOption })
      .showSuggestionAfterError(false);
  }
}

function noColourOf(command: Commander): Option[] {
  return command.parent === null ? [] : rootOf(command).options.filter(({ long }) => long === NO_COLOUR);
}
