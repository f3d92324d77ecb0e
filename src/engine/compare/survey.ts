import { LIMITS } from "../../base/limits.ts";
import type { PartTotal, Quantity } from "../../protocol/comparison.ts";
import { judge, type Rules } from "../../reconcile/judge.ts";
import { keyParts, type Pair, type SideName } from "../../reconcile/row.ts";
import { Total } from "../../base/numbers/total.ts";

interface SideTotals {
  keys: number;
  hasValue: boolean;
  readonly total: Total;
}

/** The first look at all keys: the differences, and the totals of both sides. */
export class Survey {
  /** The differences by key: at most `LIMITS.drifts` and one more, which shows that there are too many. */
  readonly differing: Map<string, Pair> = new Map();
  /** The first keys in their order, with the rows of both sides; at most `LIMITS.rowsKept`. */
  readonly rows: Pair[] = [];
  /** How many keys were compared. */
  keys = 0;
  /** How many compared keys differ within the tolerance. */
  tolerated = 0;
  /** How many keys were not compared, because a read that may hold them did not finish. */
  notCompared = 0;
  readonly #rules: Rules;
  readonly #isWhole: (key: string) => boolean;
  readonly #totalsOf: number | undefined;
  readonly #sides: Readonly<Record<SideName, SideTotals>> = { left: newSum(), right: newSum() };
  readonly #parts = new Map<string, Readonly<Record<SideName, Total>>>();

  /** `isWhole` returns whether all reads that may hold a key have finished; `totalsOf` is the position of the key's part by which totals are made. */
  constructor(rules: Rules, isWhole: (key: string) => boolean, totalsOf: number | undefined) {
    this.#rules = rules;
    this.#isWhole = isWhole;
    this.#totalsOf = totalsOf;
  }

  /** Takes the next key: counts it, adds its values, and compares its sides if all reads that may hold it have finished. */
  take(pair: Pair): void {
    this.#add("left", pair);
    this.#add("right", pair);
    if (this.#isFirst(pair)) this.#keepFirst(copyOf(pair));
    if (!this.#isWhole(pair.key)) {
      this.notCompared += 1;
      return;
    }
    this.keys += 1;
    const { key, left, right } = pair;
    if (judge(pair, this.#rules).length > 0) {
      if (this.differing.size <= LIMITS.drifts) this.differing.set(key, copyOf(pair));
    } else if (left !== undefined && right !== undefined && left.value !== right.value) this.tolerated += 1;
  }

  #isFirst({ key }: Pair): boolean {
    const last = this.rows.at(-1);
    return this.rows.length < LIMITS.rowsKept || (last !== undefined && key < last.key);
  }

  #keepFirst(pair: Pair): void {
    const { rows } = this;
    const next = rows.findIndex(({ key }) => key > pair.key);
    rows.splice(next < 0 ? rows.length : next, 0, pair);
    if (rows.length > LIMITS.rowsKept) rows.pop();
  }

  #add(side: SideName, pair: Pair): void {
    const seen = pair[side];
    if (seen === undefined) return;
    const sum = this.#sides[side];
    sum.keys += 1;
    if (seen.value === null) return;
    sum.hasValue = true;
    sum.total.add(seen.value);
    if (this.#totalsOf !== undefined) this.#part(keyParts(pair.key)[this.#totalsOf] ?? "")?.[side].add(seen.value);
  }

  #part(value: string): Readonly<Record<SideName, Total>> | undefined {
    let totals = this.#parts.get(value);
    if (totals === undefined && this.#parts.size < LIMITS.totalsKept) {
      totals = { left: new Total(), right: new Total() };
      this.#parts.set(value, totals);
    }
    return totals;
  }

  /** Returns how many keys a side has, and the sum of its values; the sum is null if no row has a value. */
  side(name: SideName): { readonly keys: number; readonly sum: Quantity | null } {
    const { keys, hasValue, total } = this.#sides[name];
    return { keys, sum: hasValue ? total.canonical : null };
  }

  /** Returns the totals in the order of the parts' values. */
  totals(): readonly PartTotal[] {
    return [...this.#parts]
      .map(([of, { left, right }]) => ({ of, left: left.canonical, right: right.canonical }))
      .toSorted((a, b) => (a.of < b.of ? -1 : 1));
  }
}

// Copied, because a text that was cut out of a page keeps the whole page in memory.
function copyOf(pair: Pair): Pair {
  return structuredClone(pair);
}

function newSum(): SideTotals {
  return { keys: 0, hasValue: false, total: new Total() };
}
