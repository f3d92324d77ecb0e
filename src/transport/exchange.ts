import type { Dispatcher } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import { messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Secret } from "../base/secret.ts";
import { whileUnderWay } from "../base/turns.ts";

// Said outright: left to Node, a variable of the process would turn it off.
const CHECKED = { rejectUnauthorized: true };

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
  /** Of whatever must not leave at any time; `undefined` of what does no harm late. */
  readonly fence: Fence | undefined;
}

/** Asked right before the first byte of a request leaves: why it must not leave; `undefined`: it may. Never throws. */
export type Fence = () => string | undefined;

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

/**
 * Makes exchanges over HTTP/1.1. Reads share connections, as many as are under way at once, those of all runs of a session. Redirects are
 * answers like any other: neither key nor body ever follows one.
 */
export class Transport {
  readonly #clients = new Set<Client>();
  /** By origin, those that wait for a read; the one that was used last is used next. */
  readonly #idle = new Map<string, Client[]>();
  /** One for all that wait as long: it knows the TLS sessions that a fresh connection may go on with. */
  readonly #connectors = new Map<number, buildConnector.connector>();

  /** `onSent` is called once the request has been handed to the network. */
  async exchange(outgoing: Outgoing, onSent?: () => void): Promise<Exchanged> {
    if (!outgoing.fresh) return this.#read(outgoing, onSent);
    const client = this.#newClient(outgoing);
    try {
      return await exchangeOn(client, outgoing, onSent);
    } finally {
      whileUnderWay(() => void client.destroy(OVER)); // it takes longer than to read the answer
    }
  }

  async #read(outgoing: Outgoing, onSent: (() => void) | undefined): Promise<Exchanged> {
    const idle = this.#idleAt(outgoing.origin);
    const client = idle.pop() ?? this.#newShared(outgoing);
    try {
      return await exchangeOn(client, outgoing, onSent);
    } finally {
      idle.push(client);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.destroy()));
    this.#clients.clear();
    this.#idle.clear();
  }

  #newShared(outgoing: Outgoing): Client {
    const client = this.#newClient(outgoing);
    this.#clients.add(client);
    return client;
  }

  #idleAt(origin: string): Client[] {
    let idle = this.#idle.get(origin);
    if (idle === undefined) {
      idle = [];
      this.#idle.set(origin, idle);
    }
    return idle;
  }

  #newClient({ origin, timeoutMs }: Outgoing): Client {
    let connect = this.#connectors.get(timeoutMs);
    if (connect === undefined) {
      connect = buildConnector({ allowH2: false, timeout: timeoutMs, ...CHECKED });
      this.#connectors.set(timeoutMs, connect);
    }
    return new Client(origin, {
      connect,
      headersTimeout: 0, // of the whole exchange there is a deadline
      bodyTimeout: 0,
      maxHeaderSize: LIMITS.answerHeadBytes,
      maxResponseSize: LIMITS.answerBytes,
    });
  }
}

// Made once: undici would make an error of its own for each client, and Node spell out its stack.
const OVER = new Error("the exchange is over");

function exchangeOn(client: Client, outgoing: Outgoing, onSent: (() => void) | undefined): Promise<Exchanged> {
  return new Promise((resolve) => {
    const listener = new Listener(outgoing, { resolve, onSent });
    try {
      client.dispatch(options(outgoing), listener);
    } catch (error) {
      listener.onResponseError(undefined, error);
    }
  });
}

/** Who is told of an exchange. */
interface Hears {
  readonly resolve: (exchanged: Exchanged) => void;
  readonly onSent: (() => void) | undefined;
}

/** Hears how one exchange goes. undici says `onRequestStart` right before the first byte: from there on, a failure is ambiguous. */
class Listener implements Dispatcher.DispatchHandler {
  readonly #hears: Hears;
  // Of the whole exchange: undici's own timeouts begin anew with each byte of a dripping answer.
  readonly #deadline: NodeJS.Timeout;
  #late: Error | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #chunks: Buffer[] = [];
  readonly #fence: Fence | undefined;

  constructor({ timeoutMs, fence }: Outgoing, hears: Hears) {
    this.#hears = hears;
    this.#fence = fence;
    this.#deadline = setTimeout(() => {
      this.#late = new Error(`no whole answer within ${timeoutMs} ms`);
      this.#controller?.abort(this.#late);
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late !== undefined) return controller.abort(this.#late);
    const why = this.#fence?.();
    if (why !== undefined) return controller.abort(new Error(why));
    this.#controller = controller;
    // The request is written in this very turn of the event loop.
    if (this.#hears.onSent !== undefined) setImmediate(this.#hears.onSent);
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#deadline);
    const text = decoder.decode(this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks));
    this.#hears.resolve({ kind: "answered", status: this.#status, headers: flatten(this.#headers), text });
  }

  onResponseError(_: unknown, error: unknown): void {
    clearTimeout(this.#deadline);
    this.#hears.resolve({ kind: this.#controller === undefined ? "not-sent" : "no-answer", why: describe(error) });
  }
}

// Takes a byte order mark off, and never fails: what is no UTF-8 is no JSON either.
const decoder = new TextDecoder();

function options({ method, path, headers, body }: Outgoing): Dispatcher.DispatchOptions {
  const plain: string[] = [];
  for (const [name, value] of Object.entries(headers)) plain.push(name, typeof value === "string" ? value : value.reveal());
  if (body === undefined) return { method, path, headers: plain };
  return { method, path, body, headers: [...plain, "content-type", "application/json"] };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) flat[name] = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return flat;
}

function describe(error: unknown): string {
  const code = (error as { code?: string }).code;
  const message = messageOf(error);
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
