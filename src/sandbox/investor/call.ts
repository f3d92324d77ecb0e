import type { InvestorProfile } from "../../contract/profile.ts";
import { pageSizeParam, type Params } from "../params.ts";
import { demand } from "../refusal.ts";
import type { Investor } from "../store/investor-resources.ts";
import type { Settings } from "../store/settings.ts";
import type { World } from "../store/world.ts";

/** What every investor operation knows: who asks what, when, and the state of the store. */
export interface InvestorCall<Body = undefined> {
  /** The resources in the file. */
  readonly world: World;
  /** The settings of the investor interface. */
  readonly profile: InvestorProfile;
  /** What was fixed when the file was made. */
  readonly settings: Settings;
  /** Who calls. */
  readonly investor: Investor;
  /** The key under which the investor is stored. */
  readonly apiKey: string;
  /** Virtual milliseconds since the Unix epoch. */
  readonly now: number;
  /** Parameters by the name that the written contract gives them, already of the right type. */
  readonly params: Params;
  /** The body after the contract's schema has accepted it; undefined for a call without one. */
  readonly body: Body;
  /** Names the write, if it is one. */
  readonly transactionId: string;
}

/** What an operation puts into the envelope; the status word is added by who knows the endpoint. */
export interface Enveloped {
  /** The content of the envelope. */
  readonly response: object;
  /** Where the page lies in its list; left out where the envelope has no such field. */
  readonly pagination?: PagePosition;
}

/** The place of a page in its list; pages count from 1. */
export interface PagePosition {
  /** The number of the page, from 1 on. */
  readonly page: number;
  /** How many items a full page has. */
  readonly limit: number;
  /** How many pages the list has; 0 when it is empty. */
  readonly totalPages: number;
  /** How many items the list has. */
  readonly totalItems: number;
}

/** The part of a list that the call's page and limit ask for; a page beyond the last is empty. */
export function paginate<T>(
  call: InvestorCall,
  items: readonly T[],
): { readonly items: readonly T[]; readonly pagination: PagePosition } {
  const page = Number(call.params["page"] ?? 1);
  demand(page >= 1, "invalid parameters", "pages count from 1");
  const limit = pageSizeParam(call, "limit", call.profile.pageSize, "items");
  const totalItems = items.length;
  const pagination = { page, limit, totalPages: Math.ceil(totalItems / limit), totalItems };
  return { items: items.slice((page - 1) * limit, page * limit), pagination };
}
