import { Decimal } from "../../base/numbers/decimal.ts";
import type { InvestorProfile } from "../../contract/profile.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { demand } from "../refusal.ts";
import type { Investor } from "../store/investor-resources.ts";
import type { Settings } from "../store/settings.ts";
import type { World } from "../store/world.ts";

/** What every investor operation knows: who asks what, when, and the state of the store. */
export interface InvestorCall<Body = undefined> {
  readonly world: World;
  readonly profile: InvestorProfile;
  readonly settings: Settings;
  readonly investor: Investor;
  /** The key under which the investor is stored. */
  readonly apiKey: string;
  /** Virtual milliseconds since the Unix epoch. */
  readonly now: number;
  readonly params: Readonly<Record<string, string | number | boolean | Decimal>>;
  readonly body: Body;
  /** Names the write, if it is one. */
  readonly transactionId: string;
}

/** What an operation puts into the envelope; the status word is added by who knows the endpoint. */
export interface Enveloped {
  readonly response: object;
  readonly pagination?: PagePosition;
}

/** The place of a page in its list; pages count from 1. */
export interface PagePosition {
  readonly page: number;
  readonly limit: number;
  readonly totalPages: number;
  readonly totalItems: number;
}

/** The part of a list that the call's page and limit ask for; a page beyond the last is empty. */
export function paginate<T>(
  call: InvestorCall,
  items: readonly T[],
): { readonly items: readonly T[]; readonly pagination: PagePosition } {
  const page = Number(call.params["page"] ?? 1);
  const limit = Number(call.params["limit"] ?? call.profile.pageSize);
  demand(page >= 1, "invalid parameters", "pages count from 1");
  demand(
    limit >= 1 && limit <= SANDBOX_LIMITS.pageSize,
    "invalid parameters",
    `a page has 1 to ${SANDBOX_LIMITS.pageSize} items`,
  );
  const totalItems = items.length;
  const pagination = { page, limit, totalPages: Math.ceil(totalItems / limit), totalItems };
  return { items: items.slice((page - 1) * limit, page * limit), pagination };
}

/** A text parameter; the empty text when it was left out. */
export function textParam(call: InvestorCall<unknown>, name: string): string {
  const value = call.params[name];
  return typeof value === "string" ? value : "";
}

/** A number parameter. */
export function numberParam(call: InvestorCall<unknown>, name: string, otherwise: Decimal): Decimal {
  const value = call.params[name];
  return value instanceof Decimal ? value : otherwise;
}
