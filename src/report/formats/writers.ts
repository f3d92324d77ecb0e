import { type Hint } from "../../base/command-line.ts";
import type { Places } from "../check/checked.ts";
import type { Format } from "./format.ts";
import type { ReportedRun } from "../reported-run.ts";
import type { NotBegun, RunReport } from "../shape.ts";

/** Where a report is read: the folders that its paths are relative to, and how commands are typed there. */
export interface ReportReading extends Places {
  /** Completes a command. It does not change reports for programs. */
  readonly hint: Hint;
}

/** Writes runs, and playbooks whose run did not begin, as one document, in pieces. Events, traces and exchanges exist only for runs. Pure. */
export type Writer = (runs: Iterable<ReportedRun>, reading: ReportReading, notBegun: readonly NotBegun[]) => Iterable<string>;

/** The writer of each format, which is loaded on demand. */
export const WRITERS: Readonly<Record<Format, () => Promise<Writer>>> = {
  json: async () => streamed((await import("./json.ts")).jsonReport),
  junit: async () => streamed((await import("./junit.ts")).junitReport),
  html: async () => {
    const { htmlReport } = await import("../html/pages/page.ts");
    const { withHints } = await import("../html/parts/copy.ts");
    return function* write(runs, { hint }, notBegun) {
      for (const piece of htmlReport([...reportsOf(runs)], notBegun)) yield withHints(piece, hint);
    };
  },
  ctrf: async () => ofReports((await import("./ctrf.ts")).ctrfReport),
  md: async () => {
    const { markdownReport } = await import("./markdown.ts");
    return (runs, { hint }, notBegun) => markdownReport([...reportsOf(runs)], notBegun, hint);
  },
  ndjson: async () => (await import("./events.ts")).eventLines,
  tap: async () => ofReports((await import("./tap.ts")).tapReport),
  github: async () => held((await import("./github.ts")).runAnnotations),
  otlp: async () => held((await import("../otlp/document.ts")).otlpReport),
  har: async () => (await import("./har.ts")).harReport,
};

type WriteReports<Reports> = (reports: Reports, notBegun: readonly NotBegun[]) => Iterable<string>;

// Only one run at a time is in memory.
function streamed(write: WriteReports<Iterable<RunReport>>): Writer {
  return (runs, _places, notBegun) => write({ [Symbol.iterator]: () => reportsOf(runs) }, notBegun);
}

function* reportsOf(runs: Iterable<ReportedRun>): Generator<RunReport> {
  for (const { report } of runs) yield report;
}

function ofReports(write: WriteReports<readonly RunReport[]>): Writer {
  return (runs, _places, notBegun) => write([...reportsOf(runs)], notBegun);
}

function held(write: (runs: readonly ReportedRun[], places: Places, notBegun: readonly NotBegun[]) => Iterable<string>): Writer {
  return (runs, places, notBegun) => write([...runs], places, notBegun);
}
