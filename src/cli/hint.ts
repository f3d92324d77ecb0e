import { Failure } from "../base/failure.ts";

/** Makes the commands that a text tells to type such as find here what they are about. */
export type Hint = (text: string) => string;

/** Where commands find everything by themselves. */
export const PLAIN_HINT: Hint = (text) => text;

const REMEMBERING = new RegExp(
  String.raw`\btokenbook (?:${[
    "run",
    "resume",
    "resolve",
    "runs(?: (?:show|export|verify|leases|release))?",
    "drift (?:list|show|ack)",
    "schedule (?:list|history|release)",
  ].join("|")})\b`,
  "g",
);

/** Hints of a command that was given a state directory: theirs is the same. */
export function hintFor(state: string | undefined): Hint {
  return state === undefined
    ? PLAIN_HINT
    : (text) => text.replaceAll(REMEMBERING, (command) => `${command} --state ${quoted(state)}`);
}

/** The same failure, whose commands to mend it are ones to type here. */
export function hinted({ code, message, why, next, exit, cause }: Failure, hint: Hint): Failure {
  return new Failure({
    code,
    message: hint(message),
    exit,
    cause,
    ...(why === undefined ? {} : { why }),
    ...(next === undefined ? {} : { next: hint(next) }),
  });
}

/** A word as a shell reads it as one. */
export function quoted(word: string): string {
  return /^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
