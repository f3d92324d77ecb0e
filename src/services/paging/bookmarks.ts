import { isObject } from "../../base/json.ts";
import { type AfterPage, listIn, type PageWalk, type Paging, type ReadPage } from "./paging.ts";

/** Each page names the bookmark of the one after it. */
export const byBookmark: Paging = {
  how: "by bookmark",
  parameter: "bookmark",
  size: "pageSize",
  gives: "the records",
  second: { page: "the page after a bookmark", follows: "a bookmark leads to the next page" },
  walk: (items) => new BookmarkWalk(items),
};

class BookmarkWalk implements PageWalk {
  readonly #items: string;
  readonly #seen = new Set<string>();

  constructor(items: string) {
    this.#items = items;
  }

  // The service may give fewer records than requested, and the description has no limit: a short page may not be the last one.
  take({ payload }: ReadPage): AfterPage {
    const bookmark = isObject(payload) ? payload["bookmark"] : undefined;
    if (typeof bookmark !== "string" || bookmark === "" || listIn(payload, this.#items).length === 0) return { kind: "end" };
    if (this.#seen.has(bookmark)) return repeated(bookmark);
    this.#seen.add(bookmark);
    return { kind: "more", page: bookmark, pages: undefined };
  }
}

function repeated(bookmark: string): AfterPage {
  return {
    kind: "broken",
    misnamed: false,
    problem: {
      code: "paging.repeated",
      message: `the service gave the bookmark ${JSON.stringify(bookmark.slice(0, 80))} twice`,
      why: "the list would never end, so the pages that were read are not used",
    },
  };
}
