import type { Command } from "commander";
import { completedAdvice, type Hint, PLAIN_HINT } from "../../base/command-line.ts";
import { type Failure, failureFrom } from "../../base/failure.ts";
import { present } from "../../base/present.ts";
import { quoted } from "../../base/text/text.ts";
import { pathOf } from "../program/command-path.ts";
import type { Where } from "../project/state-place.ts";
import type { InputOptions } from "../runs/prepare-playbooks.ts";

/** The options that say where runs are stored, where they act, and with which inputs. */
export type LocatingOptions = Where & Partial<Pick<InputOptions, "input" | "inputs">>;

/** Returns hints with the options that this command was given, so that printed commands have the same options. */
export function hintFor({ state, env, dotenv, input = {}, inputs }: LocatingOptions, root: Command): Hint {
  const values = Object.entries(input).map(([name, value]) => `--input ${quoted(`${name}=${value}`)}`);
  const options = present({
    state: spelt("state", state),
    env: spelt("env", env),
    dotenv: dotenv === false ? "--no-dotenv" : spelt("dotenv", dotenv),
    input: values.length === 0 ? undefined : values.join(" "),
    inputs: spelt("inputs", inputs),
  });
  const given = Object.entries(options);
  if (given.length === 0) return PLAIN_HINT;
  return ({ text }, spell = (same) => same) => {
    const typed = commandIn(text.split(" ").slice(1), root);
    const path = pathOf(typed);
    const rest = text.slice(path.length);
    const taken = given.flatMap(([name, option]) => (takes(typed, name) && !rest.includes(` --${name} `) ? [spell(option)] : []));
    return [path, ...taken].join(" ") + rest;
  };
}

function spelt(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `--${name} ${quoted(value)}`;
}

function commandIn([name, ...rest]: readonly string[], command: Command): Command {
  const found = command.commands.find((each) => each.name() === name);
  return found === undefined ? command : commandIn(rest, found);
}

// A resumed run always acts in the environment in which it began.
function takes(command: Command, name: string): boolean {
  return command.options.some((option) => option.attributeName() === name) && !(command.name() === "resume" && name === "env");
}

/** Returns the same failure with commands that work when they are typed here. */
export function hinted(failure: Failure, hint: Hint): Failure {
  const { exit, cause, next } = failure;
  const completed = present({ next: next && completedAdvice(next, hint) });
  return failureFrom({ ...failure.toJSON(), ...completed }, { exit, cause });
}
