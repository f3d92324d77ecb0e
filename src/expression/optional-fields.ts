import type { ASTNode } from "./cel.ts";
import type { Assumption } from "./reference.ts";
import { assumedIn, assumptionsOf, childrenOf, fieldIn, visitOf } from "./syntax.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** A read of a field that its owner may lack. */
export interface MaybeAbsent extends Stretch {
  /** The text of the owner. */
  readonly owner: string;
  /** The name of the field. */
  readonly field: string;
  /** The names, indexes and fields that lead to the field. */
  readonly path: readonly string[];
}

/** Returns whether the value of a node may lack a field, judging by its type. */
export type MayLack = (owner: ASTNode, field: string) => boolean;

/** Returns the reads of fields that may be absent, in a type-checked tree, if nothing in the tree checks for the field first. */
export function maybeAbsentIn(tree: ASTNode, text: string, mayLack: MayLack): readonly MaybeAbsent[] {
  const found: MaybeAbsent[] = [];
  collect(tree, [], ({ owner, name, node, under }) => {
    const path = mayLack(owner, name) ? placeOf(node) : undefined;
    if (path === undefined || isThere(path, under)) return;
    found.push({ owner: text.slice(owner.start, owner.end), field: name, path, start: node.start, end: node.end });
  });
  return found;
}

/** Returns whether a field certainly exists, because an earlier condition checked for the field or for something inside it. */
export function isThere(path: readonly string[], under: readonly Assumption[]): boolean {
  return under.some((assumed) => assumed.is === "there" && path.every((step, at) => assumed.path[at] === step));
}

interface FieldRead {
  readonly owner: ASTNode;
  readonly name: string;
  readonly node: ASTNode;
  readonly under: readonly Assumption[];
}

function collect(node: ASTNode, under: readonly Assumption[], found: (read: FieldRead) => void): void {
  const field = node.op === ".?" ? undefined : fieldIn(node);
  if (field !== undefined) found({ ...field, node, under });
  const assumed = assumedIn(node) ?? assumedOfItems(node);
  childrenOf(node).forEach((child, at) => collect(child, [...under, ...(assumed?.[at] ?? [])], found));
}

// The parts of `list.map(x, condition, result)`, where the list may be filtered.
function assumedOfItems(node: ASTNode): readonly (readonly Assumption[])[] | undefined {
  const visit = visitOf(node);
  if (visit === undefined) return undefined;
  const [condition, result] = visit.bodies;
  const filtered = itemAssumptions(visit.list, visit.name);
  const chosen = result === undefined || condition === undefined ? [] : assumptionsOf(condition);
  return [[], [], filtered, [...filtered, ...chosen]];
}

/** Returns what is certain about each item of a filtered list. `name` is the name of the item. */
export function itemAssumptions(list: ASTNode, name: string): readonly Assumption[] {
  const visit = visitOf(list);
  if (visit?.kind !== "filter") return [];
  const own = visit.bodies.flatMap(assumptionsOf).filter(({ path }) => path[0] === visit.name);
  return [...itemAssumptions(visit.list, name), ...own.map((each) => ({ ...each, path: [name, ...each.path.slice(1)] }))];
}

// Returns the path to a node, including indexes of lists. If the path contains a function or a condition, returns nothing, because the
// field may be known to exist.
function placeOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === "id") return [node.args];
  const field = fieldIn(node);
  const index = node.op === "[]" && node.args[1].op === "value" ? String(node.args[1].args) : undefined;
  const owner = field?.owner ?? (node.op === "[]" ? node.args[0] : undefined);
  const step = field?.name ?? index;
  const path = owner === undefined || step === undefined ? undefined : placeOf(owner);
  return path === undefined || step === undefined ? undefined : [...path, step];
}
