import { addressText, carrierText, countItem, hint, outcomeMarkup } from "../parts/phrases.ts";
import { type Json, type JsonObject, textOrJson } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count } from "../../../base/text/text.ts";
import { textAt } from "../../attempt.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { AttemptReport, NotBegun, RunHeading, RunReport, StepReport, Totals } from "../../shape.ts";
import { anywayText, confirmedText, durationText, nextOf } from "../../text.ts";
import { actedAs, countsIn, environmentWords, markedWord, NOT_BEGUN, RUN_WORDS, STEP_WORDS, wordOf } from "../../words.ts";
import type { Budget } from "../parts/budget.ts";
import { commandBox, idMarkup, withIds } from "../parts/copy.ts";
import { type Child, el, type Markup, opening } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import {
  factList,
  type Facts,
  isAtWork,
  needsAttention,
  outcomeOfAttempt,
  problemMarkup,
  reasonOf,
  stepOpening,
  type Showing,
} from "../parts/step.ts";
import { treeOf } from "../../steps/step-tree.ts";
import { treePieces } from "../parts/step-tree.ts";
import { type TableRow, tableOf } from "../parts/table.ts";
import { Timeline } from "../parts/timeline.ts";

/** How a run is shown. */
interface ShowingRun extends Pick<Showing, "id" | "isServed" | "isUnderWay" | "budget"> {
  /** Whether it is the only run on its page. */
  readonly isOnly: boolean;
}

/** Returns a run in pieces: how it ended, what needs attention, its writes, its steps, its inputs and outputs. */
export function* runPieces(report: RunReport, { id, isOnly, isServed, isUnderWay, budget }: ShowingRun): Generator<string> {
  const { run, steps } = report;
  const timeline = new Timeline(report);
  const ids = new Map(steps.map((step, at) => [step.step, `${id}-step-${at + 1}`]));
  const linkTo = (step: StepReport): Markup => el("a", { href: `#${ids.get(step.step) ?? id}` }, oneLine(step.step));
  yield opening("article", { id, class: `run ${run.outcome}` });
  const part = (title: string): Markup => el(isOnly ? "h2" : "h3", { class: "part" }, title);
  yield headerOf(report, { heading: isOnly ? "h1" : "h2", isUnderWay, budget }).html;
  const isConcern = (step: StepReport): boolean => needsAttention(step) && !(isUnderWay && isAtWork(step));
  const concerns = steps.filter(isConcern);
  const reasonIds = new Map(concerns.slice(0, LIMITS.htmlConcerns).map((step, at) => [step, `${id}-reason-${at + 1}`]));
  yield concernsOf(concerns.length, { title: part("Needs attention"), linkTo, reasonIds, budget })?.html ?? "";
  yield writesOf(steps, { title: part("Writes"), linkTo, isUnderWay })?.html ?? "";
  yield opening("section", { class: "steps" });
  yield part("Steps").html;
  if (timeline.hasPauses) yield hint("Bars show when each step was under way; long pauses are drawn short.").html;
  const { file } = run.playbook;
  const shared = { file, isServed, isUnderWay, timeline, budget };
  yield* treePieces(treeOf(steps), {
    isConcern,
    openStep: (step, isOpen) =>
      stepOpening(step, { ...shared, id: ids.get(step.step) ?? "", reasonId: reasonIds.get(step) }, isOpen),
  });
  yield "</section>";
  yield valuesOf(part("Outputs"), run.outputs, budget)?.html ?? "";
  yield valuesOf(part("Inputs"), run.inputs, budget)?.html ?? "";
  yield historyOf(run, part("History")).html;
  yield "</article>";
}

/** Returns a playbook whose run did not begin, and why. */
export function notBegunMarkup({ playbook, problem }: NotBegun, budget: Budget): Markup {
  return el(
    "article",
    { class: "run failed" },
    el("p", {}, outcomeMarkup("failed", NOT_BEGUN, "badge")),
    el("h2", {}, oneLine(playbook.name)),
    factList([["playbook", oneLine(playbook.file)]]),
    problemMarkup(problem, "problem", budget),
  );
}

interface HeaderShown extends Pick<ShowingRun, "isUnderWay" | "budget"> {
  readonly heading: "h1" | "h2";
}

function headerOf({ run, totals, steps }: RunReport, { heading, isUnderWay, budget }: HeaderShown): Markup {
  return el(
    "header",
    {},
    el("p", {}, outcomeMarkup(run.outcome, RUN_WORDS[run.outcome], "badge")),
    el(heading, {}, oneLine(run.playbook.name)),
    countsList(totals),
    factList(factsOf(run)),
    run.problem === null ? undefined : problemMarkup(run.problem, "problem", budget),
    run.outcome === "passed" || isUnderWay ? undefined : nextMarkupOf(run, steps),
  );
}

// Returns `to continue: tokenbook resume RUN`, unless a problem says the same.
function nextMarkupOf(run: RunHeading, steps: readonly StepReport[]): Child {
  const { words, command } = nextOf(run);
  if (steps.some((step) => needsAttention(step) && step.problem?.next?.includes(command.text) === true)) return undefined;
  return el("div", { class: "next" }, el("p", {}, `${words}:`), commandBox(command));
}

function factsOf(run: RunHeading): Facts {
  const { target, startedAt, finishedAt } = run;
  const { orgId = null, appId } = target;
  return [
    ["environment", oneLine(environmentWords(target))],
    ["service", addressText(run)],
    ["organization", orgId === null ? undefined : oneLine(`${orgId}, application ${appId ?? ""}`)],
    ["playbook", oneLine(run.playbook.file)],
    ["run", idMarkup(run.id)],
    ["key", run.idempotencyKey === null ? undefined : el("code", {}, oneLine(run.idempotencyKey))],
    ["started anyway", run.anyway === null ? undefined : anywayText(run.anyway)],
    ["confirmed", run.confirmed === null ? undefined : confirmedText(run.confirmed)],
    ["started", moment(startedAt)],
    ["ended", finishedAt === null ? undefined : moment(finishedAt)],
    ["duration", durationText(run) || "not finished"],
    ["run by", carrierText(run)],
  ];
}

