import { sanitise } from "./text.ts";

// Log readers of CI systems obey `##vso[`, `##[` and `##teamcity[` wherever they are in a line, and `::` where a line begins with it.
const LOG_COMMAND = /##(?=\w*\[)/g;
const LINE_COMMAND = /^[^\S\n]*(?=::)/gm;

/** Text for people without what the log reader of a CI system obeys wherever it is in a line. */
export function withoutLogCommands(text: string): string {
  return text.replaceAll(LOG_COMMAND, "## ");
}

/** Text for people, made fit for a terminal and for the log of a CI system: nothing in it is obeyed. */
export function harmless(text: string): string {
  return withoutLogCommands(sanitise(text).replaceAll(LINE_COMMAND, "  | "));
}

/** A text of JSON, made fit for the same: it says the same to whoever parses it. A line of JSON never begins with `::`. */
export function harmlessJson(json: string): string {
  return sanitise(json).replaceAll(LOG_COMMAND, String.raw`#\u0023`);
}
