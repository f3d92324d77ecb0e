import { hint, wordMarkup } from "./phrases.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { isObject, type Json } from "../../../base/json/json.ts";
import type { StepProblem } from "../../../protocol/record.ts";
import { type Block, explanationBlocks } from "../../evidence.ts";
import { cut, oneLine } from "../../formats/foreign-text.ts";
import { heldLines } from "../../held.ts";
import { balanceLines, idleTexts } from "../../steps/step-lines.ts";
import type { AttemptReport, StepReport } from "../../shape.ts";
import { verdictOf } from "../../verdict.ts";
import { actedAs, isConcern, isNamedBy, NO_END, wordOf } from "../../words.ts";
import { type Budget, textBlock } from "./budget.ts";
import { comparisonMarkup } from "./comparison.ts";
import { idMarkup, nextMarkup, withIds } from "./copy.ts";
import { type Child, el, type Markup, opening } from "../markup.ts";
import { moment } from "./moment.ts";
import { AXIS, type Timeline } from "./timeline.ts";

const BAR_HEIGHT = 8;

/** How a step is shown. */
export interface Showing {
  /** The id of its element. */
  readonly id: string;
  /** The id of the element that already shows its problem and its warning. */
  readonly reasonId: string | undefined;
  /** The playbook of the run. */
  readonly file: string;
  /** Whether there are pages to link to. */
  readonly isServed: boolean;
  /** Whether a process runs it. */
  readonly isUnderWay: boolean;
  /** The timeline of the run's steps. */
  readonly timeline: Timeline;
  /** How many further characters of values the page may contain. */
  readonly budget: Budget;
}

/** Returns whether a step needs attention. Such a step is open when the page opens. */
export function needsAttention(step: StepReport): boolean {
  const { kind, problem, warning } = step;
  const isOwn = kind === "call" || kind === "check" || warning !== null || (problem !== null && problem.code !== "block.failed");
  return isOwn && isConcern(step);
}

/** Returns the beginning of a row of a run: its line and its details. The steps inside it follow before the end of its element. */
export function stepOpening(step: StepReport, showing: Showing, isOpen: boolean): string {
  const { id, reasonId } = showing;
  const { outcome } = step;
  const begin = opening("details", {
    id,
    class: `step ${outcome}`,
    "data-outcome": outcome,
    "data-reason": reasonId,
    open: isOpen,
  });
  const body = el("div", { class: "body" }, bodyOf(step, showing));
  return `${begin}${el("summary", {}, lineOf(step, showing.timeline)).html}${body.html}`;
}

/** Returns whether a process works on the step, if the run is under way. Then nothing is wrong although no end is recorded. */
export function isAtWork({ kind, outcome, problem }: StepReport): boolean {
  return kind === "call" && problem === null && (outcome === "unknown" || outcome === "pending");
}

/** Returns the outcome of an attempt, even while it is under way. */
export function outcomeOfAttempt(
  attempt: AttemptReport,
  step: StepReport,
  isUnderWay: boolean,
): { readonly word: string; readonly by: string } {
  const hasNoAnswer = attempt.meaning === null && attempt.settled === null;
  return isUnderWay && isAtWork(step) && hasNoAnswer ? { word: "under way", by: "no answer yet" } : verdictOf(attempt, step);
}

function lineOf(step: StepReport, timeline: Timeline): Child {
  const name = step.name === step.step || isNamedBy(step.id, step.name) ? "" : oneLine(step.name);
  const sent = step.attempts.length > 1 ? `sent ${step.attempts.length} times` : "";
  return [
    wordMarkup(wordOf(step)),
    el(
      "span",
      { class: "what" },
      el("b", {}, oneLine(step.step)),
      name === "" ? undefined : [" ", el("span", { class: "name" }, name)],
      " ",
      el("span", { class: "uses" }, [oneLine(step.uses), actedAs(step) === "" ? "" : ` as ${oneLine(actedAs(step))}`]),
      sent === "" ? undefined : [" ", el("span", { class: "sent" }, sent)],
      idleTexts(step).map((text) => [" ", el("span", { class: "idle" }, `· ${text}`)]),
    ),
    barOf(step, timeline),
    el("span", { class: "time" }, formatDuration(step.durationMs)),
  ];
}

