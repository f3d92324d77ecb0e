import { sanitise } from "./text.ts";

// Log readers of CI systems obey `##vso[`, `##[` and `##teamcity[` wherever they are in a line, and `::` where a line begins with it.
const LOG_COMMAND = /##(?=\w*\[)/g;
const LINE_COMMAND = /^[^\S\n]*(?=::)/gm;

/** Returns text for people without the commands that the log reader of a CI system obeys anywhere in a line. */
export function withoutLogCommands(text: string): string {
  return text.replaceAll(LOG_COMMAND, "## ");
}

/** Returns text for people in which a terminal or the log reader of a CI system finds nothing to obey. */
export function harmless(text: string): string {
  return withoutLogCommands(sanitise(text).replaceAll(LINE_COMMAND, "  | "));
}

/** Returns a JSON text that is as safe and has the same value. A line of JSON never begins with `::`. */
export function harmlessJson(json: string): string {
  return sanitise(json).replaceAll(LOG_COMMAND, String.raw`#\u0023`);
}

/** Returns a document as indented JSON that is as safe. */
export function harmlessDocument(document: object): string {
  return `${harmlessJson(JSON.stringify(document, undefined, 2))}\n`;
}
