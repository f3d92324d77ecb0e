import type { Holder, RunRecord } from "../protocol/record.ts";
import type { HistoryReport } from "./shape.ts";

/** What a record tells of who carried a run, and how it went on; nothing when it is about a step. */
export function historyOf(record: RunRecord): HistoryReport | undefined {
  const at = new Date(record.at).toISOString();
  switch (record.kind) {
    case "run.claimed":
      return { at, what: "claimed", by: spell(record.holder), text: null };
    case "run.released":
      return { at, what: "released", by: record.who, text: `${spell(record.from)} is gone: ${record.because}` };
    case "run.edited":
      return { at, what: "edited", by: null, text: record.notes.length === 0 ? null : record.notes.join("; ") };
    case "run.closed":
      return { at, what: "closed", by: null, text: record.outcome };
    default:
      return undefined;
  }
}

function spell({ pid, host }: Holder): string {
  return `process ${pid} on ${host}`;
}
