import type { Decimal } from "../base/numbers/decimal.ts";
import { SANDBOX_LIMITS } from "./limits.ts";
import { demand } from "./refusal.ts";

/** Returns whether an amount has so few digits that any number of such amounts can be added and written. */
export function isWritable(amount: Decimal): boolean {
  return amount.canonical().length <= SANDBOX_LIMITS.amountDigits;
}

/** Refuses an amount with more digits than the sandbox stores. */
export function demandWritable(amount: Decimal): void {
  demand(isWritable(amount), "invalid parameters", `an amount has at most ${SANDBOX_LIMITS.amountDigits} digits`);
}
