import { EXIT } from "../../../base/exit.ts";
import { writeJson } from "../../../base/json/json.ts";
import { isoTime } from "../../../base/time/date.ts";
import { onOneLine } from "../../../base/text/text.ts";
import { spellHolder } from "../../../journal/holder.ts";
import type { RunSummary } from "../../../journal/run-summary.ts";
import type { Holder } from "../../../protocol/record.ts";
import { textAt } from "../../../report/attempt.ts";
import { settledText } from "../../../report/settled.ts";
import { oneLine } from "../../../report/formats/foreign-text.ts";
import type { AttemptReport, HistoryReport } from "../../../report/shape.ts";
import { lookForRuns, type RunsOptions } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import type { Command } from "../../shell.ts";
import type { MemoryOptions } from "../../project/state-place.ts";
import { noteMore, printData, printLines } from "../../print/result.ts";
import { markedOn } from "../../view/colour.ts";

interface RunListOptions extends MemoryOptions, RunsOptions {
  readonly limit: number;
  readonly queued?: boolean;
}

/** `tokenbook runs`: lists the runs of a state directory, the latest first, and the processes that run them. */
export const listRuns: Command<RunListOptions> = async (shell, options) => {
  if (options.queued === true) return (await import("./runs-queued.ts")).listQueued(shell, options);
  const { latest, total } = await lookForRuns(shell, options, [], (store) => ({
    latest: store.runs.latest(options.limit),
    total: store.runs.total(),
  }));
  const runs = latest.map(({ held, ...run }) => ({
    ...run,
    openedAt: isoTime(run.openedAt),
    outcome: run.outcome ?? (held === undefined ? "not finished" : "running"),
    heldBy: heldBy(held),
  }));
  if (options.json === true) return printData(shell, { total, runs });
  const lines = runs.map(({ id, openedAt, outcome, environment, playbook, heldBy: by }) => {
    return `${id}  ${openedAt}  ${outcome.padEnd(12)}  ${environment}  ${onOneLine(playbook)}${heldWords(by)}`;
  });
  printLines(shell, lines, "no runs yet");
  noteMore(shell, runs.length, total);
  return EXIT.passed;
};

/** Returns who may act for a run, and since when, as `--json` has it; null when nobody does. */
export function heldBy(held: RunSummary["held"]): (Holder & { readonly since: string }) | null {
  return held === undefined ? null : { ...held.holder, since: isoTime(held.since) };
}

/** Returns the same in words, as lines end with them. */
export function heldWords(by: ReturnType<typeof heldBy>): string {
  return by === null ? "" : `  held by ${spellHolder(by)} since ${by.since}`;
}

interface RunShowOptions extends MemoryOptions, RunsOptions {
  readonly run: RunReference;
}

/** `tokenbook runs show RUN`: shows every step, and every attempt with its request and its answer. */
export const showRun: Command<RunShowOptions> = async (shell, options) => {
  const { jsonReport } = await import("../../../report/formats/json.ts");
  const { reportOf } = await import("../../../report/model.ts");
  const { reportLines } = await import("../../../report/text.ts");
  const report = reportOf(await lookForRuns(shell, options, [options.run], (store) => store.read(options.run.in(store))));
  if (options.json === true) {
    for (const piece of jsonReport([report])) shell.stdout.write(piece, "json");
    return EXIT.passed;
  }
  const lines = [
    ...reportLines(report, "full", shell.hint),
    "",
    ...report.run.history.map(historyLine),
    ...report.steps.flatMap(({ step, attempts }) => attempts.flatMap((attempt) => attemptLines(step, attempt))),
  ];
  shell.stdout.write(`${lines.join("\n").trimEnd()}\n`, markedOn(shell.stdout, shell.variables));
  return EXIT.passed;
};

function historyLine({ at, what, by, text }: HistoryReport): string {
  return whole([at, what.padEnd(8), by, text].filter((part) => part !== null).join("  "));
}

function attemptLines(
  step: string,
  { attempt, operation, request, input, meaning, status, receiptId, receipt, message, settled }: AttemptReport,
): readonly string[] {
  const refused =
    receipt?.committed === false ? ` ${receipt.status}${receipt.message === null ? "" : ` “${receipt.message}”`}` : "";
  const answer = meaning === null ? "no answer was recorded" : `${meaning}${status === null ? "" : ` (HTTP ${status})`}`;
  return [
    `sent  ${step}  attempt ${attempt + 1}  ${operation}  ${request.method} ${request.path}`,
    `    input: ${writeJson(input)}`,
    `    answer: ${answer}${receiptId === null ? "" : `, receipt ${receiptId}${refused}`}${message === null ? "" : `: ${message}`}`,
    ...(settled === null ? [] : [`    settled: ${settledText(settled, operation)}`]),
    ...(settled === null || textAt(settled.evidence, "because") !== null ? [] : [`    evidence: ${writeJson(settled.evidence)}`]),
  ].map(whole);
}

// Makes a text one line without cutting it, so that it cannot pretend to be several lines.
function whole(line: string): string {
  return oneLine(line, Infinity);
}
