import { writeJson } from "../../base/json/json.ts";
import { harmlessJson } from "../../base/text/harmless.ts";
import { flakySteps } from "../flaky.ts";
import type { NotBegun, RunReport, SkippedFile } from "../shape.ts";

/**
 * Writes the reports as one JSON document, in pieces, with a line for each step. `schemas/report.schema.json` describes it. Numbers keep all digits. Control
 * characters and direction overrides are written as JSON escapes, which parsers read as the same text and terminals do not obey.
 */
export function* jsonReport(
  reports: Iterable<RunReport>,
  notBegun: readonly NotBegun[] = [],
  skipped: readonly SkippedFile[] = [],
): Generator<string> {
  yield '{"format":1,"reports":[';
  const repeated: RunReport[] = [];
  let at = 0;
  for (const report of reports) {
    if (report.repeat !== undefined) repeated.push(report);
    const { steps, ...rest } = report;
    yield `${at++ === 0 ? "" : ","}\n${line(rest).slice(0, -1)},"steps":[`;
    for (const [number, step] of steps.entries()) yield `${number === 0 ? "" : ","}\n${line(step)}`;
    yield "\n]}";
  }
  const flaky = flakySteps(repeated);
  yield `\n],"notBegun":${line(notBegun)}${skipped.length === 0 ? "" : `,"skipped":${line(skipped)}`}`;
  yield `${flaky.length === 0 ? "" : `,"flaky":${line(flaky)}`}}\n`;
}

function line(value: object): string {
  return harmlessJson(writeJson(value));
}
