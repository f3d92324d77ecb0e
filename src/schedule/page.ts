import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, messageOf } from "../base/failure.ts";
import { sanitise } from "../base/text/text.ts";
import { type ListenAddress, type Listening, listenOn } from "../serving/server.ts";

/** The content of the page. */
export interface PageSource {
  /** Returns the answer of `/metrics`. If it rejects, the answer is HTTP 503. */
  readonly metrics: { readonly page: () => Promise<{ readonly type: string; readonly text: string }> };
  /** Returns why no firing would start now; nothing if one would. */
  readonly notReady: () => string | undefined;
}

/** A page that is served. */
export interface ServedPage {
  /** Its address, such as `http://127.0.0.1:9464`. */
  readonly url: string;
  /** Stops serving it. */
  close(): Promise<void>;
}

interface PageAnswer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/** Serves only `/healthz`, `/readyz` and `/metrics`. Throws a Failure if it cannot listen on the address. */
export async function servePage(address: ListenAddress, source: PageSource): Promise<ServedPage> {
  const { port, close } = await listen(address, source);
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return { url: `http://${host}:${port}`, close };
}

async function listen(address: ListenAddress, source: PageSource): Promise<Listening> {
  try {
    return await listenOn(address, (request, response) => void respond(request, response, source));
  } catch (error) {
    throw new Failure({
      code: "schedule.cannot-listen",
      message: `nothing can be served at ${address.host}:${address.port}: ${messageOf(error)}`,
      next: "--listen another HOST:PORT",
    });
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, source: PageSource): Promise<void> {
  const { status, text, type = "text/plain; charset=utf-8" } = await answer(request, source);
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...(status === NOT_ALLOWED ? { allow: "GET" } : {}),
  });
  response.end(text);
}

const NOT_ALLOWED = 405;

async function answer(request: IncomingMessage, source: PageSource): Promise<PageAnswer> {
  try {
    return await answerTo(request, source);
  } catch (error) {
    return { status: 503, text: `${sanitise(messageOf(error))}\n` };
  }
}

async function answerTo({ method, url = "" }: IncomingMessage, { metrics, notReady }: PageSource): Promise<PageAnswer> {
  const [path] = url.split("?");
  if (path !== "/healthz" && path !== "/readyz" && path !== "/metrics") return { status: 404, text: "not found\n" };
  if (method !== "GET") return { status: NOT_ALLOWED, text: "only GET\n" };
  if (path === "/metrics") return { status: 200, ...(await metrics.page()) };
  const why = path === "/readyz" ? notReady() : undefined;
  return why === undefined ? { status: 200, text: "ok\n" } : { status: 503, text: `${why}\n` };
}
