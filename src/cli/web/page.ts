/** A request for a page. */
export interface PageRequest {
  /** The path below the folder of all pages, with a leading slash. */
  readonly path: string;
  /** The query parameters. */
  readonly query: URLSearchParams;
}

/** The answer to a request. */
export interface WebPage {
  /** The HTTP status. */
  readonly status: 200 | 400 | 404;
  /** The media type, without its character set. */
  readonly type: "text/html" | "application/json" | "text/plain";
  /** The text of the page. */
  readonly body: string;
}

/** Returns the page that was requested. Errors that it throws are shown to the caller. */
export type Pages = (asked: PageRequest) => WebPage;

/** Returns an HTML page. */
export function html(pieces: Iterable<string>): WebPage {
  return { status: 200, type: "text/html", body: [...pieces].join("") };
}

/** Returns a plain text that says why there is no page. */
export function plain(status: 400 | 404, text: string): WebPage {
  return { status, type: "text/plain", body: `${text}\n` };
}
