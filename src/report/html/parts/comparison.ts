import { hint } from "./phrases.ts";
import { isoTime } from "../../../base/time/date.ts";
import { command } from "../../../base/command-line.ts";
import { LIMITS } from "../../../base/limits.ts";
import { difference } from "../../../base/numbers/total.ts";
import { count } from "../../../base/text/text.ts";
import type { ComparedSide, Comparison } from "../../../protocol/comparison.ts";
import { countsLine, driftTotal, keyOf, valuesOf } from "../../comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { driftTable, momentOf, number } from "./drift-table.ts";
import { type TableRow, tableOf } from "./table.ts";
import { commandMarkup } from "./copy.ts";

/** Returns what a comparison found: both sides, their differences, and since when. On a served page, each drift links to its own page. */
export function comparisonMarkup(comparison: Comparison, isServed: boolean): Markup {
  return el(
    "section",
    { class: "comparison" },
    el("p", {}, el("b", {}, countsLine(comparison))),
    sidesMarkup(comparison),
    driftsOf(comparison, isServed),
    restMarkup(comparison),
  );
}

/** Returns both sides with their sums, and the totals of each part of the key. */
export function sidesMarkup(comparison: Comparison): readonly Child[] {
  const { left, right } = comparison;
  return [tableOf("Both sides", SIDE_COLUMNS, [left, right].map(sideRow)), totalsTable(comparison)];
}

/** Returns what a comparison reports besides its drifts: cleared drifts, rows that moved, and reads that did not finish. */
export function restMarkup(comparison: Comparison): readonly Child[] {
  const { left, right, gaps } = comparison;
  return [
    listOf(
      "Cleared since the last run",
      comparison.cleared.map(({ id, key, since }) => `${id}: ${keyOf(key)}, there since ${isoTime(since)}`),
      comparison.counts.cleared,
    ),
    listOf(
      "Moving while tokenbook compared",
      comparison.moving.map((row) => `${keyOf(row.key)}: ${valuesOf(row, { left: left.name, right: right.name })}`),
      comparison.counts.moving,
    ),
    listOf(
      "Not read to the end, so not compared",
      gaps.map(({ side, of, message }) => `${of} (${side}): ${message}`),
    ),
  ];
}

const SIDE_COLUMNS = ["Side", "Rows", "Keys", "Sum", "Requests", "Read from", "Read to"];

function sideRow({ name, rows, keys, sum, requests, from, to }: ComparedSide): TableRow {
  return [oneLine(name), String(rows), String(keys), number(sum), String(requests), momentOf(from), momentOf(to)];
}

// If a read did not finish, two totals cannot be compared.
function totalsTable({ totalsOf, totals, left, right, gaps }: Comparison): Markup | undefined {
  if (totals.length === 0) return undefined;
  const isWhole = gaps.length === 0;
  const sides = [`Total of ${oneLine(totalsOf ?? "")}`, oneLine(left.name), oneLine(right.name)];
  const rows = totals
    .slice(0, LIMITS.htmlRows)
    .map((total): TableRow => [
      oneLine(total.of),
      number(total.left),
      number(total.right),
      ...(isWhole ? [number(difference(total.left, total.right))] : []),
    ]);
  return tableOf(isWhole ? "Totals" : "Totals of the rows that were read", isWhole ? [...sides, "Difference"] : sides, rows);
}

function driftsOf({ counts, drifts, left, right }: Comparison, isServed: boolean): Markup | undefined {
  if (drifts.length === 0) return undefined;
  const shown = drifts.slice(0, LIMITS.htmlRows);
  const more = driftTotal(counts) - shown.length;
  return el(
    "div",
    { class: "drifts" },
    driftTable("Drifts", shown, { left: left.name, right: right.name, isServed }),
    more === 0 ? undefined : hint(`${count(more, "drift")} more: `, commandMarkup(command`drift list`)),
  );
}

function listOf(title: string, lines: readonly string[], all: number = lines.length): Child {
  if (lines.length === 0) return undefined;
  const shown = lines.slice(0, LIMITS.htmlRows);
  const more = all - shown.length;
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