// Zero counts are left out, because a reader looks for the others.
function countsList(totals: Totals): Markup {
  const counts = countsIn(totals);
  const items = counts.map(([outcome, number]) => countItem(outcome, STEP_WORDS[outcome], number));
  const warned =
    totals.warnings === 0 ? [] : [el("li", { class: "warned" }, el("b", {}, String(totals.warnings)), " ! with a warning")];
  return el("ul", { class: "counts" }, el("li", { class: "all" }, el("b", {}, String(totals.steps)), " total"), items, warned);
}

interface Concerns {
  readonly title: Markup;
  readonly linkTo: (step: StepReport) => Markup;
  /** The steps whose reason is shown here, each with the id of its element. */
  readonly reasonIds: ReadonlyMap<StepReport, string>;
  readonly budget: Budget;
}

function concernsOf(total: number, { title, linkTo, reasonIds, budget }: Concerns): Markup | undefined {
  if (reasonIds.size === 0) return undefined;
  const left = total - reasonIds.size;
  const items = Array.from(reasonIds, ([step, id]) => {
    const badge = el("span", { class: "badge" }, markedWord(wordOf(step)));
    return el("li", { id, class: step.outcome }, el("p", {}, badge, " ", linkTo(step)), reasonOf(step, budget));
  });
  const more = left === 0 ? undefined : el("li", {}, `and ${count(left, "step")} more`);
  return el("section", { class: "concerns" }, title, el("ul", {}, items, more));
}

interface ShownWrite {
  readonly step: StepReport;
  readonly attempt: AttemptReport;
  readonly outcome: ReturnType<typeof outcomeOfAttempt>;
}

interface WritesShown extends Pick<Concerns, "title" | "linkTo"> {
  readonly isUnderWay: boolean;
}

/** Returns what the guarantee says about each attempt of a write. */
function writesOf(steps: readonly StepReport[], { title, linkTo, isUnderWay }: WritesShown): Markup | undefined {
  const writes = steps.flatMap((step) =>
    step.attempts.map((attempt): ShownWrite => ({ step, attempt, outcome: outcomeOfAttempt(attempt, step, isUnderWay) })),
  );
  if (writes.length === 0) return undefined;
  const words = Map.groupBy(writes, ({ outcome }) => outcome.word);
  const counts = Array.from(words, ([word, { length }]) => `${length} ${word}`).join(", ");
  // If not all writes can be shown, uneventful ones are left out first.
  const sorted = writes.length <= LIMITS.htmlWrites ? writes : writes.toSorted((a, b) => plainness(a) - plainness(b));
  const shown = sorted.slice(0, LIMITS.htmlWrites);
  const named = shown.some((write) => transactionOf(write) !== null);
  return el(
    "details",
    { class: "writes", open: words.size > 1 },
    el("summary", {}, title, ` ${count(writes.length, "attempt")}: ${counts}`),
    tableOf(
      "The outcome of each attempt",
      ["Step", "Attempt", "Operation", "As", "Outcome", "Evidence", ...(named ? ["Transaction"] : [])],
      shown.map((write): TableRow => [linkTo(write.step), ...writeCells(write), ...(named ? [transactionCell(write)] : [])]),
    ),
    shown.length === writes.length
      ? undefined
      : hint(`${count(writes.length - shown.length, "attempt")} more, each with its step below.`),
  );
}

function plainness({ outcome }: ShownWrite): number {
  return outcome.word === "acknowledged" ? 1 : 0;
}

function writeCells({ step, attempt, outcome: { word, by } }: ShownWrite): readonly Child[] {
  return [
    String(attempt.attempt + 1),
    oneLine(attempt.operation),
    oneLine(actedAs(step)),
    el("span", { class: `verdict ${word.replace(" ", "-")}` }, word),
    withIds(oneLine(by)),
  ];
}

function transactionCell(write: ShownWrite): Child {
  const id = transactionOf(write);
  return id === null ? "" : idMarkup(id);
}

// The answer or the receipt of the last attempt names the transaction. If the answer was lost, the evidence that was read back names it.
function transactionOf({ step, attempt }: ShownWrite): string | null {
  const own = attempt === step.attempts.at(-1) ? step.transactionId : null;
  const evidence = attempt.settled?.evidence;
  return own ?? textAt(evidence, "transactionId") ?? textAt(evidence, "transaction");
}

function valuesOf(title: Markup, values: JsonObject, budget: Budget): Markup | undefined {
  const entries = Object.entries(values);
  if (entries.length === 0) return undefined;
  return el(
    "section",
    { class: "values" },
    title,
    factList(entries.map(([name, value]) => [oneLine(name), valueOf(value, budget)])),
  );
}

const INLINE_CHARS = 200;

function valueOf(value: Json, budget: Budget): Child {
  const text = textOrJson(value);
  return text.length <= INLINE_CHARS ? idMarkup(text) : budget.value(value);
}

function historyOf({ history }: RunHeading, title: Markup): Markup {
  return el(
    "details",
    { class: "history" },
    el("summary", {}, title),
    el(
      "ol",
      {},
      history.map(({ at, what, by, text }) => {
        const words = [what, by === null ? "" : `by ${oneLine(by)}`, text === null ? "" : `– ${oneLine(text)}`];
        return el("li", {}, moment(at), ` ${words.filter((word) => word !== "").join(" ")}`);
      }),
    ),
  );
}
