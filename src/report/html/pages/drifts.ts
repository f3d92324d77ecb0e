import { hint } from "../parts/phrases.ts";
import { invariant } from "../../../base/failure.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count } from "../../../base/text/text.ts";
import type { KnownDrift } from "../../../protocol/drift.ts";
import { keyOf, kindWords, unfinishedWords } from "../../comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { driftTable, STATE_CLASS } from "../parts/drift-table.ts";
import { framed } from "../frame.ts";
import { el, type Markup } from "../markup.ts";
import { listPath } from "../parts/places.ts";
import { holdsWords, searchForm } from "../parts/search.ts";

/** The filter of drifts. An empty text matches all. */
interface DriftFilter {
  /** A state of a drift, or `cleared`. */
  readonly state: string;
  /** Words in the key, the id, the kind, or the names of the comparison. */
  readonly words: string;
  /** Whether cleared drifts are included. */
  readonly all: boolean;
}

/** The drifts of a state directory: at most `LIMITS.drifts` of them, the newest first. */
interface ListedDrifts {
  readonly drifts: readonly KnownDrift[];
  /** The total number of drifts. */
  readonly total: number;
  /** How many comparisons the last run did not finish. */
  readonly unfinished: number;
}

/** Returns the drifts of a state directory that match the filter, by comparison. Pure. */
export function driftsPage(listed: ListedDrifts, filter: DriftFilter): Iterable<string> {
  const { drifts, total } = listed;
  const found = drifts.filter((drift) => isAskedFor(drift, filter));
  const shown = found.slice(0, LIMITS.viewDrifts);
  const of = Map.groupBy(found, comparisonOf);
  return framed({ title: "Drift", place: "drifts" }, [
    el("h1", {}, `${count(found.length, "drift")}${found.length === total ? "" : ` of ${total}`}`),
    filterForm(filter),
    Array.from(Map.groupBy(shown, comparisonOf), ([comparison, group]) => groupOf(group, of.get(comparison)?.length ?? 0)),
    notesOf(listed, found.length, filter).map((note) => hint(note)),
  ]);
}

function isAskedFor(drift: KnownDrift, { state, words }: DriftFilter): boolean {
  const { id, key, kind, title, of, sides, clearedAt } = drift;
  const shown = clearedAt === null ? drift.state : "cleared";
  const text = [id, keyOf(key), kindWords(kind, sides), title, of.playbook, of.environment, of.comparison, of.scope].join(" ");
  return (state === "" || state === shown) && holdsWords(text, words);
}

const STATES: readonly string[] = ["", ...Object.keys(STATE_CLASS), "cleared"];

function filterForm({ state, words, all }: DriftFilter): Markup {
  const choices = STATES.map((value) => el("option", { value, selected: value === state }, value === "" ? "any" : value));
  return searchForm(
    { action: listPath("drifts"), words, placeholder: "key, playbook, environment" },
    el("label", { for: "state" }, "State"),
    el("select", { id: "state", name: "state" }, choices),
    el("label", {}, el("input", { name: "all", type: "checkbox", value: "yes", checked: all }), " with what was cleared"),
  );
}

function comparisonOf({ of: { environment, playbook, comparison, scope } }: KnownDrift): string {
  return JSON.stringify([environment, playbook, comparison, scope]);
}

// If there are many drifts, only the newest are shown.
function groupOf(drifts: readonly KnownDrift[], total: number): Markup {
  const [first] = drifts;
  invariant(first !== undefined, "a group has a drift");
  const { title, of, sides } = first;
  const scope = of.scope === "" ? "" : `, scope ${oneLine(of.scope)}`;
  return el(
    "section",
    { class: "comparison" },
    el("h2", { class: "part" }, oneLine(title)),
    hint(
      `${oneLine(of.comparison)} of ${oneLine(of.playbook)}, environment ${oneLine(of.environment)}${scope}: `,
      count(total, "drift"),
      drifts.length === total ? "" : `, the newest ${drifts.length} of them`,
    ),
    el("div", { class: "drifts" }, driftTable(`Drifts of ${oneLine(title)}`, drifts, { ...sides, isServed: true })),
  );
}

function notesOf(
  { drifts, total, unfinished }: ListedDrifts,
  found: number,
  { state, words, all }: DriftFilter,
): readonly string[] {
  const isFiltered = state !== "" || words.trim() !== "";
  const nothing = isFiltered
    ? "There is no such drift."
    : `No run has left a drift${all ? "" : " that is still open"}. What the reconcile: of a playbook finds is listed here, by comparison, with both values and since when.`;
  return [
    ...(unfinished > 0 ? [`${unfinishedWords(unfinished)}.`] : []),
    ...(found === 0 ? [nothing] : []),
    ...(found > LIMITS.viewDrifts ? [`The newest ${LIMITS.viewDrifts} of these; search for others.`] : []),
    ...(drifts.length < total ? [`Looked for in the newest ${drifts.length}; tokenbook drift list lists more.`] : []),
  ];
}
