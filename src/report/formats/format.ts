/** The formats that a report can be written in. */
export const FORMATS = ["json", "junit", "html", "ctrf", "md", "ndjson", "tap", "github", "otlp", "har"] as const;
export type Format = (typeof FORMATS)[number];

/** A report to write: its format and its file. */
export interface ReportRequest {
  readonly format: Format;
  /** `-` is stdout. */
  readonly file: string;
}
