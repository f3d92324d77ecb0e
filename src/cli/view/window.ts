import { isDone, type TreeLine } from "./tree.ts";

const WAITING_SHOWN = 3;

/**
 * Cuts the tree to a number of lines and keeps their order. Steps that are under way or went wrong always stay. Then come the next few steps, then the steps
 * that were done last. A line stays only together with its parents.
 */
export function windowOf(root: TreeLine, lines: number): TreeLine {
  const flat = flatten(root);
  if (flat.length <= lines) return root;
  const chosen = new Set<TreeLine>();
  const missing = ({ line, parents }: Flat): readonly TreeLine[] => [...parents, line].filter((each) => !chosen.has(each));
  const choose = (flatLine: Flat): void => missing(flatLine).forEach((each) => chosen.add(each));
  choose({ line: root, parents: [] });
  const leaves = flat.filter(({ line }) => line.children.length === 0);
  for (const leaf of leaves) if (!isDone(leaf.line) && leaf.line.state !== "not-run") choose(leaf);
  const waiting = leaves.filter(({ line }) => line.state === "not-run").slice(0, WAITING_SHOWN);
  const done = leaves.filter(({ line }) => isDone(line)).toReversed();
  for (const leaf of [...waiting, ...done]) {
    if (chosen.size + missing(leaf).length <= lines) choose(leaf);
  }
  return prune(root, chosen);
}

interface Flat {
  readonly line: TreeLine;
  readonly parents: readonly TreeLine[];
}

function flatten(line: TreeLine, parents: readonly TreeLine[] = []): readonly Flat[] {
  return [{ line, parents }, ...line.children.flatMap((child) => flatten(child, [...parents, line]))];
}

function prune(line: TreeLine, chosen: ReadonlySet<TreeLine>): TreeLine {
  const children = line.children.filter((child) => chosen.has(child)).map((child) => prune(child, chosen));
  return { ...line, children };
}
