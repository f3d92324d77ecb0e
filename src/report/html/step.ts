import { formatDuration } from "../../base/duration.ts";
import { isObject, type Json } from "../../base/json.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { explanationBlocks } from "../evidence.ts";
import { cut, oneLine } from "../formats/foreign-text.ts";
import type { AttemptReport, StepReport } from "../shape.ts";
import { verdictOf } from "../verdict.ts";
import { isNamedBy, NO_END, wordOf } from "../words.ts";
import { type Budget, textBlock } from "./budget.ts";
import { comparisonMarkup } from "./comparison.ts";
import { type Child, el, type Markup } from "./markup.ts";
import { AXIS, type Timeline } from "./timeline.ts";

const DEEPEST = 8;
const BAR_HEIGHT = 8;

/** What a step is shown with. */
export interface Showing {
  /** The id of its element. */
  readonly id: string;
  /** The playbook of the run. */
  readonly file: string;
  /** There are pages to link to. */
  readonly isServed: boolean;
  readonly timeline: Timeline;
  readonly budget: Budget;
}

/** Whether somebody should look at a step: it is open when the page is. */
export function wantsPerson({ kind, outcome, problem, warning }: StepReport): boolean {
  if (warning !== null) return true;
  if (kind !== "call" && kind !== "check" && (problem === null || problem.code === "block.failed")) return false;
  return ["failed", "pending", "unknown", "conflict", "drift"].includes(outcome);
}

/** A row of a run: its line, and what is known of it. */
export function stepMarkup(step: StepReport, showing: Showing): Markup {
  const { outcome } = step;
  const isOpen = wantsPerson(step);
  return el(
    "details",
    { id: showing.id, class: `step ${outcome} d${Math.min(step.depth, DEEPEST)}`, "data-outcome": outcome, open: isOpen },
    el("summary", {}, lineOf(step, showing.timeline)),
    el("div", { class: "body" }, bodyOf(step, showing)),
  );
}

function lineOf(step: StepReport, timeline: Timeline): Child {
  const { mark, word } = wordOf(step);
  const name = step.name === step.step || isNamedBy(step.id, step.name) ? "" : oneLine(step.name);
  const sent = step.attempts.length > 1 ? `sent ${step.attempts.length} times` : "";
  return [
    el("span", { class: "word" }, el("span", { class: "mark", "aria-hidden": "true" }, mark), ` ${word}`),
    el(
      "span",
      { class: "what" },
      el("b", {}, oneLine(step.step)),
      name === "" ? undefined : [" ", el("span", { class: "name" }, name)],
      " ",
      el("span", { class: "uses" }, [oneLine(step.uses), step.actor === null ? "" : ` as ${oneLine(step.actor)}`]),
      sent === "" ? undefined : [" ", el("span", { class: "sent" }, sent)],
    ),
    barOf(step, timeline),
    el("span", { class: "time" }, step.durationMs === null ? "" : formatDuration(step.durationMs)),
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

function bodyOf(step: StepReport, { file, isServed, budget }: Showing): Child {
  const { problem, warning, refusal, attempts, response, kind } = step;
  return [
    problem === null ? undefined : problemMarkup(problem, "problem", budget),
    warning === null ? undefined : problemMarkup(warning, "warning", budget),
    refusal === null ? undefined : el("p", {}, "Refused, as it was to be: ", el("code", {}, said(refusal))),
    unfinished(step),
    factsOf(step, file),
    step.comparison === null ? undefined : comparisonMarkup(step.comparison, isServed),
    attempts.map((attempt) => attemptMarkup(attempt, step, budget)),
    response === null || kind !== "call" ? undefined : labelled("Answer", budget.value(response)),
    attempts.length > 0 || kind !== "call" || step.requests === 0
      ? undefined
      : el("p", { class: "hint" }, "The journal keeps the answer of a read, not its request: see the playbook."),
  ];
}

function unfinished({ kind, outcome, problem }: StepReport): Markup | undefined {
  if (problem !== null || kind !== "call" || (outcome !== "unknown" && outcome !== "pending")) return undefined;
  return el("p", {}, `Not finished: ${NO_END}.`);
}

function factsOf(step: StepReport, playbook: string): Markup {
  const { file, line, startedAt, requests, transactionId, receipt } = step;
  const facts: readonly (readonly [string, Child])[] = [
    ["written at", `${oneLine(file ?? playbook)}:${line}`],
    ...pair("began", startedAt === null ? null : el("time", { datetime: startedAt }, startedAt)),
    ...pair("requests", requests === 0 ? null : String(requests)),
    ...pair("transaction", transactionId === null ? null : el("code", {}, oneLine(transactionId))),
    ...pair("receipt", receipt === null ? null : receiptOf(receipt)),
  ];
  return factList(facts);
}

function receiptOf({ receiptId, status, message }: NonNullable<StepReport["receipt"]>): Child {
  const words = [status ?? "not read", message === null || message === "" ? undefined : `“${message}”`];
  return [
    receiptId === null ? "" : [el("code", {}, oneLine(receiptId)), " "],
    oneLine(words.filter((word) => word !== undefined).join(" ")),
  ];
}

/** Facts under their names, one a line. */
export function factList(facts: readonly (readonly [string, Child])[]): Markup {
  return el(
    "dl",
    { class: "facts" },
    facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

function pair(name: string, value: Child | null): readonly (readonly [string, Child])[] {
  return value === null ? [] : [[name, value]];
}

function attemptMarkup(attempt: AttemptReport, step: StepReport, budget: Budget): Markup {
  const { at, request, status, durationMs, input, baseline, settled } = attempt;
  const { word, by } = verdictOf(attempt, step);
  const answer = status === null ? "no answer" : `HTTP ${status}`;
  return el(
    "section",
    { class: `attempt ${word.replace(" ", "-")}` },
    el("p", { class: "sending" }, `Sending ${attempt.attempt + 1}: ${word}`),
    el(
      "p",
      {},
      el("code", {}, `${request.method} ${oneLine(request.path)}`),
      ` at ${at}, ${answer}${durationMs === null ? "" : ` after ${formatDuration(durationMs)}`}; `,
      oneLine(by, SENTENCE_CHARS),
    ),
    labelled("Sent", budget.value(input)),
    baseline === null ? undefined : folded("What was there before", budget.value(baseline)),
    settled === null ? undefined : folded("By which it was settled", budget.value(settled.evidence)),
  );
}

const SENTENCE_CHARS = 1_000;

function labelled(label: string, value: Child): Markup {
  return el("div", { class: "value" }, el("p", { class: "label" }, label), value);
}

function folded(label: string, value: Child): Markup {
  return el("details", { class: "value" }, el("summary", {}, label), value);
}

/** What is wrong, why, what was seen, and what goes on from here. */
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
    next === undefined ? undefined : el("p", {}, el("b", {}, "Next: "), el("code", {}, said(next))),
  );
}

function said(text: string): string {
  return cut(text, SAID_CHARS);
}

const SAID_CHARS = 2_000;

function evidenceMarkup(evidence: Json, budget: Budget): Child {
  const blocks = explanationBlocks(evidence);
  if (blocks !== undefined) {
    return blocks.map(({ label, lines }) => labelled(LABELS[label] ?? label, textBlock(lines.join("\n"))));
  }
  const isNothing = evidence === null || (isObject(evidence) && Object.keys(evidence).length === 0);
  return isNothing ? undefined : labelled("Seen", budget.value(evidence));
}

const LABELS: Readonly<Record<string, string>> = {
  seen: "Seen",
  "to hold": "To hold",
  or: "Or",
  and: "And",
  response: "Answer",
};
