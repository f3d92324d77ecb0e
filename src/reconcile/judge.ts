import type { Decimal } from "../base/numbers/decimal.ts";
import { difference } from "../base/numbers/total.ts";
import type { DriftKind, Quantity } from "../protocol/comparison.ts";
import { type Pair, SIDES, type SideValue } from "./row.ts";

/** The rules for comparing two sides. */
export interface Rules {
  /** The largest difference between two values that still counts as equal. */
  readonly tolerance: Decimal;
  /** Whether each side adds up the rows with the same key. */
  readonly sums: { readonly left: boolean; readonly right: boolean };
}

/** Returns how two sides differ in one key; nothing if they agree. Pure. */
export function judge({ left, right }: Pick<Pair, "left" | "right">, { tolerance, sums }: Rules): readonly DriftKind[] {
  if (isNothing(left, sums.left) && isNothing(right, sums.right)) return [];
  const kinds: DriftKind[] = [];
  if (left !== undefined && left.rows > 1 && !sums.left) kinds.push("duplicate-left");
  if (right !== undefined && right.rows > 1 && !sums.right) kinds.push("duplicate-right");
  if (left === undefined && right !== undefined) kinds.push("missing-left");
  if (right === undefined && left !== undefined) kinds.push("missing-right");
  // If two rows have the same key, neither of them can be chosen for the comparison with the other side.
  if (kinds.length > 0 || left === undefined || right === undefined || left.value === right.value) return kinds;
  const apart = differenceOf({ left, right });
  if (apart !== null && isWithin(apart, tolerance)) return kinds;
  return [isOtherUnit(left.value, right.value) ? "unit" : "differs"];
}

/** Returns whether two looks show the same for a key: the same number of rows and the same value on each side, whenever they were read. */
export function areAlike(one: Pick<Pair, "left" | "right">, other: Pick<Pair, "left" | "right">): boolean {
  return SIDES.every((side) => {
    const [seen, again] = [one[side], other[side]];
    return seen?.rows === again?.rows && seen?.value === again?.value;
  });
}

// Rows that add up to 0, such as a purchase that was reversed, count as no rows.
function isNothing(seen: SideValue | undefined, sums: boolean): boolean {
  return seen === undefined || (sums && seen.value === "0");
}

/** Returns left minus right, although both may have more digits than a Decimal allows; null if one side has no value. */
export function differenceOf({ left, right }: Pick<Pair, "left" | "right">): Quantity | null {
  const [one, other] = [left?.value ?? null, right?.value ?? null];
  return one === null || other === null ? null : difference(one, other);
}

function isWithin(apart: Quantity, tolerance: Decimal): boolean {
  const beyond = difference(apart.replace("-", ""), tolerance.canonical());
  return beyond === "0" || beyond.startsWith("-");
}

const LEAST_SHIFT = 2;

// The same digits with the decimal point elsewhere: 12.34 and 1234. A single place is too often a coincidence.
function isOtherUnit(left: string | null, right: string | null): boolean {
  const [one, other] = [digitsOf(left), digitsOf(right)];
  return (
    one !== undefined &&
    other !== undefined &&
    one.digits === other.digits &&
    Math.abs(one.exponent - other.exponent) >= LEAST_SHIFT
  );
}

function digitsOf(canonical: string | null): { readonly digits: string; readonly exponent: number } | undefined {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(canonical ?? "") ?? [];
  const all = (whole + fraction).replace(/^0+/, "");
  if (all === "") return undefined;
  const digits = all.replace(/0+$/, "");
  return { digits: sign + digits, exponent: all.length - digits.length - fraction.length };
}