function barOf(step: StepReport, timeline: Timeline): Markup {
  const bar = timeline.barOf(step);
  return el(
    "svg",
    { class: "bar", viewBox: `0 0 ${AXIS} ${BAR_HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    bar === undefined ? undefined : el("rect", { x: bar.x, y: 0, width: bar.width, height: BAR_HEIGHT }),
  );
}

function bodyOf(step: StepReport, { reasonId, file, isServed, isUnderWay, budget }: Showing): Child {
  const { refusal, attempts, response, kind } = step;
  return [
    reasonId === undefined
      ? isUnderWay && isAtWork(step)
        ? undefined
        : reasonOf(step, budget)
      : el("p", {}, el("a", { href: `#${reasonId}` }, "Why this needs attention")),
    refusal === null ? undefined : el("p", {}, "Refused as expected: ", el("code", {}, said(refusal))),
    step.balances === null ? undefined : balanceLines(step.balances).map((line) => el("p", {}, line)),
    heldMarkup(step.held),
    factsOf(step, file),
    step.comparison === null ? undefined : comparisonMarkup(step.comparison, isServed),
    attempts.map((attempt) => attemptMarkup(attempt, step, { isUnderWay, budget })),
    response === null || kind !== "call" ? undefined : labelled("Answer", budget.value(response)),
    attempts.length > 0 || kind !== "call" || step.requests === 0
      ? undefined
      : hint("The journal keeps the answer of a read, not its request: see the playbook."),
  ];
}

function heldMarkup(held: StepReport["held"]): Child {
  const items = heldLines(held, true).map((line) => el("li", {}, line));
  return items.length === 0 ? undefined : el("ul", { class: "conditions" }, items);
}

/** Returns why a step needs attention; nothing if it does not. */
export function reasonOf(step: StepReport, budget: Budget): Child {
  const { problem, warning } = step;
  return [
    problem === null ? undefined : problemMarkup(problem, "problem", budget),
    warning === null ? undefined : problemMarkup(warning, "warning", budget),
    unfinished(step),
  ];
}

function unfinished({ kind, outcome, problem }: StepReport): Markup | undefined {
  if (problem !== null || kind !== "call" || (outcome !== "unknown" && outcome !== "pending")) return undefined;
  return el("p", {}, `Not finished: ${NO_END}.`);
}

function factsOf(step: StepReport, playbook: string): Markup {
  const { file, line, startedAt, attempts, requests, transactionId, receipt } = step;
  return factList([
    ["in", `${oneLine(file ?? playbook)}:${line}`],
    ["acted as", actedAs(step) === "" ? undefined : oneLine(actedAs(step))],
    ["started", startedAt === null ? undefined : moment(startedAt)],
    [attempts.length > 0 ? "attempts" : "requests", requests === 0 ? undefined : String(requests)],
    ["transaction", transactionId === null ? undefined : idMarkup(transactionId)],
    ["receipt", receipt === null ? undefined : receiptOf(receipt)],
  ]);
}

function receiptOf({ receiptId, status, message }: NonNullable<StepReport["receipt"]>): Child {
  const words = [status ?? "not read", message === null || message === "" ? undefined : `“${message}”`];
  return [receiptId === null ? "" : [idMarkup(receiptId), " "], oneLine(words.filter((word) => word !== undefined).join(" "))];
}

/** Facts with their names. */
export type Facts = readonly (readonly [name: string, value: Child])[];

/** Returns facts with their names, one on each line. `undefined` facts are left out. */
export function factList(facts: Facts): Markup {
  const known = facts.filter(([, value]) => value !== undefined);
  return el(
    "dl",
    { class: "facts" },
    known.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

function attemptMarkup(
  attempt: AttemptReport,
  step: StepReport,
  { isUnderWay, budget }: Pick<Showing, "isUnderWay" | "budget">,
): Markup {
  const { at, request, status, durationMs, input, baseline, settled } = attempt;
  const { word, by } = outcomeOfAttempt(attempt, step, isUnderWay);
  const answer = status === null ? "no answer" : `HTTP ${status}`;
  return el(
    "section",
    { class: `attempt ${word.replace(" ", "-")}` },
    el("p", { class: "outcome" }, `Attempt ${attempt.attempt + 1}: ${word}`),
    el(
      "p",
      {},
      el("code", {}, `${request.method} ${oneLine(request.path)}`),
      " at ",
      moment(at),
      `, ${answer}${durationMs === null ? "" : ` after ${formatDuration(durationMs)}`}; `,
      withIds(oneLine(by, SENTENCE_CHARS)),
    ),
    labelled("Sent", budget.value(input)),
    baseline === null ? undefined : folded("What was read before it", budget.value(baseline)),
    settled === null ? undefined : folded("The evidence as it was read", budget.value(settled.evidence)),
  );
}

const SENTENCE_CHARS = 1_000;

function labelled(label: string, value: Child): Markup {
  return el("div", { class: "value" }, el("p", { class: "label" }, label), value);
}

function folded(label: string, value: Child): Markup {
  return el("details", { class: "value" }, el("summary", {}, label), value);
}

/** Returns what is wrong, why, the evidence, and what to do. */
export function problemMarkup(
  { code, message, why, evidence, next }: StepProblem,
  kind: "problem" | "warning",
  budget: Budget,
): Markup {
  return el(
    "div",
    { class: kind },
    el("p", { class: "message" }, el("code", {}, oneLine(code)), " ", said(message)),
    why === undefined ? undefined : el("p", {}, el("b", {}, "Why: "), said(why)),
    evidence === undefined ? undefined : evidenceMarkup(evidence, budget),
    next === undefined ? undefined : nextMarkup(next),
  );
}

function said(text: string): string {
  return cut(text, SAID_CHARS);
}

const SAID_CHARS = 2_000;

function evidenceMarkup(evidence: Json, budget: Budget): Child {
  const blocks = explanationBlocks(evidence);
  if (blocks !== undefined) {
    return blocks.map(({ label, lines }) => labelled(LABELS[label], textBlock(lines.join("\n"))));
  }
  const isNothing = evidence === null || (isObject(evidence) && Object.keys(evidence).length === 0);
  return isNothing ? undefined : labelled("Seen", budget.value(evidence));
}

const LABELS: Readonly<Record<Block["label"], string>> = {
  seen: "Seen",
  "to hold": "To hold",
  or: "Or",
  and: "And",
  response: "Answer",
};
