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

  add({ key, value, at }: Pick<SideRow, "key" | "value" | "at">): void {
    this.addSeen(keyText(key), { rows: 1, value: value === null ? null : value.canonical(), at });
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
