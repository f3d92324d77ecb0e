import { keyText, type SideRow, type SideValue } from "./row.ts";
import { Total } from "../base/total.ts";

/** What was added under one key; of one value alone there is no total, because most keys have one. */
interface Sum {
  rows: number;
  value: string | null;
  at: number | undefined;
  total: Total | undefined;
}

/** What some rows of one side come to, by key. */
export class Gathered {
  readonly #sums = new Map<string, Sum>();
  readonly #records = new Set<string>();

  /** Adds a row, unless its record was added before and counts once. */
  add({ key, value, once, at }: Pick<SideRow, "key" | "value" | "once" | "at">): void {
    this.addSeen(keyText(key), { rows: 1, value: value === null ? null : value.canonical(), at }, once);
  }

  /** Adds what was seen under a key; `once` identifies a record that counts once, with the same value. */
  addSeen(key: string, { rows, value, at }: SideValue, once?: string): void {
    if (once !== undefined) {
      const before = this.#records.size;
      if (this.#records.add(JSON.stringify([key, once, value])).size === before) return;
    }
    const sum = this.#sums.get(key);
    if (sum === undefined) {
      this.#sums.set(key, { rows, value, at, total: undefined });
      return;
    }
    sum.rows += rows;
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

  has(key: string): boolean {
    return this.#sums.has(key);
  }

  get(key: string): SideValue | undefined {
    const sum = this.#sums.get(key);
    return sum === undefined ? undefined : seen(sum);
  }

  *entries(): Generator<readonly [string, SideValue]> {
    for (const [key, sum] of this.#sums) yield [key, seen(sum)];
  }
}

function seen({ rows, value, at, total }: Sum): SideValue {
  return { rows, value: total === undefined ? value : total.canonical, at };
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
