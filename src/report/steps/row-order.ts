import { holdersOf } from "../../protocol/address.ts";
import type { Nesting } from "./nesting.ts";
import type { StepFold } from "./step-fold.ts";

/** A step as written, with its rounds once its `foreach` has its list. */
export interface StepGroup {
  /** The step itself, without keys of its own. */
  readonly whole: StepFold;
  /** Its rounds, by address. */
  readonly rounds: ReadonlyMap<string, StepFold>;
}

/** A step, or one of its rounds, with the rows inside it. */
export interface Row {
  /** The step or the round. */
  readonly fold: StepFold;
  /** The rows of the steps inside it, in its own rounds. */
  readonly held: readonly Row[];
}

interface OpenRow extends Row {
  readonly held: OpenRow[];
}

/** The rows of a step by address, and the list that contains them. */
interface PlacedRows {
  readonly rows: ReadonlyMap<string, OpenRow>;
  readonly list: OpenRow[];
}

/**
 * Returns the rows of a run in the order of the playbook, each with the rows inside it. A `foreach` is replaced by its rounds, unless a record is about the
 * whole of it. `groups` must be in the order of the playbook too.
 */
export function rowsInOrder(groups: Iterable<StepGroup>, nesting: Nesting): readonly Row[] {
  const top: OpenRow[] = [];
  const known = new Map<string, PlacedRows>();
  for (const group of groups) {
    const { id } = group.whole.heading;
    const holderId = nesting.holderOf(id) ?? "";
    const holder = known.get(holderId);
    const rows = new Map<string, OpenRow>();
    let list = holder?.list ?? top;
    for (const fold of foldsOf(group)) {
      const row: OpenRow = { fold, held: [] };
      rows.set(fold.address, row);
      if (holder !== undefined) list = rowAround(fold.address, holderId, holder.rows)?.held ?? holder.list;
      list.push(row);
    }
    known.set(id, { rows, list });
  }
  return top;
}

/** Returns the step at an address: the whole step, or one of its rounds. */
export function foldAt({ whole, rounds }: StepGroup, address: string): StepFold | undefined {
  return address === whole.address ? whole : rounds.get(address);
}

// Returns the innermost round around a step.
function rowAround(address: string, holder: string, rows: PlacedRows["rows"]): OpenRow | undefined {
  const found = holdersOf(address, holder).find((each) => rows.has(each));
  return found === undefined ? undefined : rows.get(found);
}

function* foldsOf({ whole, rounds }: StepGroup): Generator<StepFold> {
  if (rounds.size === 0 || whole.hasBegun) yield whole;
  yield* rounds.values();
}

/** Returns the steps of rows, each followed by the steps inside it. */
export function* flattened(rows: readonly Row[]): Generator<StepFold> {
  for (const { fold, held } of rows) {
    yield fold;
    yield* flattened(held);
  }
}
