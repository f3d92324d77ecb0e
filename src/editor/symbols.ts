import { CheckContext } from "../playbook/check-context.ts";
import { isPlaybook } from "../playbook/is-playbook.ts";
import { type Outline, Outliner, BLOCK_PARTS } from "../playbook/outline.ts";
import { SourceFile } from "../source/file.ts";
import { child, type Range, type SourceNode, textOf } from "../source/node.ts";
import { parseYaml } from "../source/parse.ts";
import type { TextFile } from "./document.ts";

/** An entry in the outline of a playbook: the playbook itself, a step or a check. */
export interface PlaybookSymbol {
  /** The kind. A comparison of two sides is also a `check`. */
  readonly kind: "playbook" | "call" | "block" | "include" | "check";
  /** The name of a playbook, or the id of a step or check as in its address. */
  readonly name: string;
  /** What a step calls, includes or reads. */
  readonly detail: string;
  /** Its range in the document. */
  readonly range: Range;
  /** The steps inside it. For a playbook, its checks and comparisons follow them. */
  readonly held: readonly PlaybookSymbol[];
}

/** Returns the outline of a playbook, even if it has mistakes; `undefined` if the text is not a playbook or cannot be parsed. */
export function symbolsOf({ path, text }: TextFile): PlaybookSymbol | undefined {
  const { file, root } = isPlaybook(text) ? parseYaml(path, text) : {};
  if (file === undefined || root === undefined) return undefined;
  const steps = new Outliner(new CheckContext(file)).read(child(root, "steps"));
  const checks = checksIn(root, "checks", (check, at) => `checks.${textOf(child(check, "name")) ?? at + 1}`);
  const comparisons = checksIn(root, "reconcile", (check, at) => `reconcile.${textOf(child(check, "id")) ?? at + 1}`);
  return {
    kind: "playbook",
    name: textOf(child(root, "name")) ?? path,
    detail: textOf(child(root, "mode")) ?? "",
    range: { start: 0, end: text.length },
    held: [...steps.map(symbolOf), ...checks, ...comparisons],
  };
}

function symbolOf({ id, kind, fields, node, parts }: Outline): PlaybookSymbol {
  const held = BLOCK_PARTS.flatMap((part) => parts[part].map(symbolOf));
  return { kind, name: id, detail: textOf(fields.uses) ?? "", range: node.range, held };
}

function checksIn(root: SourceNode, name: string, idOf: (check: SourceNode, at: number) => string): readonly PlaybookSymbol[] {
  const list = child(root, name);
  if (list?.kind !== "list") return [];
  return list.items.map((check, at) => ({
    kind: "check",
    name: idOf(check, at),
    detail: textOf(child(check, "read")) ?? "",
    range: check.range,
    held: [],
  }));
}

/** Returns the innermost step or check on a line, and the line on which it begins. Both lines count from 1. */
export function stepOnLine(file: TextFile, line: number): { readonly name: string; readonly line: number } | undefined {
  const source = new SourceFile(file.path, file.text);
  const isOn = ({ start, end }: Range): boolean => {
    const written = file.text.slice(start, end).trimEnd();
    return source.lineOf(start) <= line && line <= source.lineOf(start + written.length);
  };
  const find = (among: readonly PlaybookSymbol[]): PlaybookSymbol | undefined => {
    const found = among.find(({ range }) => isOn(range));
    return found && (find(found.held) ?? found);
  };
  const found = find(symbolsOf(file)?.held ?? []);
  return found && { name: found.name, line: source.lineOf(found.range.start) };
}
