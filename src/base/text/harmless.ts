import { sanitise } from "./text.ts";

// The log readers of CI systems execute `##vso[`, `##[` and `##teamcity[` anywhere in a line, and `::` at the beginning of a line.
const LOG_COMMAND = /##(?=\w*\[)/g;
const LINE_COMMAND = /^[^\S\n]*(?=::)/gm;

/** Returns a text without the commands that the log reader of a CI system executes anywhere in a line. */
export function withoutLogCommands(text: string): string {
  return text.replaceAll(LOG_COMMAND, "## ");
}

/** Returns a text in which neither a terminal nor the log reader of a CI system finds a command. */
export function harmless(text: string): string {
  return withoutLogCommands(sanitise(text).replaceAll(LINE_COMMAND, "  | "));
}

/** Returns a JSON text that is equally safe and has the same value. A line of JSON never begins with `::`. */
export function harmlessJson(json: string): string {
  return sanitise(json).replaceAll(LOG_COMMAND, String.raw`#\u0023`);
}

/** Returns a document as indented JSON that is equally safe. */
export function harmlessDocument(document: object): string {
  return `${harmlessJson(JSON.stringify(document, undefined, 2))}\n`;
}
