import type { Decimal } from "../base/numbers/decimal.ts";
import { SANDBOX_LIMITS } from "./limits.ts";
import { demand } from "./refusal.ts";

/** Whether an amount has so few digits that any number of them can be added up, and written out. */
export function isWritable(amount: Decimal): boolean {
  return amount.canonical().length <= SANDBOX_LIMITS.amountDigits;
}

/** Refuses an amount of more digits than the sandbox keeps. */
export function demandWritable(amount: Decimal): void {
  demand(isWritable(amount), "invalid parameters", `an amount has at most ${SANDBOX_LIMITS.amountDigits} digits`);
}
