import type { Hint } from "../../base/command-line.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { LIMITS } from "../../base/limits.ts";
import { textOrJson } from "../../base/json/json.ts";
import { count } from "../../base/text/text.ts";
import { settledText } from "../settled.ts";
import { type Case, casesOf, COUNTED_AS, notBegunCase } from "./cases.ts";
import { oneLine } from "./foreign-text.ts";
import { timeText } from "../steps/step-lines.ts";
import type { NotBegun, RunReport, StepReport } from "../shape.ts";
import { anywayText, confirmedText, countsOf, nextOf, runsLine } from "../text.ts";
import { actedAs, environmentWords, markedWord, NOT_BEGUN, RUN_WORDS, STEP_WORDS, wordOf } from "../words.ts";
import { hintedReport } from "../hinted.ts";

// Foreign text is written as code, in which tags, links and mentions do not work.

/**
 * Writes the reports as Markdown for a pull request or the summary of a job: the outcome of each run, then what needs attention, then the steps. The text fits
 * into one comment, and the number of omitted parts is shown.
 */
export function* markdownReport(reports: readonly RunReport[], notBegun: readonly NotBegun[], hint: Hint): Generator<string> {
  let room = LIMITS.markdownChars;
  let left = 0;
  for (const block of blocksOf(reports, notBegun, hint)) {
    if (left > 0 || block.length > room) left++;
    else {
      room -= block.length;
      yield block;
    }
  }
  if (left > 0) yield `\n*${count(left, "part")} more did not fit in here.*\n`;
}

function* blocksOf(reports: readonly RunReport[], notBegun: readonly NotBegun[], hint: Hint): Generator<string> {
  const all = reports.length + notBegun.length;
  const isOnly = reports.length === 1 && all === 1;
  if (!isOnly) {
    yield `## ${runsLine(reports, notBegun)}\n\n`;
    if (all > 0) yield "| outcome | playbook | steps | duration | run |\n|---|---|---|---|---|\n";
    for (const report of reports) yield rowOf(report);
    for (const { playbook } of notBegun) yield row([NOT_BEGUN_TITLE, cell(playbook.name), "", "", ""]);
  }
  for (const each of notBegun) yield notBegunBlock(each);
  for (const report of reports) yield* runBlocks(hintedReport(report, hint), isOnly ? "##" : "###", hint);
}

const NOT_BEGUN_TITLE = markedWord(NOT_BEGUN);

function notBegunBlock(each: NotBegun): string {
  const { name, file } = each.playbook;
  return `\n### ${NOT_BEGUN_TITLE}: ${code(name)}\n\n${code(file)}\n\n${fenced(notBegunCase(each).lines)}`;
}

function rowOf({ run, totals }: RunReport): string {
  return row([
    markedWord(RUN_WORDS[run.outcome]),
    cell(run.playbook.name),
    countsOf(totals),
    formatDuration(run.durationMs),
    cell(run.id),
  ]);
}

function* runBlocks(report: RunReport, level: string, hint: Hint): Generator<string> {
  const { run, totals } = report;
  yield `\n${level} ${markedWord(RUN_WORDS[run.outcome])}: ${code(run.playbook.name)}\n\n`;
  const facts = [countsOf(totals), formatDuration(run.durationMs), `environment ${code(environmentWords(run.target))}`];
  yield `${facts.filter((fact) => fact !== "").join(" · ")} · ${code(run.playbook.file)} · run ${code(run.id)}\n`;
  if (run.anyway !== null) yield `\n${code(anywayText(run.anyway))}\n`;
  if (run.confirmed !== null) yield `\n${code(confirmedText(run.confirmed))}\n`;
  for (const each of casesOf(report)) yield concernOf(each);
  const outputs = Object.entries(run.outputs);
  if (outputs.length > 0) yield "\n| output | value |\n|---|---|\n";
  for (const [name, value] of outputs) yield row([cell(name), cell(textOrJson(value))]);
  const next = run.outcome === "passed" ? undefined : nextOf(run);
  if (next !== undefined) yield `\n${next.words}: ${code(hint(next.command))}\n`;
  yield* stepsTable(report);
}

/** Returns the part of a step that needs attention; empty if all is well. */
function concernOf({ step, name, verdict, message, lines, warning, comparison }: Case): string {
  if (COUNTED_AS[verdict].md === "none") {
    if (warning.length === 0) return comparison.length === 0 ? "" : concern("compared", name, comparison);
    return concern("! warning", name, [...warning, ...comparison]);
  }
  const title = step === undefined ? "✗ failed" : markedWord(STEP_WORDS[step.outcome]);
  return concern(title, name, [...(lines.length === 0 ? [message] : lines), ...warning, ...comparison]);
}

function concern(title: string, name: string, lines: readonly string[]): string {
  return `\n**${title}** ${code(name)}\n\n${fenced(lines)}`;
}

function* stepsTable({ steps }: RunReport): Generator<string> {
  const ran = steps.filter(({ outcome }) => outcome !== "not-run");
  if (ran.length === 0) return;
  const open = `\n<details><summary>Every step</summary>\n\n`;
  const rows = ran.slice(0, LIMITS.markdownSteps).map(stepRow);
  const left = ran.length - rows.length;
  const more = left === 0 ? "" : `\n${count(left, "step")} more\n`;
  const head = "| outcome | step | operation | as | evidence | duration |\n|---|---|---|---|---|---|\n";
  yield `${open}${head}${rows.join("")}${more}\n</details>\n`;
}

function stepRow(step: StepReport): string {
  return row([
    markedWord(wordOf(step)),
    `${"&emsp;".repeat(step.depth)}${cell(step.step)}`,
    cell(step.uses),
    actedAs(step) === "" ? "" : cell(actedAs(step)),
    evidenceOf(step),
    timeText(step, ", "),
  ]);
}

function evidenceOf({ transactionId, receipt, attempts }: StepReport): string {
  const last = attempts.at(-1);
  const settled = last?.settled ?? null;
  return [
    ...(transactionId === null ? [] : [`tx ${cell(transactionId)}`]),
    ...(receipt === null || receipt.status === null ? [] : [`receipt ${cell(receipt.status)}`]),
    ...(settled === null ? [] : [cell(settledText(settled, last?.operation))]),
    ...(attempts.length > 1 ? [`sent ${attempts.length} times`] : []),
  ].join(", ");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

// A bar separates cells even in code, unless a backslash of ours comes before it.
function cell(text: string): string {
  const safe = oneLine(text).replaceAll(/\\+(?=\||\s*$)/g, (backslashes) => "＼".repeat(backslashes.length));
  return code(safe).replaceAll("|", String.raw`\|`);
}

/** Writes foreign text as a code span. The backticks around it are longer than any inside, and a space separates them if the text begins or ends with one. */
function code(text: string): string {
  const line = oneLine(text).trim();
  if (line === "") return "` `";
  const fence = "`".repeat(longestFence(line) + 1);
  const room = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

function fenced(lines: readonly string[]): string {
  const text = lines.join("\n");
  const fence = "`".repeat(Math.max(3, longestFence(text) + 1));
  return `${fence}text\n${text}\n${fence}\n`;
}

function longestFence(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([found]) => found.length));
}
