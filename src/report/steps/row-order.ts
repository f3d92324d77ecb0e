import { keysOf } from "../../protocol/address.ts";
import type { Nesting } from "./nesting.ts";
import type { StepFold } from "./step-fold.ts";

/** A step as written, and its rounds once its `foreach` has its list. */
export interface StepGroup {
  /** The step itself, without keys of its own. */
  readonly whole: StepFold;
  /** Its rounds, by their addresses. */
  readonly rounds: ReadonlyMap<string, StepFold>;
}

/** A step, or a round of one, with what it holds. */
export interface Row {
  /** The step or the round. */
  readonly fold: StepFold;
  /** The rows of the steps that it holds, in its own rounds. */
  readonly held: readonly Row[];
}

interface OpenRow extends Row {
  readonly held: OpenRow[];
}

/** The rows of a step by the keys of their rounds. */
type RowsByKeys = ReadonlyMap<string, OpenRow>;

/**
 * Returns the rows of a run in the order of the playbook, each with what it holds: a `foreach` gives its rounds in place of its heading, unless
 * something was recorded about the whole of it. The groups come in the order of the playbook too.
 */
export function rowsInOrder(groups: Iterable<StepGroup>, nesting: Nesting): readonly Row[] {
  const top: OpenRow[] = [];
  const known = new Map<string, RowsByKeys>();
  const listOf = new Map<RowsByKeys, OpenRow[]>();
  for (const group of groups) {
    const { id } = group.whole.heading;
    const holder = known.get(nesting.holderOf(id) ?? "");
    const own = new Map<string, OpenRow>();
    let last = top;
    for (const fold of foldsOf(group)) {
      const row: OpenRow = { fold, held: [] };
      const keys = keysOf(fold.address);
      own.set(joined(keys), row);
      if (holder !== undefined) last = rowWith(holder, keys)?.held ?? listOf.get(holder) ?? top;
      last.push(row);
    }
    known.set(id, own);
    listOf.set(own, last);
  }
  return top;
}

function* foldsOf({ whole, rounds }: StepGroup): Generator<StepFold> {
  if (rounds.size === 0 || whole.hasBegun) yield whole;
  yield* rounds.values();
}

// The innermost round that a step is in.
function rowWith(rows: RowsByKeys, keys: readonly string[]): OpenRow | undefined {
  for (let length = keys.length; length >= 0; length--) {
    const row = rows.get(joined(keys.slice(0, length)));
    if (row !== undefined) return row;
  }
  return undefined;
}

// No key holds a bracket.
function joined(keys: readonly string[]): string {
  return keys.join("]");
}

/** Returns the steps of rows, each right before what it holds. */
export function* flattened(rows: readonly Row[]): Generator<StepFold> {
  for (const { fold, held } of rows) {
    yield fold;
    yield* flattened(held);
  }
}
