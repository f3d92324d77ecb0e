import { Total } from "../base/numbers/total.ts";
import { keyText, type Pair, recordText, type SideName, type SideRow, type SideValue } from "./row.ts";

/** What one side has of one key, while rows are added. For a single value there is no total, because most keys have only one. */
export type SideSum = { -readonly [Name in keyof Required<SideValue>]: SideValue[Name] } & {
  /** The sum of several values while rows are added; otherwise undefined. */
  total: Total | undefined;
};

interface Sums {
  left: SideSum | undefined;
  right: SideSum | undefined;
}

/** The combined rows of both sides, by key. */
export class Gathered {
  readonly #sums = new Map<string, Sums>();
  readonly #records = new Set<string>();
  readonly #start: string;

  /** All keys begin with `start`, and `addSeen` receives them without it, because a shorter text is found faster. */
  constructor(start: string = "") {
    this.#start = start;
  }

  /** Adds a row, unless its record was added before and counts once. */
  add(row: SideRow): void {
    this.addSeen(row.side, keyText(row.key), seenIn(row), recordText(row.once));
  }

  /** Adds a row under a key, and keeps it. `once` identifies a record that counts once with the same value. */
  addSeen(side: SideName, key: string, seen: SideSum, once?: string): void {
    if (once !== undefined) {
      const before = this.#records.size;
      if (this.#records.add(JSON.stringify([side, key, once, seen.value])).size === before) return;
    }
    const sums = this.#sums.get(key);
    if (sums === undefined) {
      this.#sums.set(key, side === "left" ? { left: seen, right: undefined } : { left: undefined, right: seen });
      return;
    }
    const sum = sums[side];
    if (sum === undefined) sums[side] = seen;
    else addTo(sum, seen);
  }

  /** Returns the rows of both sides for a key. */
  get(key: string): Pair {
    return pairOf(key, this.#sums.get(key));
  }

  /** Yields every key with the rows of both sides. */
  *pairs(): Generator<Pair> {
    for (const [key, sums] of this.#sums) yield pairOf(this.#start + key, sums);
  }
}

/** Returns what a single row shows of its key. */
export function seenIn({ value, at, id }: SideRow): SideSum {
  return { rows: 1, value: value === null ? null : value.canonical(), at, id, total: undefined };
}

function addTo(sum: SideSum, { rows, value, at }: SideValue): void {
  sum.rows += rows;
  sum.id = undefined;
  sum.at = latest(sum.at, at);
  if (value === null) return;
  if (sum.value === null) {
    sum.value = value;
    return;
  }
  if (sum.total === undefined) {
    sum.total = new Total();
    sum.total.add(sum.value);
  }
  sum.total.add(value);
}

function pairOf(key: string, { left, right }: Partial<Sums> = {}): Pair {
  settle(left);
  settle(right);
  return { key, left, right };
}

function settle(sum: SideSum | undefined): void {
  if (sum?.total === undefined) return;
  sum.value = sum.total.canonical;
  sum.total = undefined;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
