import { type CheckResult, checkPlaybook } from "../playbook/check.ts";
import { isArazzo } from "../playbook/is-playbook.ts";
import type { FileReader } from "../playbook/playbook-files.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import { SourceFile } from "../source/file.ts";
import { child, itemsIn, textOf } from "../source/node.ts";
import { parseYaml } from "../source/parse.ts";
import { importArazzo, type Translation } from "./import/import-arazzo.ts";

/** Checks a playbook, or an Arazzo document after translating it to a playbook. Never throws, whatever the text. */
export function checkDocument(path: string, text: string, files?: FileReader): CheckResult {
  if (!isArazzo(text)) return checkPlaybook(path, text, files);
  const translation = importArazzo(path, text);
  const { text: made, diagnostics, file } = translation;
  if (made === undefined || file === undefined) return { playbook: undefined, outputs: new Map(), diagnostics };
  const checked = checkPlaybook(path, made, files);
  const found = checked.diagnostics.map((diagnostic) => placed(diagnostic, translation, file));
  const all = [...diagnostics, ...found];
  return {
    ...checked,
    playbook: all.some(({ severity }) => severity === "error") ? undefined : checked.playbook,
    diagnostics: all,
  };
}

// A finding in the translation is shown at the step from which it was translated.
function placed(diagnostic: Diagnostic, { text = "", places }: Translation, file: SourceFile): Diagnostic {
  const { root } = parseYaml(diagnostic.file, text);
  const made = new SourceFile(diagnostic.file, text);
  const step = itemsIn(child(root, "steps")).findLast(({ range }) => made.lineOf(range.start) <= diagnostic.line);
  const range = places.get(textOf(child(step, "id")) ?? "");
  const { code, message, why, suggestion } = diagnostic;
  const line = text.split("\n")[diagnostic.line - 1]?.trim() ?? "";
  const because = `${why === undefined ? "" : `${why}; `}in the playbook that it is translated to: ${line}`;
  return file.diagnose({ code, message, why: because, suggestion }, range ?? { start: 0, end: 1 });
}

export { exportPlaybook } from "./export/export-playbook.ts";
export { importArazzo } from "./import/import-arazzo.ts";
export { importHar } from "./har/import-har.ts";
