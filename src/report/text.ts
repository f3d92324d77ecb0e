import { formatDuration } from "../base/duration.ts";
import { type Json, writeJson } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { count, countLong } from "../base/text.ts";
import { type Anyway, isEmbedded, type Notice, type RunEdited, type RunOpened } from "../protocol/record.ts";
import { comparisonLines } from "./comparison.ts";
import { settledText } from "./attempt.ts";
import { oneLine } from "./formats/foreign-text.ts";
import { labelled, problemLines } from "./problem.ts";
import type { RunReport, StepReport, Totals } from "./shape.ts";
import { countsIn, environmentWords, isNamedBy, NO_END, NOT_BEGUN, RUN_WORDS, STEP_WORDS, wordOf } from "./words.ts";

// Plain text for pipes and CI logs: no escape sequence, and no line begins with what somebody else wrote.

const WORD_WIDTH = 7;
const OUTPUT_CHARS = 2_000;
const INDENT = "    ";
const STEP_INDENT = "  ";

/** The line that begins a run. */
export function headerLine({ playbook, target, runId }: Pick<RunOpened, "playbook" | "target" | "runId">): string {
  return `▶ ${oneLine(playbook.name)}  (${oneLine(playbook.file)})  environment ${oneLine(environmentWords(target))}  run ${oneLine(runId)}`;
}

/** What a person should know of how a run began; nothing of most. */
export function beganLines({ anyway, idempotencyKey }: Pick<RunReport["run"], "anyway" | "idempotencyKey">): readonly string[] {
  return [
    ...(idempotencyKey === null ? [] : labelled("key", idempotencyKey)),
    ...(anyway === null ? [] : [anywayText(anyway)]),
  ].map((line) => `${INDENT}${line}`);
}

/** Says that a person began a run beside writes that others left open, in one line. */
export function anywayText({ who, because, runs }: Anyway): string {
  return `! began although ${oneLine(runs.join(", "))} left writes open, says ${oneLine(who)}: ${oneLine(because)}`;
}

/** The line that tells what keeps a run from beginning. */
export function waitingLine({ for: what, untilMs }: { readonly for: string; readonly untilMs: number }): string {
  return `… waiting until ${new Date(untilMs).toISOString()} for ${oneLine(what)}`;
}

/** The line that tells what a step has been busy with for long. */
export function busyLine(notice: Extract<Notice, { readonly kind: "step.waiting" | "step.reading" }>): string {
  const step = oneLine(notice.step);
  if (notice.kind === "step.reading") return `… ${step}  page ${notice.pages} · ${countLong(notice.rows, "row")}`;
  return `… ${step}  waiting until ${new Date(notice.untilMs).toISOString()} for ${oneLine(notice.for)}`;
}

/** The line that tells that somebody wants the runs to stop. */
export const STOPPING_LINE: string = `… stopping: nothing new begins, and a write on its way gets ${LIMITS.writeGraceMs / 1_000} s for its answer; Ctrl-C once more ends at once`;

/** What stands before each line of a run when those of several playbooks write into one log: its file's name, or its path where another has that name too. */
export function labelRun({ playbook: { file } }: Pick<RunOpened, "playbook">, files: readonly string[]): string {
  const isShared = files.some((other) => other !== file && fileName(other) === fileName(file));
  return `[${oneLine(isShared ? file : fileName(file))}] `;
}

function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? "";
}

/** Of a resumed run: what was done before; nothing for a new one. */
export function doneBeforeLine({ ok, changed, unchanged, skipped, rescued, steps }: Totals): readonly string[] {
  const done = ok + changed + unchanged + skipped + rescued;
  return done === 0 ? [] : [`${INDENT}${done} of ${count(steps, "step")} done before`];
}

/** Of a resumed run whose playbook somebody has edited: that it was, and what of it is to be known. */
export function editedLines({ playbook, notes }: Pick<RunEdited, "playbook" | "notes">): readonly string[] {
  return [`edited since: ${oneLine(playbook.file)}`, ...notes.map((note) => `! ${oneLine(note)}`)].map(
    (line) => `${INDENT}${line}`,
  );
}

