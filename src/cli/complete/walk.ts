import type { Argument, Command, Option } from "commander";

/** The place of the cursor on a command line, and what comes before it. */
export interface Cursor {
  /** The innermost command that the line names. */
  readonly command: Command;
  /** The positional arguments of the command before the cursor. */
  readonly positionals: readonly string[];
  /** The values of options, by their long names. */
  readonly options: ReadonlyMap<string, string>;
  /** The option whose value is being typed. */
  readonly valueOf: Option | undefined;
  /** The word that is being typed; for `--name=value`, the value. */
  readonly typed: string;
  /** The text before it in the same word: `--name=`, or nothing. */
  readonly before: string;
}

/** Reads a command line up to its last word, which is being typed. */
export function cursorIn(root: Command, words: readonly string[]): Cursor {
  const typed = words.at(-1) ?? "";
  let command = root;
  let valueOf: Option | undefined;
  const positionals: string[] = [];
  const options = new Map<string, string>();
  for (const word of words.slice(0, -1)) {
    const sub: Command | undefined = positionals.length > 0 ? undefined : command.commands.find((each) => each.name() === word);
    if (valueOf !== undefined) {
      options.set(valueOf.long ?? "", word);
      valueOf = undefined;
    } else if (word.startsWith("-")) {
      const [name = "", ...value] = word.split("=");
      const option = optionOf(command, name);
      if (value.length > 0) options.set(name, value.join("="));
      else if (option?.required === true) valueOf = option;
    } else if (sub === undefined) positionals.push(word);
    else command = sub;
  }
  const at = typed.startsWith("--") && valueOf === undefined ? typed.indexOf("=") : -1;
  const before = typed.slice(0, at + 1);
  const ofWord = before === "" ? valueOf : optionOf(command, before.slice(0, -1));
  return { command, positionals, options, valueOf: ofWord, typed: typed.slice(before.length), before };
}

function optionOf(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

/** Returns the argument that is being typed; `undefined` if the command takes no more. */
export function argumentAt({ command, positionals }: Cursor): Argument | undefined {
  const named = command.registeredArguments;
  return named[positionals.length] ?? (named.at(-1)?.variadic === true ? named.at(-1) : undefined);
}
