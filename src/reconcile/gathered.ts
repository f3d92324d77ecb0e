import { keyText, type SideRow, type SideValue } from "./row.ts";
import { Total } from "../base/total.ts";

interface Sum {
  readonly total: Total;
  rows: number;
  at: number | undefined;
  hasValue: boolean;
}

/** What some rows of one side come to, by key. */
export class Gathered {
  readonly #sums = new Map<string, Sum>();
  readonly #records = new Set<string>();

  /** Adds a row, unless its record was added before and counts once. */
  add(row: Pick<SideRow, "key" | "value" | "once" | "at">): void {
    const { once, at } = row;
    const [key, value] = [keyText(row.key), row.value === null ? null : row.value.canonical()];
    if (once !== undefined) {
      const before = this.#records.size;
      if (this.#records.add(JSON.stringify([key, once, value])).size === before) return;
    }
    this.addSeen(key, { rows: 1, value, at });
  }

  addSeen(key: string, { rows, value, at }: SideValue): void {
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      sum = { total: new Total(), rows: 0, at: undefined, hasValue: false };
      this.#sums.set(key, sum);
    }
    sum.rows += rows;
    sum.at = latest(sum.at, at);
    if (value === null) return;
    sum.hasValue = true;
    sum.total.add(value);
  }

  get(key: string): SideValue | undefined {
    const sum = this.#sums.get(key);
    return sum === undefined ? undefined : seen(sum);
  }

  *entries(): Generator<readonly [string, SideValue]> {
    for (const [key, sum] of this.#sums) yield [key, seen(sum)];
  }
}

function seen({ total, rows, at, hasValue }: Sum): SideValue {
  return { rows, value: hasValue ? total.canonical : null, at };
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
