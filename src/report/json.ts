import { writeJson } from "../base/json.ts";
import { sanitise } from "../base/text.ts";
import type { RunReport } from "./shape.ts";

/**
 * The reports as one JSON document, described by `schemas/report.schema.json`. Numbers keep every digit. Control characters
 * and direction overrides stand as JSON escapes: the same text to a parser, harmless to a terminal.
 */
export function jsonReport(reports: readonly RunReport[]): string {
  return `${sanitise(writeJson({ format: 1, reports }, 2))}\n`;
}
