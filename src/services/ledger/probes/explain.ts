import { Decimal } from "../../../base/numbers/decimal.ts";

/** The largest number of other movements that are examined, because each doubles the ways to explain a sum. */
const MOST_OTHERS = 12;
/** The largest number of combinations in which parts of a write may have happened. */
const MOST_WAYS = 4_096;
const ZERO = Decimal.of(0);

/** A change of a total, and its possible causes. */
export interface TotalChange {
  /** How much the total has grown; negative if it has shrunk. */
  readonly by: Decimal;
  /** The parts of our write that add to the total. Parts that look the same are combined. */
  readonly parts: readonly ChangePart[];
  /** The amounts of other movements. Each may have happened before or after the first reading. */
  readonly others: readonly Decimal[];
}

/** The amount that one movement of a part adds, and how many movements look like it. */
export interface ChangePart {
  /** The amount that one movement of this part adds; negative if it takes away. */
  readonly adds: Decimal;
  /** How many movements look like it. */
  readonly alike: number;
}

/** Returns every possible explanation of a change: how often each part of our write may have happened. Returns none if nothing explains it. */
export function waysOf({ by, parts, others }: TotalChange): readonly (readonly number[])[] | "too many" {
  const most = parts.reduce((product, { alike }) => product * (alike + 1), 1);
  if (others.length > MOST_OTHERS || most > MOST_WAYS) return "too many";
  const sums = subsetSums(others);
  return countsUpTo(parts.map(({ alike }) => alike)).filter((counts) => {
    const rest = counts.reduce((left, count, at) => left.minus((parts[at]?.adds ?? ZERO).times(Decimal.of(count))), by);
    return sums.some((sum) => sum.equals(rest));
  });
}

function countsUpTo(limits: readonly number[]): readonly (readonly number[])[] {
  return limits.reduce<readonly (readonly number[])[]>(
    (ways, limit) => ways.flatMap((way) => Array.from({ length: limit + 1 }, (_, count) => [...way, count])),
    [[]],
  );
}

function subsetSums(amounts: readonly Decimal[]): readonly Decimal[] {
  return amounts.reduce<readonly Decimal[]>((sums, amount) => [...sums, ...sums.map((sum) => sum.plus(amount))], [ZERO]);
}
