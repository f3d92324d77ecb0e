/** What a page is asked for. */
export interface PageRequest {
  /** Below the folder of all pages, with a slash at its beginning. */
  readonly path: string;
  /** The parameters behind the `?` of the address. */
  readonly query: URLSearchParams;
}

/** What is answered. */
export interface WebPage {
  /** The HTTP status. */
  readonly status: 200 | 400 | 404;
  /** The media type, without its character set. */
  readonly type: "text/html" | "application/json" | "text/plain";
  /** The text of the page. */
  readonly body: string;
}

/** Gives the page that was requested. Whatever it throws is shown to the caller. */
export type Pages = (asked: PageRequest) => WebPage;

/** A page for people. */
export function html(pieces: Iterable<string>): WebPage {
  return { status: 200, type: "text/html", body: [...pieces].join("") };
}

/** Why there is no page. */
export function plain(status: 400 | 404, text: string): WebPage {
  return { status, type: "text/plain", body: `${text}\n` };
}
