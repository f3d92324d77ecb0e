import type { Dispatcher } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import { getOrInsert } from "../base/maps.ts";
import { type Json, parseJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { Secret } from "../base/secret.ts";
import { whileUnderWay } from "../base/time/turns.ts";
import { type ConnectionFailure, connectionFailure } from "../base/connection-failure.ts";
import { addressPatience } from "./addresses.ts";

/** The request of one HTTP exchange. */
export interface Outgoing {
  /** Scheme, host and port, which come only from the environment. */
  readonly origin: string;
  /** The HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with its query. */
  readonly path: string;
  /** The headers by their names. A secret is revealed only when the request is sent. */
  readonly headers: Readonly<Record<string, string | Secret>>;
  /** The body as JSON text; `undefined` if there is none. */
  readonly body: string | undefined;
  /** Whether to use a new connection, which no idle timeout of the server can close. For writes. */
  readonly fresh: boolean;
  /**
   * How long the exchange may take, in milliseconds. With a sieve, this limits the time without a new record, and `LIMITS.requestMs` limits the
   * whole exchange.
   */
  readonly timeoutMs: number;
  /** The fence of a write, because a write must not leave at any time; `undefined` for a request that does no harm when it is late. */
  readonly fence: Fence | undefined;
  /** Aborted when the answer is no longer needed: the exchange ends at once. Without it, only the timeout ends the exchange. */
  readonly signal: AbortSignal | undefined;
  /** Takes the body of a successful answer as it arrives; by default the whole body is held. */
  readonly sieve?: BodySieve;
  /** Whether the exchange ends with the status, without reading the body. */
  readonly statusAlone?: true;
}

/** Takes the bytes of a body as they arrive. The bytes that it has not used become the text of the answer. */
export interface BodySieve {
  /** How many bytes it holds. */
  readonly heldBytes: number;
  /** Takes the next bytes of the body. */
  push(chunk: Buffer): void;
  /** Returns the bytes that it holds. */
  rest(): Buffer;
}

/** A question right before the first byte of a request. Returns why the request must not leave, or `undefined` if it may. Never throws. */
export type Fence = () => string | undefined;

/** The outcome of an exchange: whether anything was sent, and whether a whole answer arrived. */
export type Exchanged =
  | ({ readonly kind: "not-sent" } & ConnectionFailure)
  /** `isTooLarge`: the answer has more bytes than the limits allow, and would have them again. */
  | { readonly kind: "no-answer"; readonly why: string; readonly isTooLarge?: true }
  | (AnswerBody & {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** How many bytes a sieve has used; left out for none. */
      readonly usedBytes?: number;
    });

/** Makes one HTTP exchange. It never throws for what the network or the service does. */
export type MakeExchange = (outgoing: Outgoing) => Promise<Exchanged>;

/** The body of an answer, without the bytes that a sieve has used. */
export interface AnswerBody {
  /** The body as a text. */
  readonly text: string;
  /** Why the body is not valid UTF-8, so that `text` is only an approximation; left out if it is valid. */
  readonly garbled?: string;
}

/** Returns the body of an answer as JSON. Throws a SyntaxError or RangeError if it is not JSON, or not UTF-8. */
export function jsonOf({ text, garbled }: AnswerBody): Json {
  if (garbled !== undefined) throw new SyntaxError(garbled);
  return parseJson(text);
}

/** Returns the body of an answer as JSON; `undefined` if it is not JSON. */
export function jsonIn(answer: AnswerBody): Json | undefined {
  try {
    return jsonOf(answer);
  } catch {
    return undefined;
  }
}

/**
 * Makes exchanges over HTTP/1.1. Reads of all runs in a session share connections, as many as are in use at once. A redirect is an answer
 * like any other: neither key nor body ever follows it.
 */
export class Transport {
  readonly #clients = new Set<Client>();
  /** The idle connections for reads, by origin. The most recently used one is used next. */
  readonly #idle = new Map<string, Connection[]>();
  /** One connector for each timeout. It remembers TLS sessions that a new connection may resume. */
  readonly #connectors = new Map<number, buildConnector.connector>();

  /** Makes one exchange. `onSent` is called when the request was passed to the network. */
  async exchange(outgoing: Outgoing, onSent?: () => void): Promise<Exchanged> {
    if (!outgoing.fresh) return this.#read(outgoing, onSent);
    const connection = this.#connect(outgoing);
    try {
      return await exchangeOn(connection, outgoing, onSent);
    } finally {
      whileUnderWay(() => void connection.client.destroy(OVER)); // closing takes longer than reading the answer
    }
  }

  async #read(outgoing: Outgoing, onSent: (() => void) | undefined): Promise<Exchanged> {
    const idle = getOrInsert(this.#idle, outgoing.origin, () => []);
    const connection = idle.pop() ?? this.#connectShared(outgoing);
    try {
      return await exchangeOn(connection, outgoing, onSent);
    } finally {
      idle.push(connection);
    }
  }

  /** Closes all connections that reads share. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.destroy()));
    this.#clients.clear();
    this.#idle.clear();
  }

  /** Closes them at the end of the scope (`await using`). */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #connectShared(outgoing: Outgoing): Connection {
    const connection = this.#connect(outgoing);
    this.#clients.add(connection.client);
    return connection;
  }

  #connect({ origin, timeoutMs }: Outgoing): Connection {
    // Set explicitly, because otherwise an environment variable could turn it off.
    const made = { allowH2: false, timeout: timeoutMs, rejectUnauthorized: true, ...addressPatience(timeoutMs) };
    const connect = getOrInsert(this.#connectors, timeoutMs, () => buildConnector(made));
    let socket: Breakable | undefined;
    const client = new Client(origin, {
      // `connect` returns its socket, which its type does not mention.
      connect: (to, callback) => void (socket = connect(to, callback) as unknown as Breakable),
      headersTimeout: 0, // the deadline covers the whole exchange
      bodyTimeout: 0,
      maxHeaderSize: LIMITS.answerHeadBytes,
    });
    return { client, breakOff: (error) => void socket?.destroy(error), brokenBy: () => socket?.errored ?? undefined };
  }
}

