import { hint } from "../parts/phrases.ts";
import { command } from "../../../base/command-line.ts";
import { writeJson } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count } from "../../../base/text/text.ts";
import type { ExplainedDrift, HistoryEntry } from "../../../protocol/drift.ts";
import { keyOf, kindWords, lastDayOf, wordsOf } from "../../comparison.ts";
import { acknowledgingCommand, saidBy, type SaidRow } from "../../drift.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { Budget } from "../parts/budget.ts";
import { driftState, momentOf, number } from "../parts/drift-table.ts";
import { commandBox, commandMarkup } from "../parts/copy.ts";
import { framed, section } from "../frame.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { runLink } from "../parts/places.ts";
import { type Line, plotOf } from "../parts/plot.ts";
import { factList, type Facts } from "../parts/step.ts";
import { type TableRow, tableOf } from "../parts/table.ts";

/**
 * Returns the page of one drift: its state, the rows of both sides, who acknowledged it, and its history. `now` is in milliseconds since the Unix epoch. Pure.
 */
export function driftPage(drift: ExplainedDrift, now: number): Iterable<string> {
  const { id, key, clearedAt, state, sides } = drift;
  const isOpen = clearedAt === null && state !== "acknowledged";
  return framed({ title: `Drift ${oneLine(id)}`, place: "drifts" }, [
    el("p", {}, driftState(drift)),
    el("h1", {}, keyOf(key)),
    el("p", {}, el("b", {}, wordsOf(drift, sides))),
    factList(factsOf(drift)),
    isOpen
      ? el("div", { class: "next" }, el("p", {}, "To acknowledge it:"), commandBox(acknowledgingCommand(oneLine(id), now)))
      : "",
    section("What both sides showed when it was last seen", saidOf(drift, new Budget()), "explained"),
    section("Acknowledgements", acknowledgementsOf(drift, now), "explained"),
    historyOf(drift),
  ]);
}

function factsOf({ id, kind, of, title, sides, since, lastSeen, lastRun, clearedAt }: ExplainedDrift): Facts {
  return [
    ["drift", el("code", {}, oneLine(id))],
    ["kind", kindWords(kind, sides)],
    ["comparison", `${oneLine(title)} (${oneLine(of.comparison)})`],
    ["playbook", oneLine(of.playbook)],
    ["environment", oneLine(of.environment)],
    ["scope", of.scope === "" ? undefined : oneLine(of.scope)],
    ["since", momentOf(since)],
    ["last seen", [momentOf(lastSeen), " ", runLink(lastRun)]],
    ["cleared", clearedAt === null ? undefined : momentOf(clearedAt)],
  ];
}

/** Returns the records of both sides next to each other, as of when the drift was last seen. */
export function saidOf({ evidence, sides }: ExplainedDrift, budget: Budget): Markup {
  const parts = (["left", "right"] as const).map((side) => {
    const { rows, more } = saidBy(side, evidence);
    return el(
      "div",
      { class: "said" },
      el("h3", { class: "part" }, oneLine(sides[side])),
      rows.length === 0 ? el("p", {}, "No row.") : rows.map((row) => rowOf(row, budget)),
      more === 0 ? undefined : hint(`and ${count(more, "more row")}`),
    );
  });
  return el("div", { class: "both" }, parts);
}

function rowOf({ at, operation, input, actor, where, record }: SaidRow, budget: Budget): Child {
  const isAsked = Object.keys(input).length > 0;
  return el(
    "div",
    { class: "value" },
    el(
      "p",
      {},
      el("code", {}, oneLine(operation)),
      isAsked ? [" ", el("code", {}, oneLine(writeJson(input)))] : undefined,
      actor === "" ? "" : ` as ${oneLine(actor)}`,
      where === "" ? "" : `, ${oneLine(where)}`,
      at === "" ? undefined : [", ", moment(at)],
    ),
    budget.value(record),
  );
}

/** Returns who acknowledged a drift, why, and until when. */
export function acknowledgementsOf(drift: ExplainedDrift, now: number): Markup {
  const words = drift.history.filter(({ what }) => what === "acknowledged").toReversed();
  const content =
    words.length === 0
      ? el("p", {}, "Nobody has acknowledged it.")
      : [
          tableOf(
            "Acknowledgements, the latest first",
            ["Who", "Why", "Said", "Until", ...valueColumns(drift), "Holds"],
            words
              .slice(0, LIMITS.viewHistory)
              .map((word, at): TableRow => [
                oneLine(word.by),
                oneLine(word.because ?? ""),
                momentOf(word.at),
                word.until === null ? "" : lastDayOf(word.until),
                number(word.left),
                number(word.right),
                number(word.difference),
                at > 0 ? "replaced by a later one" : holdOf(word, drift, now),
              ]),
          ),
          moreOf(drift.id, words.length),
        ];
  return el("div", { class: "words" }, content);
}

function holdOf({ at, until }: HistoryEntry, { state, since, clearedAt }: ExplainedDrift, now: number): string {
  if (until === null || until <= now) return "no: it is over";
  if (clearedAt !== null) return "the drift was cleared";
  if (at < since) return "no: the drift was cleared, and came back";
  return state === "acknowledged" ? "yes" : "no: the values have changed since";
}

function valueColumns({ sides }: ExplainedDrift): readonly string[] {
  return [oneLine(sides.left), oneLine(sides.right), "Difference"];
}

function historyOf(drift: ExplainedDrift): Markup {
  const { history, sides } = drift;
  const seen = history.filter(({ what }) => what === "seen" || what === "cleared");
  const line = (of: "left" | "right" | "difference"): Line => seen.map((entry) => ({ at: entry.at, value: entry[of] }));
  const [left, right] = [oneLine(sides.left), oneLine(sides.right)];
  const rows = history
    .slice(-LIMITS.viewHistory)
    .toReversed()
    .map(({ at, what, by, ...values }): TableRow => [
      momentOf(at),
      what,
      what === "seen" || what === "cleared" ? runLink(by) : oneLine(by),
      number(values.left),
      number(values.right),
      number(values.difference),
    ]);
  const plots = [plotOf("Values", [line("left"), line("right")], [left, right]), plotOf("Difference", [line("difference")])];
  const content = [
    el("div", { class: "plots" }, plots),
    tableOf("History, the latest first", ["When", "What", "Run, or who", ...valueColumns(drift)], rows),
    moreOf(drift.id, history.length),
  ];
  return section("History", content, "explained");
}

function moreOf(id: string, all: number): Child {
  const more = all - LIMITS.viewHistory;
  return more > 0 ? hint(`${more} earlier ones: `, commandMarkup(command`drift show ${id}`)) : undefined;
}
