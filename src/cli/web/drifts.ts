import { LIMITS } from "../../base/limits.ts";
import { systemClock } from "../../base/ports.ts";
import type { KnownDrift } from "../../protocol/drift.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import { driftPage } from "../../report/html/pages/drift.ts";
import { driftsPage } from "../../report/html/pages/drifts.ts";
import { html, type WebPage, plain } from "./page.ts";
import type { StatePlace } from "../../sql/place.ts";

/** The list of drifts, filtered. */
export function driftsOf(state: StatePlace, query: URLSearchParams): WebPage {
  const only = query.get("state") ?? "";
  const filter = { state: only, words: query.get("words") ?? "", all: query.has("all") || only === "cleared" };
  const { all } = filter;
  const listed = look(state, (book) => ({
    drifts: book.list({ all, limit: LIMITS.drifts, now: systemClock.now() }),
    total: book.count(all),
  }));
  return html(driftsPage(listed ?? { drifts: [], total: 0 }, filter));
}

/** Returns the drifts that nobody has acknowledged, the newest first. */
export function unacknowledgedDrifts(state: StatePlace): readonly KnownDrift[] {
  const drifts = look(state, (book) => book.list({ all: false, limit: LIMITS.drifts, now: systemClock.now() })) ?? [];
  return drifts.filter((drift) => drift.state !== "acknowledged");
}

/** One drift. */
export function driftOf(state: StatePlace, id: string): WebPage {
  const now = systemClock.now();
  const drift = look(state, (book) => book.explain(id, now));
  return drift === undefined ? plain(404, "no run has left a drift here") : html(driftPage(drift, now));
}

function look<T>(state: StatePlace, work: (book: DriftBook) => T): T | undefined {
  const book = DriftBook.look(state);
  try {
    return book?.isReadable() === true ? work(book) : undefined;
  } finally {
    book?.close();
  }
}