/** A connection in progress, a way to abort it before anything is written to it, and the error that has ended it. */
interface Connection {
  readonly client: Client;
  readonly breakOff: (error: Error) => void;
  readonly brokenBy: () => Error | undefined;
}

interface Breakable {
  readonly errored: Error | null;
  destroy(error: Error): unknown;
}

// Created once, because undici would create an error with a stack for each client.
const OVER = new Error("the exchange is over");

function exchangeOn(connection: Connection, outgoing: Outgoing, onSent: (() => void) | undefined): Promise<Exchanged> {
  return new Promise((resolve) => {
    if (outgoing.signal?.aborted === true) return resolve({ kind: "not-sent", why: GIVEN_UP });
    const listener = new ExchangeHandler(outgoing, { resolve, onSent, connection });
    try {
      connection.client.dispatch(options(outgoing), listener);
    } catch (error) {
      listener.onResponseError(undefined, error);
    }
  });
}

/** Receives the events of an exchange. */
interface Callbacks {
  readonly resolve: (exchanged: Exchanged) => void;
  readonly onSent: (() => void) | undefined;
  readonly connection: Connection;
}

const GIVEN_UP = "the answer was not awaited, because the run is stopping";

/** The handler of one exchange. undici calls `onRequestStart` right before the first byte. After that, a failure is ambiguous. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #callbacks: Callbacks;
  // It covers the whole exchange, because undici's own timeouts restart with each byte of a slow answer.
  readonly #deadline: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #sieve: BodySieve | undefined;
  readonly #statusAlone: boolean;
  readonly #lastMs = performance.now() + LIMITS.requestMs;
  #lastTurn: NodeJS.Immediate | undefined;
  #late: Error | undefined;
  #tooLarge: string | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  #body: BodySieve = new HeldBody();
  #bytes = 0;
  readonly #fence: Fence | undefined;

  constructor({ timeoutMs, signal, fence, sieve, statusAlone }: Outgoing, callbacks: Callbacks) {
    this.#callbacks = callbacks;
    this.#fence = fence;
    this.#sieve = sieve;
    this.#statusAlone = statusAlone === true;
    this.#deadline = setTimeout(() => this.#endAfterReading(`within the timeout of ${timeoutMs} ms`), timeoutMs);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#giveUp);
  }

  readonly #giveUp = (): void => this.#end(GIVEN_UP);

  // If the process was suspended, the deadline may pass before an answer is read that arrived in time.
  #endAfterReading(when: string): void {
    if (this.#controller === undefined) this.#end(`no connection ${when}`);
    else this.#lastTurn = setImmediate(() => this.#end(`no whole answer ${when}`));
  }

  #end(why: string): void {
    this.#late = new Error(why);
    if (this.#controller === undefined) this.#callbacks.connection.breakOff(this.#late);
    else this.#controller.abort(this.#late);
  }

  #resolve(exchanged: Exchanged): void {
    clearTimeout(this.#deadline);
    clearImmediate(this.#lastTurn);
    this.#signal?.removeEventListener("abort", this.#giveUp);
    this.#callbacks.resolve(exchanged);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late !== undefined) return controller.abort(this.#late);
    const why = this.#fence?.();
    if (why !== undefined) return controller.abort(new Error(why));
    this.#controller = controller;
    // undici writes the request in the same turn of the event loop.
    if (this.#callbacks.onSent !== undefined) setImmediate(this.#callbacks.onSent);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = headers;
    if (this.#statusAlone && status >= 200) {
      this.onResponseEnd();
      return controller.abort(OVER);
    }
    if (this.#sieve !== undefined && status >= 200 && status < 300) this.#body = this.#sieve;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const held = this.#body.heldBytes + chunk.length;
    this.#body.push(chunk);
    this.#bytes += chunk.length;
    const { heldBytes } = this.#body;
    if (heldBytes > LIMITS.answerBytes)
      this.#tooLarge = tooLarge(heldBytes < this.#bytes ? "one record of the answer" : "the answer", LIMITS.answerBytes);
    else if (this.#bytes > LIMITS.listBytes) this.#tooLarge = tooLarge("the list", LIMITS.listBytes);
    if (this.#tooLarge !== undefined) controller.abort(OVER);
    // Records that are used as they arrive are progress, so only a pause in the answer, and its total time, are limited.
    else if (heldBytes < held && performance.now() < this.#lastMs) {
      clearImmediate(this.#lastTurn);
      this.#deadline.refresh();
    }
  }

  onResponseEnd(): void {
    // If nothing but the end of the connection ends an answer, undici takes a connection that breaks for that end.
    const error = this.#callbacks.connection.brokenBy();
    if (error !== undefined) return this.#resolve({ kind: "no-answer", why: connectionFailure(error).why });
    const usedBytes = this.#bytes - this.#body.heldBytes;
    this.#resolve({
      kind: "answered",
      status: this.#status,
      headers: flatten(this.#headers),
      ...textIn(this.#body.rest(), this.#headers["content-encoding"]),
      ...(usedBytes > 0 ? { usedBytes } : {}),
    });
  }

  onResponseError(_: unknown, error: unknown): void {
    if (this.#controller === undefined) return this.#resolve({ kind: "not-sent", ...connectionFailure(this.#late ?? error) });
    if (this.#tooLarge !== undefined) return this.#resolve({ kind: "no-answer", why: this.#tooLarge, isTooLarge: true });
    this.#resolve({ kind: "no-answer", why: connectionFailure(this.#late ?? error).why });
  }
}

function tooLarge(what: string, limit: number): string {
  return `${what} is larger than ${limit.toLocaleString("en")} bytes`;
}

/** A body that is held in memory as a whole. */
class HeldBody implements BodySieve {
  readonly #chunks: Buffer[] = [];
  heldBytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.heldBytes += chunk.length;
  }

  rest(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

// Both remove a byte order mark. Names that differ only in invalid UTF-8 bytes would become the same text.
const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder();

function textIn(body: Buffer, encoding: string | string[] = "identity"): AnswerBody {
  try {
    return { text: strict.decode(body) };
  } catch {
    if (String(encoding) === "identity") return { text: lenient.decode(body), garbled: "it is no text in UTF-8" };
    const garbled = `it is compressed (Content-Encoding: ${String(encoding)}), although tokenbook asks for answers that are not`;
    return { text: garbled, garbled };
  }
}

function options({ method, path, headers, body }: Outgoing): Dispatcher.DispatchOptions {
  const plain = ["accept-encoding", "identity"]; // otherwise a gateway may compress the answer
  for (const [name, value] of Object.entries(headers)) plain.push(name, typeof value === "string" ? value : value.reveal());
  if (body === undefined) return { method, path, headers: plain };
  return { method, path, body, headers: [...plain, "content-type", "application/json"] };
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) flat[name] = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return flat;
}
