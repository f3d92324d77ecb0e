import { Expression, isProblem } from "../expression/expression.ts";
import { checkPlaybook, listenToCheck } from "../playbook/check.ts";
import type { FoundExpression } from "../playbook/check-context.ts";
import { type Range, child } from "../source/node.ts";
import { parseYaml } from "../source/parse.ts";
import { wordIn } from "./cursor.ts";
import { type EditorFiles, type TextFile, wordAt } from "./document.ts";
import { lookAtExpression } from "./expression-at-cursor.ts";
import { markedValue } from "./marked.ts";
import { stepDepth, stepNamed } from "./steps.ts";

/** The id of a step: where it is declared, and where expressions use it. */
export interface StepUses {
  /** The id in the playbook. */
  readonly id: string;
  /** The range of the id in the step itself. */
  readonly declaration: Range;
  /** The uses in the order of the document. */
  readonly uses: readonly Range[];
  /** The number of uses without a known range, in texts that have escapes or are folded. */
  readonly unplaced: number;
}

/** Returns the uses of the step whose id is under the cursor. */
export function stepUses(file: TextFile, offset: number, files: EditorFiles): StepUses | undefined {
  const marked = markedValue(file, offset);
  if (marked === undefined) return undefined;
  const { path } = marked;
  const isId = stepDepth(path) > 0 && path.length === stepDepth(path) + 1 && path.at(-1) === "id";
  const chain = lookAtExpression(marked, files, ({ text, at, scope }) => wordIn(text, at, scope.types)?.chain);
  const id = isId ? marked.value : chain?.seen?.[0] === "steps" && chain.seen.length === 2 ? chain.seen[1] : undefined;
  if (id === undefined) return undefined;
  const declaration = declarationOf(id, file);
  return declaration === undefined ? undefined : { id, declaration, ...usesOf(id, file, files) };
}

function declarationOf(id: string, { path, text }: TextFile): Range | undefined {
  const { file, root } = parseYaml(path, text);
  const node = root === undefined ? undefined : child(stepNamed(file, root, id)?.node, "id");
  if (node === undefined) return undefined;
  const start = text.indexOf(id, node.range.start);
  return { start, end: start + id.length };
}

function usesOf(id: string, file: TextFile, files: EditorFiles): Pick<StepUses, "uses" | "unplaced"> {
  const starts = new Set<number>();
  let unplaced = 0;
  listenToCheck(file.path, file.text, files, (found) => {
    for (const start of startsOf(id, found)) {
      const { start: from, end } = wordAt(file.text, start);
      if (from === start && file.text.slice(start, end) === id) starts.add(start);
      else unplaced++;
    }
  });
  return { uses: [...starts].toSorted((a, b) => a - b).map((start) => ({ start, end: start + id.length })), unplaced };
}

function startsOf(id: string, { text, offsetOf }: FoundExpression): readonly number[] {
  const parsed = Expression.parse(text);
  if (isProblem(parsed)) return [];
  const named = parsed.references.filter(({ root, path }) => root === "steps" && path[0] === id);
  return named.map(({ root, start }) => offsetOf(text.indexOf(id, start + root.length)));
}

/** Why a step cannot be renamed. */
export class RenameRefused extends Error {
  override readonly name = "RenameRefused";
}

/**
 * Returns the ranges to replace so that a step gets another id. Throws a RenameRefused if a use has no known range, because half a rename would be worse than
 * none.
 */
export function renameStep(file: TextFile, uses: StepUses, to: string, files: EditorFiles): readonly Range[] {
  if (checkPlaybook(file.path, file.text, files).playbook === undefined)
    throw new RenameRefused("the playbook has mistakes: fix them first, so that every use of the step can be found");
  if (uses.unplaced > 0)
    throw new RenameRefused(`"${uses.id}" is used in a text with escapes, or that is folded over lines: rename it there by hand`);
  const ranges = [uses.declaration, ...uses.uses].toSorted((a, b) => a.start - b.start);
  const renamed = ranges.reduceRight((text, { start, end }) => text.slice(0, start) + to + text.slice(end), file.text);
  const [problem] = checkPlaybook(file.path, renamed, files).diagnostics.filter(({ severity }) => severity === "error");
  if (problem !== undefined) throw new RenameRefused(`a step cannot be called "${to}": ${problem.message}`);
  return ranges;
}