/** The one line of a step that has ended; ids are in full, for people paste them. */
export function plainLine(step: StepReport): string {
  const { mark, word } = wordOf(step);
  const parts = [
    `${mark} ${word.padEnd(WORD_WIDTH)}`,
    oneLine(step.step),
    nameOf(step),
    oneLine(step.uses),
    step.actor === null ? "" : `as ${oneLine(step.actor)}`,
    step.transactionId === null ? "" : `tx ${oneLine(step.transactionId)}`,
    receiptPart(step),
    step.attempts.length > 1 ? `sent ${step.attempts.length} times` : "",
    step.durationMs === null ? "" : formatDuration(step.durationMs),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

function nameOf({ step, id, name }: StepReport): string {
  return name === step || isNamedBy(id, name) ? "" : oneLine(name);
}

function receiptPart({ receipt }: StepReport): string {
  if (receipt === null) return "";
  if (receipt.status !== null) return `receipt ${oneLine(receipt.status)}`;
  return receipt.receiptId === null ? "" : `receipt ${oneLine(receipt.receiptId)} not read`;
}

/** A step's line, and beneath it what went wrong; further in, the more blocks and playbooks it is in. */
export function stepLines(step: StepReport): readonly string[] {
  return within(step, [plainLine(step), ...indented(beneath(step))]);
}

/** The line with which a block or an included playbook begins: what it holds follows, then its own end. */
export function beginningLine(step: StepReport): string {
  const parts = [`▸ ${oneLine(step.step)}`, nameOf(step), oneLine(step.uses)];
  return within(step, [parts.filter((part) => part !== "").join("  ")]).join("");
}

function within({ depth }: StepReport, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${STEP_INDENT.repeat(depth)}${line}`);
}

function beneath(step: StepReport): readonly string[] {
  return step.comparison === null ? said(step) : [...comparisonLines(step.comparison), ...said(step)];
}

function said(step: StepReport): readonly string[] {
  const { kind, problem, warning, outcome, refusal } = step;
  if (problem !== null) return [...problemLines(problem), ...placeLines(step)];
  if (warning !== null) return ["warning:", ...problemLines(warning), ...placeLines(step)];
  if (refusal !== null) return labelled("refused, as it was to be", refusal);
  if (kind !== "call") return [];
  if (outcome === "unknown" || outcome === "pending") return [`not finished: ${NO_END}`, ...settledLines(step)];
  return settledLines(step);
}

// A write of which other evidence than its own answer tells says by which.
function settledLines({ attempts }: StepReport): readonly string[] {
  return attempts.flatMap(({ attempt, settled }) =>
    settled === null ? [] : labelled(`attempt ${attempt + 1}`, settledText(settled)),
  );
}

/** Where a step is written, when that is not in the playbook that was run. */
export function placeLines({ file, line }: StepReport): readonly string[] {
  return file === null ? [] : labelled("at", `${file}:${line}`);
}

/** A whole run in plain lines: what one who did not watch would have seen. */
export function reportLines(report: RunReport): readonly string[] {
  const { run, steps } = report;
  const told = steps.filter(({ outcome }) => outcome !== "not-run");
  return [
    headerLine({ playbook: run.playbook, target: run.target, runId: run.id }),
    ...beganLines(run),
    ...told.flatMap(stepLines),
    ...summaryLines(report),
  ];
}

/** What a run came to: its outcome, honest counts, its outputs, and the command that goes on from here. */
export function summaryLines({ run, totals }: RunReport): readonly string[] {
  const { mark, word } = RUN_WORDS[run.outcome];
  const duration = run.durationMs === null ? "" : ` in ${formatDuration(run.durationMs)}`;
  const where = isEmbedded(run.target) ? ", on the embedded sandbox" : "";
  return [
    `${mark} ${word}  ${oneLine(run.playbook.name)}: ${countsOf(totals)}${duration}${where}`,
    ...indented(run.problem === null ? [] : problemLines(run.problem)),
    ...indented(Object.entries(run.outputs).map(([name, value]) => `output ${oneLine(name)}: ${valueText(value)}`)),
    ...indented(run.outcome === "passed" ? [] : [nextLine(run)]),
  ];
}

/** The command that goes on from a run that did not pass. */
export function nextLine({ id, outcome }: RunReport["run"]): string {
  if (outcome === "drift") return "to see what differs, and since when: tokenbook drift list";
  return outcome === "unknown" || outcome === "conflict"
    ? `to see what was sent: tokenbook runs show ${oneLine(id)}`
    : `to go on: tokenbook resume ${oneLine(id)}`;
}

/** `5 steps: 3 changed, 1 failed, 1 not run` */
export function countsOf(totals: Totals): string {
  const { warnings } = totals;
  const counts = countsIn(totals).map(([outcome, number]) => `${number} ${STEP_WORDS[outcome].word}`);
  if (warnings > 0) counts.push(count(warnings, "warning"));
  return [count(totals.steps, "step"), counts.join(", ")].filter((part) => part !== "").join(": ");
}

function valueText(value: Json): string {
  return oneLine(typeof value === "string" ? value : writeJson(value), OUTPUT_CHARS);
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${INDENT}${line}`);
}

/** `2 runs, 1 not begun`: what a report is of. */
export function runsLine(reports: readonly unknown[], notBegun: readonly unknown[]): string {
  const others = notBegun.length === 0 ? "" : `, ${notBegun.length} ${NOT_BEGUN.word}`;
  return `${count(reports.length, "run")}${others}`;
}

/** The line that ends a command of several runs. */
export function overallLine(reports: readonly Pick<RunReport, "run">[], skipped = 0): string {
  const outcomes = Map.groupBy(reports, ({ run }) => run.outcome);
  const counts = Array.from(outcomes, ([outcome, { length }]) => `${length} ${RUN_WORDS[outcome].word}`);
  return `${count(reports.length, "run")}: ${counts.join(", ")}${skipped === 0 ? "" : `; ${count(skipped, "file")} skipped`}`;
}
