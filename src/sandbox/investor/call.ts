import type { InvestorProfile } from "../../contract/profile.ts";
import { pageSizeParam, type Params } from "../params.ts";
import { demand } from "../refusal.ts";
import type { Investor } from "../store/investor-resources.ts";
import type { Settings } from "../store/settings.ts";
import type { World } from "../store/world.ts";

/** What every investor operation receives: the caller, the request, the time, and the state of the store. */
export interface InvestorCall<Body = undefined> {
  /** The resources in the file. */
  readonly world: World;
  /** The settings of the investor interface. */
  readonly profile: InvestorProfile;
  /** The settings that were fixed when the file was created. */
  readonly settings: Settings;
  /** The caller. */
  readonly investor: Investor;
  /** The key under which the investor is stored. */
  readonly apiKey: string;
  /** Virtual milliseconds since the Unix epoch. */
  readonly now: number;
  /** The parameters by their names in the contract, with the right types. */
  readonly params: Params;
  /** The body, already checked against the contract's schema; undefined for a call without a body. */
  readonly body: Body;
  /** The id of the write, if it is one. */
  readonly transactionId: string;
}

/** What an operation puts into the envelope. The status is added by the code that knows the endpoint. */
export interface Enveloped {
  /** The content of the envelope. */
  readonly response: object;
  /** The place of the page in its list. Left out if the envelope has no such field. */
  readonly pagination?: PagePosition;
}

/** The place of a page in its list. Pages count from 1. */
interface PagePosition {
  readonly page: number;
  /** The number of items on a full page. */
  readonly limit: number;
  /** The number of pages; 0 if the list is empty. */
  readonly totalPages: number;
  readonly totalItems: number;
}

/** Returns the page of a list that the call asks for. A page beyond the last is empty. */
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
