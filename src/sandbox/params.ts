import { Decimal } from "../base/numbers/decimal.ts";
import { SANDBOX_LIMITS } from "./limits.ts";
import { demand } from "./refusal.ts";

/** A parameter as an operation sees it. */
export type ParameterValue = string | number | boolean | Decimal;

/** Parameters by the name that the written contract gives them, already of the right type. */
export type Params = Readonly<Record<string, ParameterValue>>;

/** A call of either interface. */
interface CallWithParams {
  readonly params: Params;
}

/** A text parameter; the empty text when it was left out. */
export function textParam({ params }: CallWithParams, name: string): string {
  const value = params[name];
  return typeof value === "string" ? value : "";
}

/** A number parameter. */
export function numberParam({ params }: CallWithParams, name: string, otherwise: Decimal): Decimal {
  const value = params[name];
  return value instanceof Decimal ? value : otherwise;
}

/** How many `items` of a list a page has: as the parameter says, or as usual. Refuses pages that are too small or too large. */
export function pageSizeParam({ params }: CallWithParams, name: string, usual: number, items: "items" | "records"): number {
  const size = Number(params[name] ?? usual);
  const { pageSize } = SANDBOX_LIMITS;
  demand(size >= 1 && size <= pageSize, "invalid parameters", `a page has 1 to ${pageSize} ${items}`);
  return size;
}
