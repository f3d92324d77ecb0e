import { hint, outcomeMarkup } from "../parts/phrases.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { jsonEquals, writeJson } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count } from "../../../base/text/text.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { RunReport, StepReport } from "../../shape.ts";
import { countsOf } from "../../text.ts";
import { RUN_WORDS, wordOf } from "../../words.ts";
import { framed, section } from "../frame.ts";
import { comparisonsOverTime } from "../parts/history.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { runLink } from "../parts/places.ts";
import { type TableRow, tableOf } from "../parts/table.ts";

/** Returns two runs side by side, with the differences first. Pure. */
export function comparePage(before: RunReport, after: RunReport): Iterable<string> {
  const pairs = pairsOf(before, after);
  const others = pairs.filter(isOther);
  const [earlier, later] = [before, after].map(({ run }) => oneLine(run.playbook.name));
  const title = isOnePlaybook(before, after) ? `Two runs of ${later}` : `A run of ${earlier}, and one of ${later}`;
  return framed({ title, place: "runs" }, [
    el("h1", {}, title),
    isOnePlaybook(before, after)
      ? ""
      : hint("They are runs of two playbooks: steps with the same name may have little in common."),
    tableOf("Both runs", ["Run", "Outcome", "Started", "Duration", "Steps"], [before, after].map(runRow)),
    comparisonsOverTime([before, after]),
    section(`${count(others.length, "step")} with another outcome`, stepTable("Steps with another outcome", others)),
    section("Outputs", outputTable(before, after)),
    section(`All ${count(pairs.length, "step")}`, stepTable("All steps", pairs)),
  ]);
}

function isOnePlaybook({ run: before }: RunReport, { run: after }: RunReport): boolean {
  return before.playbook.file === after.playbook.file;
}

interface StepPair {
  readonly address: string;
  readonly before: StepReport | undefined;
  readonly after: StepReport | undefined;
}

// Steps are in the order of the later run. Steps that it does not have come last.
function pairsOf(before: RunReport, after: RunReport): readonly StepPair[] {
  const earlier = new Map(before.steps.map((step) => [step.step, step]));
  const pairs = after.steps.map((step): StepPair => ({ address: step.step, before: earlier.get(step.step), after: step }));
  const known = new Set(after.steps.map(({ step }) => step));
  const gone = before.steps.filter(({ step }) => !known.has(step));
  return [...pairs, ...gone.map((step): StepPair => ({ address: step.step, before: step, after: undefined }))];
}

function isOther({ before, after }: StepPair): boolean {
  return before?.outcome !== after?.outcome || isWarned(before) !== isWarned(after);
}

function runRow({ run, totals }: RunReport): TableRow {
  return [
    runLink(run.id),
    outcomeMarkup(run.outcome, RUN_WORDS[run.outcome]),
    moment(run.startedAt),
    formatDuration(run.durationMs),
    countsOf(totals),
  ];
}

function stepTable(label: string, pairs: readonly StepPair[]): Markup {
  if (pairs.length === 0) return el("p", {}, "None.");
  const shown = pairs.slice(0, LIMITS.viewSteps);
  const rows = shown.map((pair): TableRow => {
    const { address, before, after } = pair;
    return [
      oneLine(address),
      outcomeOf(before),
      outcomeOf(after),
      formatDuration(before?.durationMs ?? null),
      formatDuration(after?.durationMs ?? null),
      isOther(pair) ? el("span", { class: "other" }, "other") : "same",
    ];
  });
  const left = pairs.length - shown.length;
  return el(
    "div",
    {},
    tableOf(label, ["Step", "Before", "After", "Duration before", "Duration after", "Outcome"], rows),
    left === 0 ? undefined : hint(`${count(left, "step")} more`),
  );
}

function isWarned(step: StepReport | undefined): boolean {
  return (step?.warning ?? null) !== null;
}

function outcomeOf(step: StepReport | undefined): Child {
  return step === undefined ? "not there" : outcomeMarkup(isWarned(step) ? "warned" : step.outcome, wordOf(step));
}

function outputTable(before: RunReport, after: RunReport): Markup {
  const [earlier, later] = [before.run.outputs, after.run.outputs];
  const names = [...new Set([...Object.keys(later), ...Object.keys(earlier)])];
  if (names.length === 0) return el("p", {}, "None.");
  const rows = names.map((name): TableRow => {
    const [was, is] = [earlier[name], later[name]];
    const isSame = was !== undefined && is !== undefined && jsonEquals(was, is);
    return [
      oneLine(name),
      was === undefined ? "" : oneLine(writeJson(was)),
      is === undefined ? "" : oneLine(writeJson(is)),
      isSame ? "same" : el("span", { class: "other" }, "other"),
    ];
  });
  return tableOf("Outputs", ["Output", "Before", "After", "Value"], rows);
}
