import { Decimal } from "../../base/decimal.ts";

/** More movements of others than this are not sorted out: the ways to explain a sum double with each. */
const MOST_OTHERS = 12;
const ZERO = Decimal.of(0);

/** A change of a total, and what may have made it up. */
export interface Change {
  readonly by: Decimal;
  /** What our write adds once. */
  readonly ours: Decimal;
  /** How many movements look like ours. */
  readonly alike: number;
  /** What other movements add, of which each may have happened before or after the first reading. */
  readonly others: readonly Decimal[];
}

/** How often our write may be a part of the change: every number that explains it; none when nothing does. */
export function timesIn({ by, ours, alike, others }: Change): readonly number[] | "too many" {
  if (others.length > MOST_OTHERS) return "too many";
  const sums = subsetSums(others);
  return Array.from({ length: alike + 1 }, (_, times) => times).filter((times) => {
    const rest = Array.from({ length: times }).reduce<Decimal>((left) => left.minus(ours), by);
    return sums.some((sum) => sum.equals(rest));
  });
}

function subsetSums(amounts: readonly Decimal[]): readonly Decimal[] {
  return amounts.reduce<readonly Decimal[]>((sums, amount) => [...sums, ...sums.map((sum) => sum.plus(amount))], [ZERO]);
}
