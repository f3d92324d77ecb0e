// A client written with `fetch`, as anybody might write one. It records its exchanges as an HTTP Archive.

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** A request that the client sends. */
export interface ClientRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Records requests and their answers. */
export class RecordingClient {
  readonly #entries: object[] = [];

  /** Sends a request, and returns the answer's text unchanged. */
  async send(url: string, request: ClientRequest = {}): Promise<string> {
    const headers = { "content-type": "application/json", ...request.headers };
    const startedDateTime = new Date().toISOString();
    const response = await fetch(url, { ...request, headers });
    const text = await response.text();
    this.record(url, { ...request, headers }, { startedDateTime, status: response.status, headers: [...response.headers], text });
    return text;
  }

  /** Records an exchange. */
  record(
    url: string,
    { method = "GET", headers = {}, body }: ClientRequest,
    answer: {
      readonly status: number;
      readonly text: string;
      readonly headers?: readonly (readonly [string, string])[];
      readonly startedDateTime?: string;
    },
  ): void {
    const { status, text, headers: answered = [], startedDateTime = new Date().toISOString() } = answer;
    this.#entries.push({
      startedDateTime,
      time: 1,
      request: {
        method,
        url,
        httpVersion: "HTTP/1.1",
        cookies: [],
        headers: pairs(Object.entries(headers)),
        queryString: [],
        headersSize: -1,
        bodySize: -1,
        ...(body === undefined ? {} : { postData: { mimeType: "application/json", text: body } }),
      },
      // Browsers record some bodies in base64.
      response: {
        status,
        statusText: "",
        httpVersion: "HTTP/1.1",
        cookies: [],
        headers: pairs(answered),
        content: {
          size: text.length,
          mimeType: "application/json",
          encoding: "base64",
          text: Buffer.from(text).toString("base64"),
        },
        redirectURL: "",
        headersSize: -1,
        bodySize: -1,
      },
      cache: {},
      timings: { send: 0, wait: 1, receive: 0 },
    });
  }

  /** Returns the archive. */
  archive(): string {
    return JSON.stringify(
      { log: { version: "1.2", creator: { name: "a client", version: "1" }, entries: this.#entries } },
      undefined,
      1,
    );
  }
}

function pairs(entries: readonly (readonly [string, string])[]): readonly NamedValue[] {
  return entries.map(([name, value]) => ({ name, value }));
}
