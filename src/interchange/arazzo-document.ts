import { SchemaSet } from "../schema/validator.ts";
import type { SourceFile } from "../source/file.ts";
import { type ListNode, type MapNode, toPlain } from "../source/node.ts";
import { placeEssential } from "../source/problems.ts";
import { parseUnshown } from "../source/unshown.ts";
import { ARAZZO } from "./arazzo-schema.ts";
import { TranslationFindings } from "./findings.ts";
import { structureOf } from "./shown-structure.ts";

/** A document of the right shape, and its findings. */
export interface ArazzoDocument {
  /** The whole document. */
  readonly root: MapNode;
  /** Its path and text. Code frames show only its structure. */
  readonly file: SourceFile;
  /** The findings in it so far. */
  readonly findings: TranslationFindings;
}

let shapeProblems: ReturnType<SchemaSet["plainValidator"]> | undefined;

/** Reads a document. If there is none, the findings say why. */
export function readArazzo(path: string, text: string): ArazzoDocument | Pick<ArazzoDocument, "findings"> {
  const { file, root, diagnostics } = parseUnshown(path, text);
  const unshown = diagnostics.map((diagnostic) => ({ ...diagnostic, frame: "" }));
  const findings = new TranslationFindings(file, unshown);
  if (root === undefined) return { findings };
  file.showOnly(structureOf(root));
  shapeProblems ??= new SchemaSet().plainValidator(ARAZZO);
  for (const { finding, range } of placeEssential(shapeProblems(toPlain(root)), root)) findings.report(finding, range);
  if (root.kind === "map" && !findings.failed) reportRepeated(root, findings);
  return findings.failed || root.kind !== "map" ? { findings } : { root, file, findings };
}

/** The fields whose values are data or schemas. */
const OPAQUE: ReadonlySet<string> = new Set(["payload", "value", "inputs", "correlationId"]);

function reportRepeated(node: MapNode, findings: TranslationFindings): void {
  for (const [name, { value }] of node.entries) {
    if (OPAQUE.has(name) || name.startsWith("x-")) continue;
    if (value.kind === "map") reportRepeated(value, findings);
    if (value.kind !== "list") continue;
    reportTwice(value, name, findings);
    for (const item of value.items) if (item.kind === "map") reportRepeated(item, findings);
  }
}

function reportTwice({ items }: ListNode, name: string, findings: TranslationFindings): void {
  const seen = new Set<string>();
  for (const item of items) {
    const text = JSON.stringify(toPlain(item));
    if (seen.has(text)) findings.report({ code: "schema.value", message: `"${name}" has this item twice` }, item.range);
    seen.add(text);
  }
}
