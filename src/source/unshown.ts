import type { Finding } from "./diagnostic.ts";
import { type Parsed, parseYaml } from "./parse.ts";

// Of a text that cannot be read nobody knows where its keys and secrets stand, and its lines are shown to tell what is wrong.

/**
 * Reads a text in which keys and secrets are referred to. Where it cannot be read, nothing that is written out in the place of a
 * reference is shown.
 */
export function parseUnshown(path: string, text: string): Parsed {
  const parsed = parseYaml(path, text);
  const [first] = parsed.diagnostics;
  if (parsed.root !== undefined || first === undefined) return parsed;
  const { file, diagnostics } = parseYaml(path, withoutWritten(text));
  const [shown] = diagnostics;
  if (shown?.line === first.line && shown.column === first.column && shown.message === first.message) {
    return { file, root: undefined, diagnostics };
  }
  const start = file.offsetAt(first);
  return { file, root: undefined, diagnostics: [file.diagnose(UNREADABLE, { start, end: start + 1 })] };
}

const UNREADABLE: Finding = {
  code: "source.syntax",
  message: "the text cannot be read here; what may be a secret is not shown",
  suggestion: "refer to a secret as env:NAME or file:PATH, and quote any other text",
};

const SECTION = /^([ \t]*)["']?(?:secrets|credentials)["']?[ \t]*:/;
const KEY = /["']?(?:apiKey|credentials|secrets?|url)["']?[ \t]*:.*/;
const LONGEST_LINE = 4_000;

/** What stands behind a key and is no reference, up to the next key or the end of the line. */
const VALUE =
  /(?<=:[ \t]+)(?!["']?(?:env|file):|[|>][-+\d]*[ \t\r]*$)[^\s{#].*?(?=[ \t]*(?:,[ \t]*["']?\w+["']?[ \t]*:|[ \t}\r]*$))/g;
const ENTRY = /^[ \t{,-]*["']?\w+["']?[ \t]*:/;

function withoutWritten(text: string): string {
  let margin = Infinity;
  const lines = text.split("\n").map((line) => {
    const [head = "", indentation = ""] = SECTION.exec(line) ?? [];
    if (head !== "") {
      margin = indentation.length;
      return head + hiddenIn(line.slice(head.length));
    }
    if (line.trim() === "" || line.search(/\S/) > margin) return ENTRY.test(line) ? hiddenIn(line) : hidden(line);
    margin = Infinity;
    return line.length > LONGEST_LINE ? line : line.replace(KEY, hiddenIn);
  });
  return lines.join("\n");
}

function hiddenIn(line: string): string {
  return line.length > LONGEST_LINE ? hidden(line) : line.replaceAll(VALUE, hidden);
}

function hidden(text: string): string {
  return text.replaceAll(/[^\s{}[\],]/g, "x");
}
