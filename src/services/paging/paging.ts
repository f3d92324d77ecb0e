import type { Json, JsonObject } from "../../base/json/json.ts";
import { field, listOf } from "../../base/json/parts.ts";
import type { Profile } from "../../contract/profile.ts";
import type { KeptFailure } from "../../base/failure.ts";

/** How an interface divides its lists into pages. */
export interface Paging {
  /** The method in words, as in "read by bookmark". */
  readonly how: string;
  /** The parameter that selects a page, as the profile's `parameters` name it. */
  readonly parameter: string;
  /** The input that sets the size of a page. */
  readonly size: string;
  /** The value of `response` for a list: its records, or the whole answer with all records in its list. */
  readonly gives: "the records" | "the answer";
  /** How later pages differ from the first one, in words for a person who checks them. */
  readonly second: { readonly page: string; readonly follows: string };
  /** Follows one list from page to page; `items` is the name of its list. */
  readonly walk: (items: string, profile: Profile) => PageWalk;
}

/** A page as it was read. */
export interface ReadPage {
  /** The answer without its envelope. */
  readonly payload: Json;
  /** The envelope without the payload; undefined if the interface has none. */
  readonly envelope: JsonObject | undefined;
}

/** One list, followed from page to page. */
export interface PageWalk {
  /** Takes the next page, and returns what comes after it. */
  take(page: ReadPage): AfterPage;
}

/** What follows a page: another page, the end, or a reason not to use the list. */
export type AfterPage =
  /** `pages`: how many pages there are, if the service says this. */
  | { readonly kind: "more"; readonly page: string | number; readonly pages: number | undefined }
  | { readonly kind: "end" }
  /** Neither this page nor the pages before it are used. `misnamed`: the parameter may have another name. */
  | { readonly kind: "broken"; readonly problem: KeptFailure; readonly misnamed: boolean };

/** Returns that a list cannot be used. `misnamed`: the parameter that selects a page may have another name. */
export function broken(problem: KeptFailure, misnamed = false): AfterPage {
  return { kind: "broken", problem, misnamed };
}

/** Returns the list of a page. A missing list, or null, is empty. */
export function listIn(payload: Json, name: string): readonly Json[] {
  return listOf(field(payload, name));
}
