import { isoTime } from "../../base/time/date.ts";
import { writeJson } from "../../base/json/json.ts";
import { harmlessJson } from "../../base/text/harmless.ts";
import type { RunRecord } from "../../protocol/record.ts";
import type { ReportedRun } from "../reported-run.ts";

/**
 * Writes the events of the runs in order, one on each line. `schemas/event.schema.json` describes a line. The texts and data of playbooks are left out,
 * although runs record them.
 */
export function* eventLines(runs: Iterable<ReportedRun>): Generator<string> {
  for (const { report, records } of runs) for (const record of records()) yield eventLine(report.run.id, record);
}

/** Writes one event as a line of JSON. Numbers keep all digits, and control characters are written as JSON escapes. */
function eventLine(run: string, record: RunRecord): string {
  const { sequence, epoch, at, kind, ...fact } = record;
  const shown = "sources" in fact ? { ...fact, sources: undefined, data: undefined } : fact;
  return `${harmlessJson(writeJson({ run, sequence, epoch, at: isoTime(at), kind, ...shown }))}\n`;
}
