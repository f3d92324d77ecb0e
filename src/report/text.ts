import { isoTime } from "../base/time/date.ts";
import { command, type CommandLine, type Hint, PLAIN_HINT } from "../base/command-line.ts";
import { formatDuration } from "../base/time/duration.ts";
import { textOrJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { count, countLong } from "../base/text/text.ts";
import type { Anyway, BlockTurned, Confirmation, Notice, RunEdited, RunOpened } from "../protocol/record.ts";
import { editedFiles, isEmbedded, type Writing } from "../protocol/heading.ts";
import { oneLine } from "./formats/foreign-text.ts";
import { labelled, problemLines } from "./problem.ts";
import type { RunReport, Totals } from "./shape.ts";
import { type Detail, indented, rowLines } from "./steps/step-lines.ts";
import { countsIn, environmentWords, NOT_BEGUN, RUN_WORDS, STEP_WORDS } from "./words.ts";
import { hintedStep, hintedProblem } from "./hinted.ts";

// Plain text for pipes and CI logs: it has no escape sequences, and no line begins with foreign text.

const OUTPUT_CHARS = 2_000;

/** Returns the first line of a run. */
export function headerLine({ playbook, target, runId }: Pick<RunOpened, "playbook" | "target" | "runId">): string {
  return `▶ ${oneLine(playbook.name)}  (${oneLine(playbook.file)})  environment ${oneLine(environmentWords(target))}  run ${oneLine(runId)}`;
}

/** Returns what people should know about the start of a run; usually nothing. */
export function beganLines({
  anyway,
  confirmed,
  idempotencyKey,
}: Pick<RunReport["run"], "anyway" | "confirmed" | "idempotencyKey">): readonly string[] {
  return indented([
    ...(idempotencyKey === null ? [] : labelled("key", idempotencyKey)),
    ...(anyway === null ? [] : [anywayText(anyway)]),
    ...(confirmed === null ? [] : [confirmedText(confirmed)]),
  ]);
}

/** Returns the line about a person who started the run although writes were left open. */
export function anywayText({ who, because, runs }: Anyway): string {
  return `! began although ${oneLine(runs.join(", "))} left writes open, says ${oneLine(who)}: ${oneLine(because)}`;
}

const CONSENTS: Readonly<Record<Confirmation["how"], string>> = {
  asked: "when asked",
  yes: "in advance (--yes)",
  plan: "with an approved plan",
};

/** Describes in one line who consented to the writes of a run in a protected environment. */
export function confirmedText({ who, how, approval }: Confirmation): string {
  const by = approval === undefined ? "" : `, which ${oneLine(approval.who)} approved: ${oneLine(approval.because)}`;
  return `${oneLine(who)} consented to its writes ${CONSENTS[how]}${by}`;
}

/** Returns the line about a run that cannot start yet. */
export function waitingLine({ for: what, untilMs }: { readonly for: string; readonly untilMs: number }): string {
  return `… waiting until ${isoTime(untilMs)} for ${oneLine(what)}`;
}

/** Returns the line about a step that has been busy for long. */
export function busyLine(notice: Extract<Notice, { readonly kind: "step.waiting" | "step.reading" }>): string {
  const step = oneLine(notice.step);
  if (notice.kind === "step.reading") return `… ${step}  page ${notice.pages} · ${countLong(notice.rows, "row")}`;
  return `… ${step}  waiting until ${isoTime(notice.untilMs)} for ${oneLine(notice.for)}`;
}

/** The line that confirms that the runs are stopping. */
export const STOPPING_LINE: string = `… stopping: no new step starts, and a write on its way gets ${LIMITS.writeGraceMs / 1_000} s for its answer; press Ctrl-C again to end at once`;

/** Returns the label of each line of a run if several runs share a log: the name of its file, or its path if two files have the same name. */
export function labelRun({ playbook: { file } }: Pick<RunOpened, "playbook">, files: readonly string[]): string {
  const isShared = files.some((other) => other !== file && fileName(other) === fileName(file));
  return `[${oneLine(isShared ? file : fileName(file))}] `;
}

function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? "";
}

/** Returns how much of a resumed run was done before; nothing for a new run. */
export function doneBeforeLine({ ok, changed, unchanged, skipped, rescued, steps }: Totals): readonly string[] {
  const done = ok + changed + unchanged + skipped + rescued;
  return done === 0 ? [] : indented([`${done} of ${count(steps, "step")} done before`]);
}

