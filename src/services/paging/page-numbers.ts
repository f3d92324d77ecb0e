import { hash } from "node:crypto";
import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, jsonEquals, type JsonObject, writeJson } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import { count } from "../../base/text/text.ts";
import { type AfterPage, broken, listIn, type PageWalk, type Paging, type ReadPage } from "./paging.ts";
import type { KeptFailure } from "../../base/failure.ts";

/** Pages have numbers, and `pagination` gives their count. */
export const byPageNumber: Paging = {
  how: "by page number",
  parameter: "page",
  size: "limit",
  gives: "the answer",
  second: { page: "the second page", follows: "the second page is the second" },
  walk: (items) => new NumberWalk(items),
};

// The pages of a list make claims about the list. It may change between two pages, so their claims may differ.
class NumberWalk implements PageWalk {
  readonly #items: string;
  readonly #digests = new Set<string>();
  readonly #said = new Map<string, Decimal>();
  #before: readonly Json[] = [];
  #total = 0;
  #taken = 0;
  #rows = 0;

  constructor(items: string) {
    this.#items = items;
  }

  take(page: ReadPage): AfterPage {
    const said = paginationOf(page) ?? {};
    if (this.#taken === 0) {
      const { totalPages } = said;
      if (!(totalPages instanceof Decimal)) return broken(WITHOUT_PAGINATION);
      if (!totalPages.isInteger() || totalPages.isNegative()) return broken(noCount(totalPages));
      this.#total = totalPages.approximate();
    }
    this.#taken += 1;
    const given = said["page"];
    if (given instanceof Decimal && !given.equals(Decimal.of(this.#taken))) return broken(otherPage(this.#taken, given), true);
    const rows = listIn(page.payload, this.#items);
    this.#rows += rows.length;
    if (this.#total > 1 && rows.length > 0 && this.#cameBefore(rows)) return broken(samePage(this.#taken), true);
    const moved = this.#changed("totalItems", said) ?? this.#changed("totalPages", said) ?? this.#shifted(rows);
    if (moved !== undefined) return broken(moved);
    if (this.#total > 1 && rows.length === 0) return broken(emptyPage(this.#taken, this.#total));
    if (this.#taken < this.#total) return { kind: "more", page: this.#taken + 1, pages: this.#total };
    return this.#end();
  }

  #cameBefore(rows: readonly Json[]): boolean {
    const before = this.#digests.size;
    return this.#digests.add(hash("sha256", writeJson(rows))).size === before;
  }

  #changed(name: string, said: JsonObject): KeptFailure | undefined {
    const [before, now] = [this.#said.get(name), said[name]];
    if (!(now instanceof Decimal)) return undefined;
    this.#said.set(name, now);
    return before === undefined || before.equals(now) ? undefined : changed(name, before, now);
  }

  // One record was added, and another one removed: the totals stay, and the pages begin elsewhere.
  #shifted(rows: readonly Json[]): KeptFailure | undefined {
    const [first] = rows;
    const before = this.#before;
    this.#before = rows;
    return first !== undefined && before.some((row) => jsonEquals(row, first)) ? shifted(this.#taken) : undefined;
  }

  // At its end, the list must have had as many records as its pages claimed.
  #end(): AfterPage {
    const claimed = this.#said.get("totalItems");
    if (claimed === undefined) return this.#total === 0 && this.#rows > 0 ? broken(withoutPages(this.#rows)) : { kind: "end" };
    return claimed.equals(Decimal.of(this.#rows)) ? { kind: "end" } : broken(miscounted(claimed, this.#rows));
  }
}

// Interface A puts its pagination inside the response or beside it.
function paginationOf({ payload, envelope }: ReadPage): JsonObject | undefined {
  return [field(payload, "pagination"), envelope?.["pagination"]].find(isObject);
}

const MOVED = "the pages that were read may lack something, or have it twice, so they are not used";
const SHIFTED = "the pages that were read may have some records twice and lack others, so they are not used";

const WITHOUT_PAGINATION: KeptFailure = {
  code: "paging.unknown",
  message: "the answer has no pagination.totalPages, so there may be more pages than were read",
  next: "give `pages: first`, if one page is enough",
};

function noCount(totalPages: Decimal): KeptFailure {
  const message = `pagination.totalPages is ${totalPages.text}, so there may be more pages than were read`;
  return { ...WITHOUT_PAGINATION, message };
}

function withoutPages(given: number): KeptFailure {
  const message = `the service says that the list has no page, but gave ${count(given, "record")}`;
  return { code: "paging.count", message, why: MOVED };
}

function miscounted(claimed: Decimal, given: number): KeptFailure {
  return {
    code: "paging.count",
    message: `the service says that the list has ${claimed.text} of them, but gave ${count(given, "record")}`,
    why: MOVED,
  };
}

function changed(name: string, before: Decimal, now: Decimal): KeptFailure {
  return {
    code: "paging.count",
    message: `the list changed while it was read: its ${name} was ${before.text}, and then ${now.text}`,
    why: MOVED,
  };
}

function shifted(page: number): KeptFailure {
  const message = `the list changed while it was read: page ${page} begins with a record of the page before it`;
  return { code: "paging.count", message, why: SHIFTED };
}

function samePage(asked: number): KeptFailure {
  return { code: "paging.repeated", message: `page ${asked} has the same records as an earlier page`, why: SHIFTED };
}

function emptyPage(page: number, pages: number): KeptFailure {
  return { code: "paging.empty", message: `page ${page} of ${pages} has no records`, why: MOVED };
}

function otherPage(asked: number, given: Decimal): KeptFailure {
  return {
    code: "paging.other-page",
    message: `the service was asked for page ${asked} and gave page ${given.text}`,
    why: SHIFTED,
  };
}
