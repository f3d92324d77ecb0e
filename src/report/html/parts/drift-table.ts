import { isoTime } from "../../../base/time/date.ts";
import type { Drift } from "../../../protocol/comparison.ts";
import type { KnownDrift } from "../../../protocol/drift.ts";
import { keyOf, kindWords, lastDayOf } from "../../comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { type Child, el, type Markup, rounded } from "../markup.ts";
import { moment } from "./moment.ts";
import { driftLink, runLink } from "./places.ts";
import { type TableRow, tableOf } from "./table.ts";

/** A drift as one run saw it, or with what happened to it since. */
type AnyDrift = Drift & Partial<Pick<KnownDrift, "lastRun" | "clearedAt">>;

/** How a table of drifts is shown. */
interface TableShowing {
  /** The names of both sides. */
  readonly left: string;
  readonly right: string;
  /** Whether there are pages to link to. */
  readonly isServed: boolean;
}

/** Returns a table of the drifts of one comparison: the state of each, the values of both sides, since when, and who acknowledged it. */
export function driftTable(label: string, drifts: readonly AnyDrift[], { left, right, isServed }: TableShowing): Markup {
  const largest = Math.max(...drifts.map(({ difference }) => Math.abs(Number(difference ?? 0))));
  const isKnown = drifts.some(({ lastRun }) => lastRun !== undefined);
  const since = isKnown ? "Since, last seen by" : "Since";
  const columns = ["Drift", "State", "Of", "Kind", oneLine(left), oneLine(right), "Difference", since, "Word"];
  const rows = drifts.map((drift): TableRow => [
    isServed ? driftLink(drift.id) : el("code", {}, oneLine(drift.id)),
    driftState(drift),
    keyOf(drift.key),
    kindWords(drift.kind, { left, right }),
    number(drift.left),
    number(drift.right),
    [number(drift.difference), differenceBar(drift, largest)],
    [momentOf(drift.since), drift.lastRun === undefined ? undefined : [" ", runLink(drift.lastRun)]],
    wordOf(drift),
  ]);
  return tableOf(label, columns, rows);
}

/** The colors of the states of drifts that are not cleared. */
export const STATE_CLASS: Readonly<Record<Drift["state"], string>> = {
  new: "drift",
  persisting: "drift",
  changed: "drift",
  acknowledged: "unchanged",
};

/** Returns the state of a drift. */
export function driftState({ state, clearedAt = null }: AnyDrift): Markup {
  if (clearedAt !== null) return el("span", { class: "verdict ok" }, "cleared");
  return el("span", { class: `verdict ${STATE_CLASS[state]}` }, state);
}

function wordOf({ acknowledged }: Drift): string {
  if (acknowledged === null) return "";
  return `${oneLine(acknowledged.who)}, until ${lastDayOf(acknowledged.until)}: ${oneLine(acknowledged.because)}`;
}

const HALF = 50;
const HEIGHT = 8;

// A bar to the left of the middle means that the left side has less. Only the drawing is rounded.
function differenceBar({ difference }: Drift, largest: number): Child {
  if (difference === null || !(largest > 0) || !Number.isFinite(largest)) return "";
  const part = Math.max(-1, Math.min(1, Number(difference) / largest));
  const width = Math.max(1, Math.abs(part) * HALF);
  const x = part < 0 ? HALF - width : HALF;
  return el(
    "svg",
    { class: "difference", viewBox: `0 0 ${HALF * 2} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    el("rect", { x: rounded(x, 1), y: 0, width: rounded(width, 1), height: HEIGHT }),
    el("line", { x1: HALF, x2: HALF, y1: 0, y2: HEIGHT }),
  );
}

/** Returns an exact number with all its digits. */
export function number(value: string | null): Child {
  return value === null ? "" : el("span", { class: "number" }, oneLine(value));
}

/** Returns a moment in milliseconds since the Unix epoch; nothing if there is none. */
export function momentOf(at: number | null): Child {
  return at === null ? "" : moment(isoTime(at));
}
