import { isObject, type Json, type JsonObject } from "../../base/json.ts";

/** How the lists of an interface come in pages. */
export interface Paging {
  /** In words, as in "read by bookmark". */
  readonly how: string;
  /** The parameter that asks for one page, as the profile's `parameters` know it. */
  readonly parameter: string;
  /** The input that says how many are on a page. */
  readonly size: string;
  /** What `response` is of a list: its records, or the whole answer with all of them in its list. */
  readonly gives: "the records" | "the answer";
  /** What tells a page that follows from the first one: in words, for who asks whether it does. */
  readonly second: { readonly page: string; readonly follows: string };
  /** Follows one list from page to page; `items` is the name of its list. */
  readonly walk: (items: string) => PageWalk;
}

/** A page as it was read. */
export interface ReadPage {
  readonly payload: Json;
  readonly envelope: JsonObject | undefined;
}

/** One list, followed from page to page. */
export interface PageWalk {
  /** Takes the next page, and says what comes after it. */
  take(page: ReadPage): AfterPage;
}

/** What comes after a page: another, nothing, or nothing that could be used. */
export type AfterPage =
  /** `pages`: how many there are, where the service says so. */
  | { readonly kind: "more"; readonly page: string | number; readonly pages: number | undefined }
  | { readonly kind: "end" }
  /** The page that was taken is not used, nor is what came before it. `misnamed`: the parameter may be called otherwise. */
  | { readonly kind: "broken"; readonly problem: PageProblem; readonly misnamed: boolean };

/** Why a list cannot be used. */
export interface PageProblem {
  readonly code: string;
  readonly message: string;
  readonly why?: string;
  readonly next?: string;
}

/** Returns the list of a page. A missing or null one is empty. */
export function listIn(payload: Json, name: string): readonly Json[] {
  const list = isObject(payload) ? payload[name] : undefined;
  return Array.isArray(list) ? list : [];
}
