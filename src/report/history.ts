import { isoTime } from "../base/time/date.ts";
import type { Holder, RunClosed, RunRecord, RunReleased } from "../protocol/record.ts";
import { textAt } from "./attempt.ts";
import type { HistoryReport } from "./shape.ts";

/** Adds a record to the history of a run: who ran it, and how it continued. Records about a single step add nothing. */
export function continueHistory(history: HistoryReport[], record: RunRecord): void {
  const happened = happeningOf(record);
  if (happened === undefined) return;
  // To record a person's decision, a process claims the run, records the decision and closes the run. Nothing was run or interrupted, so the claim and the
  // closing are left out.
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
