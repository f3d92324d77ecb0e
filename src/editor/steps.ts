import { CheckContext } from "../playbook/check-context.ts";
import { type Outline, Outliner, BLOCK_PARTS } from "../playbook/outline.ts";
import { child, type MapNode, nodeAt, type SourceNode } from "../source/node.ts";
import type { SourceFile } from "../source/file.ts";

const LISTS: ReadonlySet<string> = new Set(["steps", ...BLOCK_PARTS]);

/** Returns how many keys of a path lead to the innermost step on it; 0 outside steps. */
export function stepDepth(path: readonly string[]): number {
  let depth = 0;
  while (LISTS.has(path[depth] ?? "") && /^\d+$/.test(path[depth + 1] ?? "")) depth += 2;
  return depth;
}

/** Returns the innermost step on a path. */
export function stepAround(root: SourceNode, path: readonly string[]): MapNode | undefined {
  const depth = stepDepth(path);
  const step = nodeAt(root, path.slice(0, depth));
  return step.kind === "map" && depth > 0 ? step : undefined;
}

/** Returns the step with this id as it is written. */
export function stepNamed(file: SourceFile, root: SourceNode, id: string): Outline | undefined {
  const outliner = new Outliner(new CheckContext(file));
  outliner.read(child(root, "steps"));
  return outliner.all.get(id);
}
