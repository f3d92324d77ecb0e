import { Failure } from "../base/failure.ts";
import { quoted } from "../base/text.ts";

/** Makes the commands that a text tells to type such as find here what they are about. */
export type Hint = (text: string, spell?: (options: string) => string) => string;

/** Where commands find everything by themselves. */
export const PLAIN_HINT: Hint = (text) => text;

/** The options of a command that say where runs are remembered, where they act, and from which file variables come. */
export interface Given {
  readonly state?: string;
  readonly env?: string;
  readonly dotenv?: string | false;
}

const COMMAND = new RegExp(
  String.raw`\btokenbook (?:${[
    "run",
    "plan",
    "resume",
    "resolve",
    "test",
    "doctor",
    "report",
    "view",
    "runs(?: (?:show|export|verify|leases|release|accept-loss))?",
    "drift (?:list|show|ack)",
    "schedule(?: (?:list|history|release))?",
  ].join("|")})\b`,
  "g",
);

// A run that is gone on with acts where it began.
const TAKES: Readonly<Record<keyof Given, RegExp>> = {
  state: /^tokenbook (?!test)/,
  env: /^tokenbook (?:run|plan|doctor|schedule|schedule list)$/,
  dotenv: /^tokenbook (?:run|plan|resume|test|doctor|schedule|schedule list)$/,
};

/** Hints of a command that was given these options: theirs are the same. `spell` escapes what is put into a text of some format. */
export function hintFor({ state, env, dotenv }: Given): Hint {
  const options = {
    ...(state === undefined ? {} : { state: `--state ${quoted(state)}` }),
    ...(env === undefined ? {} : { env: `--env ${quoted(env)}` }),
    ...(dotenv === undefined ? {} : { dotenv: dotenv === false ? "--no-dotenv" : `--dotenv ${quoted(dotenv)}` }),
  };
  const given = Object.entries(options) as [keyof Given, string][];
  if (given.length === 0) return PLAIN_HINT;
  return (text, spell = (same) => same) =>
    text.replaceAll(COMMAND, (command, at: number) => {
      const [rest = ""] = /^[^;\n]*/.exec(text.slice(at)) ?? [];
      const taken = given.flatMap(([name, option]) =>
        TAKES[name].test(command) && !rest.includes(` --${name} `) ? [spell(option)] : [],
      );
      return [command, ...taken].join(" ");
    });
}

/** The same failure, whose commands to mend it are ones to type here. */
export function hinted({ code, message, why, next, exit, cause }: Failure, hint: Hint): Failure {
  return new Failure({
    code,
    message: hint(message),
    exit,
    cause,
    ...(why === undefined ? {} : { why: hint(why) }),
    ...(next === undefined ? {} : { next: hint(next) }),
  });
}
