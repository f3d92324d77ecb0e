import { isPath } from "../playbook/outline.ts";
import { child, nodeAt, type Range, type SourceNode, textOf } from "../source/node.ts";
import { parseYaml } from "../source/parse.ts";
import { wordIn } from "./cursor.ts";
import { type FileRange, playbookNamed, type EditorFiles, type TextFile } from "./document.ts";
import { lookAtExpression } from "./expression-at-cursor.ts";
import { type MarkedValue, markedValue } from "./marked.ts";
import { placeOf } from "./place.ts";
import { stepNamed } from "./steps.ts";

/** Returns where the name under the cursor is defined or declared. */
export function definition(file: TextFile, offset: number, files: EditorFiles): FileRange | undefined {
  const marked = markedValue(file, offset);
  if (marked === undefined) return undefined;
  const chain = lookAtExpression(marked, files, ({ text, at, scope }) => wordIn(text, at, scope.types)?.chain ?? []);
  const found = chain === undefined ? definitionOfName(marked, files) : definitionOfChain(chain.seen, marked, files);
  return found === undefined || found.path !== file.path ? found : unmarkedRange(found, marked, { file, offset });
}

// The mark shifts everything after the cursor, so these offsets are corrected.
function unmarkedRange(
  { path, start, end }: FileRange,
  { document }: MarkedValue,
  { file, offset }: { readonly file: TextFile; readonly offset: number },
): FileRange {
  const added = document.text.length - file.text.length;
  const place = (at: number): number => (at <= offset ? at : at - added);
  return { path, start: place(start), end: place(end) };
}

function definitionOfName(marked: MarkedValue, files: EditorFiles): FileRange | undefined {
  const place = placeOf(marked);
  if (place?.kind === "actor") return declared(marked, "actors", place.text);
  if (place?.kind !== "uses" || !isPath(place.text)) return undefined;
  const named = playbookNamed(place.text, marked.document.path, files);
  return named && { path: named.path, start: 0, end: 0 };
}

function definitionOfChain(chain: readonly string[], marked: MarkedValue, files: EditorFiles): FileRange | undefined {
  const [root = "", name = "", field, output] = chain;
  if (root === "steps") {
    const step = stepNamed(marked.parsed.file, marked.parsed.root, name)?.node;
    const made = field === "outputs" && output !== undefined ? outputOf(step, output, { marked, files }) : undefined;
    return made ?? inDocument(marked, textOf(child(step, "id")) === name ? child(step, "id")?.range : step?.range);
  }
  if (root === "inputs" || root === "actors" || root === "secrets" || root === "env") return declared(marked, root, name);
  return inDocument(marked, loopNaming(root, marked));
}

function declared(marked: MarkedValue, list: string, name: string): FileRange | undefined {
  const node = child(marked.parsed.root, list);
  return inDocument(marked, node?.kind === "map" ? node.entries.get(name)?.key : undefined);
}

function outputOf(
  step: SourceNode | undefined,
  output: string,
  { marked, files }: { readonly marked: MarkedValue; readonly files: EditorFiles },
): FileRange | undefined {
  const uses = textOf(child(step, "uses")) ?? "";
  const named = isPath(uses) ? playbookNamed(uses, marked.document.path, files) : undefined;
  const root = named && parseYaml(named.path, named.text).root;
  const outputs = root === undefined ? undefined : child(root, "outputs");
  const key = outputs?.kind === "map" ? outputs.entries.get(output)?.key : undefined;
  return named && key && { path: named.path, ...key };
}

// Returns the innermost loop around the cursor with a variable of this name.
function loopNaming(name: string, { path, parsed: { root } }: MarkedValue): Range | undefined {
  for (let depth = path.length - 1; depth > 0; depth--) {
    const foreach = child(nodeAt(root, path.slice(0, depth)), "foreach");
    const entry = foreach?.kind === "map" ? foreach.entries.get(name) : undefined;
    if (entry !== undefined) return entry.key;
  }
  return undefined;
}

function inDocument({ document }: MarkedValue, range: Range | undefined): FileRange | undefined {
  return range === undefined ? undefined : { path: document.path, start: range.start, end: range.end };
}
