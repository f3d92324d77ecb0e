import { Decimal } from "../../base/numbers/decimal.ts";
import { Failure } from "../../base/failure.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { isWritable } from "../digits.ts";
import type { Amount } from "./seed.ts";

/** Returns the exact number. */
export function exact(amount: Amount): Decimal {
  const number = amount instanceof Decimal ? amount : Decimal.parse(String(amount));
  if (number !== undefined && isWritable(number)) return number;
  throw new Failure({
    code: "sandbox.seed-number",
    message: `the seed has ${JSON.stringify(amount)} where a number belongs, of at most ${SANDBOX_LIMITS.amountDigits} digits`,
  });
}

/** Returns the given numbers by name, ready to be spread. */
export function exactFields<K extends string>(
  given: { readonly [N in K]?: Amount },
  names: readonly K[],
): { [N in K]?: Decimal } {
  const fields = names.flatMap((name) => {
    const amount = given[name];
    return amount === undefined ? [] : [[name, exact(amount)] as const];
  });
  return Object.fromEntries(fields) as { [N in K]?: Decimal };
}
