import type { KeptExchange } from "../exchanges/kept.ts";
import type { RunRecord } from "../protocol/record.ts";
import type { Trace } from "./otlp/trace.ts";
import type { RunReport } from "./shape.ts";

/** A run to report. */
export interface ReportedRun {
  /** The outcome of the run and of each of its steps. */
  readonly report: RunReport;
  /** All that its journal holds of it, from the first record. */
  readonly records: () => Iterable<RunRecord>;
  /** The exchanges that this process has made for it; `undefined` when nobody wanted to know. */
  readonly trace?: Trace | undefined;
  /** Its exchanges, as far as they are kept. */
  readonly exchanges?: () => Iterable<KeptExchange>;
}
