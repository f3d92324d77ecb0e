import { isoTime } from "../base/time/date.ts";
import type { Holder, RunClosed, RunRecord, RunReleased } from "../protocol/record.ts";
import { textAt } from "./attempt.ts";
import type { HistoryReport } from "./shape.ts";

/** Continues the history of a run with a record: who ran it, and how it continued. What is about a step alone adds nothing. */
export function continueHistory(history: HistoryReport[], record: RunRecord): void {
  const happened = happeningOf(record);
  if (happened === undefined) return;
  // Whoever brings a person's word claims the run, notes the word and closes it: nothing was run, and nothing interrupted.
  if (isWord(happened) && history.at(-1)?.what === "claimed") history.pop();
  if (happened.what === "closed" && isWord(history.at(-1))) return;
  history.push(happened);
}

function isWord(happened: HistoryReport | undefined): boolean {
  return happened?.what === "released" || happened?.what === "resolved";
}

function happeningOf(record: RunRecord): HistoryReport | undefined {
  const at = isoTime(record.at);
  switch (record.kind) {
    case "run.claimed":
      return { at, what: "claimed", by: spell(record.holder), text: null };
    case "run.released":
      return { at, what: "released", by: record.who, text: releaseText(record) };
    case "run.edited":
      return { at, what: "edited", by: null, text: record.notes.length === 0 ? null : record.notes.join("; ") };
    case "attempt.settled": {
      const { step, attempt, verdict, evidence } = record;
      const who = textAt(evidence, "who");
      const text = `${step}: attempt ${attempt + 1} is ${verdict}: ${textAt(evidence, "because") ?? "no reason given"}`;
      return who === null ? undefined : { at, what: "resolved", by: who, text };
    }
    case "run.closed":
      return { at, what: "closed", by: null, text: closingText(record) };
    default:
      return undefined;
  }
}

function closingText({ outcome, interrupted }: RunClosed): string {
  return interrupted === undefined ? outcome : `${outcome}, and interrupted before its end`;
}

function releaseText({ from, because, unsent = [] }: RunReleased): string {
  const steps = unsent.map(({ step, attempt }) => `attempt ${attempt + 1} of ${step}`);
  const open = steps.length === 0 ? "" : ` (if it is alive, it may still send ${steps.join(", ")})`;
  return `${spell(from)} is gone: ${because}${open}`;
}

function spell({ pid, host }: Holder): string {
  return `process ${pid} on ${host}`;
}
