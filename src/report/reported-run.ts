import type { KeptExchange } from "../exchanges/kept.ts";
import type { RunRecord } from "../protocol/record.ts";
import type { Trace } from "./otlp/trace.ts";
import type { RunReport } from "./shape.ts";

/** A run to report. */
export interface ReportedRun {
  /** The outcome of the run and of each of its steps. */
  readonly report: RunReport;
  /** Returns all its records from the journal, from the first. */
  readonly records: () => Iterable<RunRecord>;
  /** The exchanges that this process has made for it; `undefined` if no report needs them. */
  readonly trace?: Trace | undefined;
  /** Returns the exchanges that were stored. */
  readonly exchanges?: () => Iterable<KeptExchange>;
}
