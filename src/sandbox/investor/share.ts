import { Decimal } from "../../base/numbers/decimal.ts";

const HUNDRED = Decimal.of(100);
const SHOWN_DECIMALS = 4;

/** Returns the part as a percentage of the whole, cut after four decimals; 0 if the whole is 0. */
export function percentage(part: Decimal, whole: Decimal): Decimal {
  if (whole.isZero()) return Decimal.of(0);
  return cut(part.times(HUNDRED).dividedBy(whole));
}

/** Cuts a number after four decimals. */
export function cut(number: Decimal): Decimal {
  const [whole = "0", fraction = ""] = number.canonical().split(".");
  const kept = fraction.slice(0, SHOWN_DECIMALS).replace(/0+$/, "");
  return Decimal.fromJsonSource(kept === "" ? whole : `${whole}.${kept}`);
}
