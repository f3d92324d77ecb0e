import { type Diagnostic, eachOnce } from "../../source/diagnostic.ts";
import { workflowCommand } from "../formats/annotation.ts";
import { type CheckedFile, pathFromRoot, type Places, wordsOf } from "./checked.ts";

/** Returns workflow commands that GitHub Actions turns into annotations of the files. */
export function annotations(files: readonly CheckedFile[], places: Places): string {
  return eachOnce(files)
    .flatMap(({ diagnostics }) => diagnostics.map((diagnostic) => annotation(diagnostic, places)))
    .join("");
}

function annotation(diagnostic: Diagnostic, places: Places): string {
  const { file, code, severity, line, endLine, column, endColumn } = diagnostic;
  const properties = {
    file: pathFromRoot(file, places) ?? file,
    line,
    endLine,
    ...(line === endLine ? { col: column, endColumn } : {}), // an annotation of several lines cannot have columns
    title: code,
  };
  return workflowCommand({ severity, properties, message: wordsOf(diagnostic) });
}
