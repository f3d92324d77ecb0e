import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../base/failure.ts";
import { sanitise } from "../../base/text.ts";
import { listenOn } from "../../serving/server.ts";
import type { Pages } from "./page.ts";

const HOST = "127.0.0.1";

/** A server of pages to one person on this machine. */
export interface PageServer {
  /** With the token: to be opened once, a cookie remembers it then. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves pages on the loopback interface, to whoever knows the token: in the address at first, in a cookie or an `Authorization: Bearer` header from then on.
 * It answers GET and HEAD only, and no request that was meant for another host.
 */
export async function servePages(
  pages: Pages,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<PageServer> {
  const answering = (request: IncomingMessage, response: ServerResponse, own: number): void =>
    answer(request, response, { pages, token, port: own });
  const listening = await listenOn({ host: HOST, port }, answering);
  return { url: `http://${HOST}:${listening.port}/?token=${token}`, close: listening.close };
}

interface Serving {
  readonly pages: Pages;
  readonly token: string;
  readonly port: number;
}

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const { method = "", headers, url = "/" } = request;
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // A name that somebody else lets point here must not open it.
  if (!hostsOf(serving).includes(headers.host ?? ""))
    return refuse(response, 421, "this server is asked by its own address only");
  if (method !== "GET" && method !== "HEAD") return refuse(response.setHeader("allow", "GET, HEAD"), 405, "only GET is answered");
  const asked = URL.parse(url, `http://${HOST}`);
  if (asked === null) return refuse(response, 400, "that is no address");
  const given = asked.searchParams.get("token");
  if (given !== null) {
    if (!isSame(given, serving.token)) return refuse(response, 401, "the token is not this server's");
    asked.searchParams.delete("token");
    response.setHeader("set-cookie", `${cookieName(serving)}=${serving.token}; HttpOnly; SameSite=Strict; Path=/`);
    response.writeHead(303, { location: `${asked.pathname}${asked.search}` }).end();
    return;
  }
  if (!isKnown(request, serving)) return refuse(response, 401, "open the address that `tokenbook view` has printed");
  try {
    const { status, type, body } = serving.pages({ path: asked.pathname, query: asked.searchParams });
    response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(method === "HEAD" ? undefined : body);
  } catch (error) {
    refuse(response, 500, sanitise(messageOf(error)));
  }
}

function hostsOf({ port }: Serving): readonly string[] {
  return [`${HOST}:${port}`, `localhost:${port}`];
}

// Browsers do not part cookies by port.
function cookieName({ port }: Serving): string {
  return `tokenbook-${port}`;
}

function isKnown({ headers }: IncomingMessage, serving: Serving): boolean {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  const cookies = (headers.cookie ?? "").split(/;\s*/);
  const own = cookies.find((cookie) => cookie.startsWith(`${cookieName(serving)}=`))?.slice(cookieName(serving).length + 1);
  return [bearer, own].some((given) => given !== undefined && isSame(given, serving.token));
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${why}\n`);
}
