import { sanitise } from "../../base/text.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { type CheckedFile, pathFromRoot, type Places, wordsOf } from "./checked.ts";

/** Workflow commands that GitHub Actions turns into annotations of the files. */
export function annotations(files: readonly CheckedFile[], places: Places): string {
  return files.flatMap(({ diagnostics }) => diagnostics.map((diagnostic) => `${annotation(diagnostic, places)}\n`)).join("");
}

function annotation(diagnostic: Diagnostic, places: Places): string {
  const { file, code, severity, line, endLine, column, endColumn } = diagnostic;
  const properties = {
    file: pathFromRoot(file, places) ?? file,
    line,
    endLine,
    ...(line === endLine ? { col: column, endColumn } : {}), // an annotation of several lines has no columns
    title: code,
  };
  const written = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${severity} ${written.join(",")}::${escaped(wordsOf(diagnostic))}`;
}

// The escapes of GitHub's own toolkit: a message ends with its line, a property with a comma or a colon.
function escaped(text: string): string {
  return sanitise(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
