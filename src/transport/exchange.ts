import { channel } from "node:diagnostics_channel";
import type { Dispatcher } from "undici";
import request from "undici/lib/api/api-request.js";
import Client from "undici/lib/dispatcher/client.js";
import { messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Secret } from "../base/secret.ts";

/** One HTTP exchange to be made. */
export interface Outgoing {
  /** Scheme, host and port, from the environment only. */
  readonly origin: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | Secret>>;
  readonly body: string | undefined;
  /** A connection of its own, which no idle timeout of the server can cut off: for writes. */
  readonly fresh: boolean;
  readonly timeoutMs: number;
}

/** What became of it: whether anything was sent, whether a whole answer came, and what it was. */
export type Exchanged =
  | { readonly kind: "not-sent"; readonly why: string }
  | { readonly kind: "no-answer"; readonly why: string }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    };

// undici publishes a request when it takes it and again when its headers go out: only the second makes a failure ambiguous.
const sent = new WeakSet<object>();
let created: object | undefined;
channel("undici:request:create").subscribe((message) => {
  created = (message as { request: object }).request;
});
channel("undici:client:sendHeaders").subscribe((message) => {
  sent.add((message as { request: object }).request);
});

/**
 * Makes exchanges over HTTP/1.1, one connection an origin for reads: a run has a transport of its own. Redirects are answers
 * like any other: neither key nor body ever follows one.
 */
export class Transport {
  readonly #clients = new Map<string, Client>();

  async exchange(outgoing: Outgoing): Promise<Exchanged> {
    const client = outgoing.fresh ? newClient(outgoing) : this.#sharedClient(outgoing);
    try {
      return await exchangeOn(client, outgoing);
    } finally {
      if (outgoing.fresh) await client.destroy();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.destroy()));
    this.#clients.clear();
  }

  #sharedClient(outgoing: Outgoing): Client {
    let client = this.#clients.get(outgoing.origin);
    if (client === undefined) {
      client = newClient(outgoing);
      this.#clients.set(outgoing.origin, client);
    }
    return client;
  }
}

function newClient({ origin, timeoutMs }: Outgoing): Client {
  return new Client(origin, {
    allowH2: false,
    connectTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: LIMITS.answerBytes,
  });
}

async function exchangeOn(client: Client, outgoing: Outgoing): Promise<Exchanged> {
  let taken: object | undefined;
  try {
    created = undefined;
    const pending = request.call(client, options(outgoing));
    taken = created; // published while `request` was called
    const response = await pending;
    const text = await response.body.text();
    return { kind: "answered", status: response.statusCode, headers: flatten(response.headers), text };
  } catch (error) {
    const why = describe(error);
    return taken !== undefined && !sent.has(taken) ? { kind: "not-sent", why } : { kind: "no-answer", why };
  }
}

function options({ method, path, headers, body, timeoutMs }: Outgoing): Dispatcher.RequestOptions {
  const plain = Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : value.reveal()]);
  return {
    method,
    path,
    headers: { ...Object.fromEntries(plain), ...(body === undefined ? {} : { "content-type": "application/json" }) } as Record<
      string,
      string
    >,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(timeoutMs), // the other timeouts begin anew with each byte of a dripping answer
  };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function describe(error: unknown): string {
  const code = (error as { code?: string }).code;
  const message = messageOf(error);
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
