import { Decimal } from "../base/numbers/decimal.ts";
import { SANDBOX_LIMITS } from "./limits.ts";
import { demand } from "./refusal.ts";

/** A parameter as an operation sees it. */
export type ParameterValue = string | number | boolean | Decimal;

/** Parameters by their names in the contract, with the right types. */
export type Params = Readonly<Record<string, ParameterValue>>;

/** A call of either interface. */
interface CallWithParams {
  readonly params: Params;
}

/** Returns a text parameter; the empty text if it was left out. */
export function textParam({ params }: CallWithParams, name: string): string {
  const value = params[name];
  return typeof value === "string" ? value : "";
}

/** Returns a number parameter. */
export function numberParam({ params }: CallWithParams, name: string, otherwise: Decimal): Decimal {
  const value = params[name];
  return value instanceof Decimal ? value : otherwise;
}

/** Returns the page size: the parameter, or the usual size. Refuses pages that are too small or too large. */
export function pageSizeParam({ params }: CallWithParams, name: string, usual: number, items: "items" | "records"): number {
  const size = Number(params[name] ?? usual);
  const { pageSize } = SANDBOX_LIMITS;
  demand(size >= 1 && size <= pageSize, "invalid parameters", `a page has 1 to ${pageSize} ${items}`);
  return size;
}
