import { LIMITS } from "../../base/limits.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import { driftPage } from "../../report/html/pages/drift.ts";
import { driftsPage } from "../../report/html/pages/drifts.ts";
import type { StateOverview } from "../../report/html/pages/overview.ts";
import { html, type WebPage, plain } from "./page.ts";
import type { StatePlace } from "../../sql/place.ts";

/** Returns the list of drifts, filtered. */
export function driftsOf(state: StatePlace, query: URLSearchParams): WebPage {
  const only = query.get("state") ?? "";
  const filter = { state: only, words: query.get("words") ?? "", all: query.has("all") || only === "cleared" };
  const { all } = filter;
  using book = DriftBook.look(state);
  const drifts = book?.list({ all, limit: LIMITS.drifts, now: book.clock.now() }) ?? [];
  const unfinished = book?.unfinished().length ?? 0;
  return html(driftsPage({ drifts, total: book?.count(all) ?? 0, unfinished }, filter));
}

/** Returns the drifts that nobody has acknowledged, the newest first, and how many comparisons the last run did not finish. */
export function openInDrifts(state: StatePlace): Pick<StateOverview, "drifts" | "unfinishedComparisons"> {
  using book = DriftBook.look(state);
  const drifts = book?.list({ all: false, limit: LIMITS.drifts, now: book.clock.now() }) ?? [];
  return {
    drifts: drifts.filter((drift) => drift.state !== "acknowledged"),
    unfinishedComparisons: book?.unfinished().length ?? 0,
  };
}

/** Returns the page of one drift. */
export function driftOf(state: StatePlace, id: string): WebPage {
  using book = DriftBook.look(state);
  if (book === undefined) return plain(404, "no run has left a drift here");
  const now = book.clock.now();
  return html(driftPage(book.explain(id, now), now));
}
