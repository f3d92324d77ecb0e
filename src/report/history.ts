import type { Holder, RunRecord } from "../protocol/record.ts";
import type { HistoryReport } from "./shape.ts";

/** What a record tells of who carried a run, and how it went on; nothing when it is about a step. */
export function historyOf(record: RunRecord): HistoryReport | undefined {
  switch (record.kind) {
    case "run.claimed":
      return { at: timeOf(record), what: "claimed", by: spell(record.holder), text: null };
    case "run.released":
      return { at: timeOf(record), what: "released", by: record.who, text: `${spell(record.from)} is gone: ${record.because}` };
    case "run.edited":
      return { at: timeOf(record), what: "edited", by: null, text: record.notes.length === 0 ? null : record.notes.join("; ") };
    case "run.closed":
      return { at: timeOf(record), what: "closed", by: null, text: record.outcome };
    default:
      return undefined;
  }
}

function timeOf({ at }: RunRecord): string {
  return new Date(at).toISOString();
}

function spell({ pid, host }: Holder): string {
  return `process ${pid} on ${host}`;
}
