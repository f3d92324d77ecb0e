import type { Places } from "../check/checked.ts";
import type { Format } from "./format.ts";
import type { ReportedRun } from "../reported-run.ts";
import type { NotBegun, RunReport } from "../shape.ts";

/** Runs, and playbooks whose run did not begin, as one document, piece by piece. Events and traces are of runs alone. Pure. */
export type Writer = (runs: readonly ReportedRun[], places: Places, notBegun: readonly NotBegun[]) => Iterable<string>;

/** The writer of each format, loaded when it is asked for. */
export const WRITERS: Readonly<Record<Format, () => Promise<Writer>>> = {
  json: async () => ofReports((await import("./json.ts")).jsonReport),
  junit: async () => ofReports((await import("./junit.ts")).junitReport),
  html: async () => ofReports((await import("../html/page.ts")).htmlReport),
  ctrf: async () => ofReports((await import("./ctrf.ts")).ctrfReport),
  md: async () => ofReports((await import("./markdown.ts")).markdownReport),
  ndjson: async () => (await import("./events.ts")).eventLines,
  tap: async () => ofReports((await import("./tap.ts")).tapReport),
  github: async () => (await import("./github.ts")).runAnnotations,
  otlp: async () => (await import("../otlp/document.ts")).otlpReport,
};

function ofReports(write: (reports: readonly RunReport[], notBegun: readonly NotBegun[]) => Iterable<string>): Writer {
  return (runs, _places, notBegun) =>
    write(
      runs.map(({ report }) => report),
      notBegun,
    );
}
