import { field, text } from "../../base/json/parts.ts";
import { type AfterPage, broken, listIn, type PageWalk, type Paging, type ReadPage } from "./paging.ts";

/** Each page names the bookmark of the next page. */
export const byBookmark: Paging = {
  how: "by bookmark",
  parameter: "bookmark",
  size: "pageSize",
  gives: "the records",
  second: { page: "the page after a bookmark", follows: "a bookmark leads to the next page" },
  walk: (items, { ledger }) => new BookmarkWalk(items, ledger.lastBookmark),
};

class BookmarkWalk implements PageWalk {
  readonly #items: string;
  readonly #last: string;
  readonly #seen = new Set<string>();
  #asked: string | undefined;

  constructor(items: string, last: string) {
    this.#items = items;
    this.#last = last;
  }

  // The service may give fewer records than requested, and the description names no limit. So a short page need not be the last one.
  take({ payload }: ReadPage): AfterPage {
    const bookmark = text(field(payload, "bookmark"));
    if (bookmark === undefined || bookmark === this.#last) return { kind: "end" };
    const isEmpty = listIn(payload, this.#items).length === 0;
    if (this.#seen.has(bookmark)) return isEmpty && bookmark === this.#asked ? { kind: "end" } : repeated(bookmark);
    if (isEmpty) return emptyPage(this.#seen.size + 1, bookmark);
    this.#seen.add(bookmark);
    this.#asked = bookmark;
    return { kind: "more", page: bookmark, pages: undefined };
  }
}

// Some services give an empty last page the bookmark that led to it. A new bookmark leads to records that were not read yet.
function emptyPage(page: number, bookmark: string): AfterPage {
  return broken({
    code: "paging.empty",
    message: `page ${page} has no records, but the bookmark ${shown(bookmark)} of a page after it`,
    why: "the list may have records after this page, so the pages that were read are not used",
    next: "if the service ends each list with this bookmark, declare it in the environment: profile.ledger.lastBookmark",
  });
}

function shown(bookmark: string): string {
  return JSON.stringify(bookmark.slice(0, 80));
}

function repeated(bookmark: string): AfterPage {
  return broken({
    code: "paging.repeated",
    message: `the service gave the bookmark ${shown(bookmark)} twice`,
    why: "the list would never end, so the pages that were read are not used",
  });
}
