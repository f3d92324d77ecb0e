import { Total } from "../base/numbers/total.ts";
import { keyText, type Pair, type SideName, type SideRow, type SideValue } from "./row.ts";

/** What was added under one key; of one value alone there is no total, because most keys have one. */
interface Sum {
  rows: number;
  value: string | null;
  at: number | undefined;
  id: string | undefined;
  total: Total | undefined;
}

interface Sums {
  readonly key: string;
  left: Sum | undefined;
  right: Sum | undefined;
}

/** What some rows of both sides come to, by key. */
export class Gathered {
  readonly #sums = new Map<string, Sums>();
  readonly #records = new Set<string>();

  /** Adds a row, unless its record was added before and counts once. */
  add({ side, key, value, once, at, id }: SideRow): void {
    this.addSeen(side, keyText(key), { rows: 1, value: value === null ? null : value.canonical(), at, id }, once);
  }

  /** Adds what was seen under a key; `once` identifies a record that counts once, with the same value. */
  addSeen(side: SideName, key: string, { rows, value, at, id }: SideValue, once?: string): void {
    if (once !== undefined) {
      const before = this.#records.size;
      if (this.#records.add(JSON.stringify([side, key, once, value])).size === before) return;
    }
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = { key, left: undefined, right: undefined };
      this.#sums.set(key, sums);
    }
    const sum = sums[side];
    if (sum === undefined) {
      sums[side] = { rows, value, at, id, total: undefined };
      return;
    }
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

  get(key: string): Pair {
    const sums = this.#sums.get(key);
    return sums === undefined ? { key, left: undefined, right: undefined } : withTotals(sums);
  }

  /** Every key with what both sides have of it. */
  *pairs(): Generator<Pair> {
    for (const sums of this.#sums.values()) yield withTotals(sums);
  }
}

function withTotals(sums: Sums): Pair {
  settle(sums.left);
  settle(sums.right);
  return sums;
}

function settle(sum: Sum | undefined): void {
  if (sum?.total === undefined) return;
  sum.value = sum.total.canonical;
  sum.total = undefined;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
