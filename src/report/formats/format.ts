/** The formats that a report can be written in. */
export const FORMATS = ["json", "junit", "html", "ctrf", "md", "ndjson", "tap", "github", "otlp", "har"] as const;
/** The name of a format that a report can be written in. */
export type Format = (typeof FORMATS)[number];

/** A report to write: its format and its file. */
export interface ReportRequest {
  /** The format of the file. */
  readonly format: Format;
  /** The file; `-` is stdout. */
  readonly file: string;
}