/** Returns the notes on a resumed run whose playbook was edited, with the files that have changed. */
export function editedLines(before: Pick<Writing, "sources">, edited: RunEdited): readonly string[] {
  const files = editedFiles(before, edited).map((file) => oneLine(file));
  return indented([`edited since: ${files.join(", ")}`, ...edited.notes.map((note) => `! ${oneLine(note)}`)]);
}

/** Returns the notes on a block whose `always` runs again: which of its steps do not run again. */
export function turnedLines({ kept = [] }: Pick<BlockTurned, "kept">): readonly string[] {
  return indented(kept.map((step) => `! ${oneLine(step)} is not done again: it sent a write when its \`always\` ran before`));
}

/** Returns a whole run as plain lines, as a person who watched it would have seen it. */
export function reportLines(report: RunReport, detail: Detail, hint: Hint = PLAIN_HINT): readonly string[] {
  const { run, steps } = report;
  const hintedSteps = steps.map((step) => hintedStep(step, hint));
  const heading = { playbook: run.playbook, target: run.target, runId: run.id };
  const before = detail === "summary" ? [] : [headerLine(heading), ...beganLines(run)];
  return [...before, ...rowLines(hintedSteps, detail), ...summaryLines(report, hint)];
}

/** Returns the summary of a run: its outcome, counts and outputs, and the command that continues it. */
export function summaryLines({ run, totals }: RunReport, hint: Hint = PLAIN_HINT): readonly string[] {
  const { mark, word } = RUN_WORDS[run.outcome];
  const next = nextOf(run);
  const duration = durationText(run);
  const where = isEmbedded(run.target) ? ", on the embedded sandbox" : "";
  return [
    `${mark} ${word}  ${oneLine(run.playbook.name)}: ${countsOf(totals)}${duration === "" ? "" : ` in ${duration}`}${where}`,
    ...indented(run.problem === null ? [] : problemLines(hintedProblem(run.problem, hint))),
    ...indented(
      Object.entries(run.outputs).map(([name, value]) => `output ${oneLine(name)}: ${oneLine(textOrJson(value), OUTPUT_CHARS)}`),
    ),
    ...indented(run.outcome === "passed" ? [] : [`${next.words}: ${hint(next.command)}`]),
  ];
}

/** Returns how long a run took, without the time between a stop and its resume. Empty while it is under way. */
export function durationText({ startedAt, finishedAt, durationMs }: RunReport["run"]): string {
  if (durationMs === null || finishedAt === null) return "";
  const stoppedMs = Date.parse(finishedAt) - Date.parse(startedAt) - durationMs;
  return `${formatDuration(durationMs)}${stoppedMs > 0 ? ` (stopped for ${formatDuration(stoppedMs)} in between)` : ""}`;
}

/** Returns the command that continues a run that did not pass, or shows more about it, and what the command is for. */
export function nextOf({ id, outcome }: Pick<RunReport["run"], "id" | "outcome">): {
  readonly words: string;
  readonly command: CommandLine;
} {
  if (outcome === "drift") return { words: "to see what differs, and since when", command: command`drift list` };
  return outcome === "unknown" || outcome === "conflict"
    ? { words: "to see what was sent", command: command`runs show ${oneLine(id)}` }
    : { words: "to continue", command: command`resume ${oneLine(id)}` };
}

/** Formats the counts: `5 steps: 3 changed, 1 failed, 1 not run`. */
export function countsOf(totals: Totals): string {
  const { warnings } = totals;
  const counts = countsIn(totals).map(([outcome, number]) => `${number} ${STEP_WORDS[outcome].word}`);
  if (warnings > 0) counts.push(count(warnings, "warning"));
  return [count(totals.steps, "step"), counts.join(", ")].filter((part) => part !== "").join(": ");
}

/** Returns how many runs a report has: `2 runs, 1 not begun`. */
export function runsLine(reports: readonly unknown[], notBegun: readonly unknown[]): string {
  const others = notBegun.length === 0 ? "" : `, ${notBegun.length} ${NOT_BEGUN.word}`;
  return `${count(reports.length, "run")}${others}`;
}

/** Returns the last line of a command with several runs. */
export function overallLine(reports: readonly Pick<RunReport, "run">[], skipped = 0): string {
  const outcomes = Map.groupBy(reports, ({ run }) => run.outcome);
  const counts = Array.from(outcomes, ([outcome, { length }]) => `${length} ${RUN_WORDS[outcome].word}`);
  return `${count(reports.length, "run")}: ${counts.join(", ")}${skipped === 0 ? "" : `; ${count(skipped, "file")} skipped`}`;
}
