import { Decimal } from "../../base/decimal.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text.ts";
import type { ComparedSide, Comparison, Drift } from "../../protocol/comparison.ts";
import { countsLine, keyOf, KIND_WORDS } from "../comparison.ts";
import { oneLine } from "../foreign.ts";
import { type Child, el, type Markup } from "./markup.ts";
import { type Row, tableOf } from "./table.ts";

/** What two sides said, in what they differ, and since when. */
export function comparisonMarkup(comparison: Comparison): Markup {
  const { left, right, gaps } = comparison;
  return el(
    "section",
    { class: "comparison" },
    el("p", {}, el("b", {}, countsLine(comparison))),
    tableOf("Both sides", SIDE_COLUMNS, [left, right].map(sideRow)),
    totalsTable(comparison),
    driftTable(comparison),
    listOf(
      "Cleared since the last run",
      comparison.cleared.map(({ id, key, since }) => `${id}: ${keyOf(key)}, there since ${timeOf(since)}`),
    ),
    listOf(
      "Moving while it was looked at",
      comparison.moving.map(
        (row) => `${keyOf(row.key)}: ${left.name} ${row.left ?? "nothing"}, ${right.name} ${row.right ?? "nothing"}`,
      ),
    ),
    listOf(
      "Not read to its end, so nothing is said of it",
      gaps.map(({ side, of, message }) => `${of} (${side}): ${message}`),
    ),
  );
}

const SIDE_COLUMNS = ["Side", "Rows", "Keys", "Sum", "Requests", "Read from", "to"];

function sideRow({ name, rows, keys, sum, requests, from, to }: ComparedSide): Row {
  return [oneLine(name), String(rows), String(keys), number(sum), String(requests), momentOf(from), momentOf(to)];
}

function totalsTable({ totalsOf, totals, left, right }: Comparison): Markup | undefined {
  if (totals.length === 0) return undefined;
  const columns = [`Total of ${oneLine(totalsOf ?? "")}`, oneLine(left.name), oneLine(right.name), "Difference"];
  const rows = totals
    .slice(0, LIMITS.htmlRows)
    .map((total): Row => [
      oneLine(total.of),
      number(total.left),
      number(total.right),
      number(differenceOf(total.left, total.right)),
    ]);
  return tableOf("Totals", columns, rows);
}

function differenceOf(left: string, right: string): string | null {
  const [more, less] = [Decimal.parse(left), Decimal.parse(right)];
  return more === undefined || less === undefined ? null : more.minus(less).toString();
}

function driftTable({ drifts, left, right }: Comparison): Markup | undefined {
  if (drifts.length === 0) return undefined;
  const shown = drifts.slice(0, LIMITS.htmlRows);
  const largest = Math.max(...shown.map(({ difference }) => Math.abs(Number(difference ?? 0))));
  const columns = ["Drift", "Stands", "Of", "Kind", oneLine(left.name), oneLine(right.name), "Difference", "Since", "Word"];
  const rows = shown.map((drift): Row => [
    el("code", {}, oneLine(drift.id)),
    el("span", { class: `verdict ${STATE_CLASS[drift.state]}` }, STATE_WORDS[drift.state]),
    keyOf(drift.key),
    KIND_WORDS[drift.kind],
    number(drift.left),
    number(drift.right),
    [number(drift.difference), differenceBar(drift, largest)],
    momentOf(drift.since),
    wordOf(drift),
  ]);
  const more = drifts.length - shown.length;
  return el(
    "div",
    { class: "drifts" },
    tableOf("Drifts", columns, rows),
    more === 0 ? undefined : el("p", { class: "hint" }, `${count(more, "drift")} more: tokenbook drift list`),
  );
}

const STATE_WORDS: Readonly<Record<Drift["state"], string>> = {
  new: "new",
  persisting: "persisting",
  changed: "other than acknowledged",
  acknowledged: "acknowledged",
};

const STATE_CLASS: Readonly<Record<Drift["state"], string>> = {
  new: "drift",
  persisting: "drift",
  changed: "drift",
  acknowledged: "unchanged",
};

function wordOf({ acknowledged }: Drift): string {
  if (acknowledged === null) return "";
  return `${oneLine(acknowledged.who)}, until ${timeOf(acknowledged.until).slice(0, 10)}: ${oneLine(acknowledged.because)}`;
}

const HALF = 50;
const HEIGHT = 8;

// Left of the middle: the left side has less. Only the picture is rounded.
function differenceBar({ difference }: Drift, largest: number): Child {
  if (difference === null || !(largest > 0) || !Number.isFinite(largest)) return "";
  const part = Math.max(-1, Math.min(1, Number(difference) / largest));
  const width = Math.max(1, Math.abs(part) * HALF);
  const x = part < 0 ? HALF - width : HALF;
  return el(
    "svg",
    { class: "difference", viewBox: `0 0 ${HALF * 2} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    el("rect", { x: Math.round(x * 10) / 10, y: 0, width: Math.round(width * 10) / 10, height: HEIGHT }),
    el("line", { x1: HALF, x2: HALF, y1: 0, y2: HEIGHT }),
  );
}

function listOf(title: string, lines: readonly string[]): Child {
  if (lines.length === 0) return undefined;
  const shown = lines.slice(0, LIMITS.htmlRows);
  const more = lines.length - shown.length;
  return el(
    "div",
    { class: "value" },
    el("p", { class: "label" }, title),
    el(
      "ul",
      {},
      shown.map((line) => el("li", {}, oneLine(line))),
      more === 0 ? undefined : el("li", {}, `and ${more} more`),
    ),
  );
}

/** An exact number, with all its digits. */
function number(value: string | null): Child {
  return value === null ? "" : el("span", { class: "number" }, oneLine(value));
}

function momentOf(at: number | null): Child {
  return at === null ? "" : el("time", { datetime: timeOf(at) }, timeOf(at));
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
