import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../base/failure.ts";
import { sanitise } from "../../base/text/text.ts";
import { isSameSecret } from "../../serving/same-secret.ts";
import { listenOn } from "../../serving/server.ts";
import type { Pages } from "./page.ts";

const HOST = "127.0.0.1";

/** A server of pages for one person on this machine. */
export interface PageServer {
  /** The folder of all pages. It contains the token: whoever has the URL can read every page. */
  readonly url: string;
  /** Stops the server. Resolves when its port is free. */
  close(): Promise<void>;
}

/**
 * Serves pages on the loopback interface, below a folder whose name is a secret token. The token is not a cookie, because browsers send cookies to every port
 * of this machine, including those of other people's servers (decision 136). Answers GET and HEAD only.
 */
export async function servePages(
  pages: Pages,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<PageServer> {
  const listening = await listenOn({ host: HOST, port }, (request, response) => answer(request, response, { pages, token }));
  return { url: `http://${HOST}:${listening.port}/${token}/`, close: listening.close };
}

interface Serving {
  readonly pages: Pages;
  readonly token: string;
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

function answer(request: IncomingMessage, response: ServerResponse, { pages, token }: Serving): void {
  const { method = "", url = "/" } = request;
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (method !== "GET" && method !== "HEAD") return refuse(response.setHeader("allow", "GET, HEAD"), 405, "only GET is answered");
  const [, given = "", path = "", query = ""] = /^\/([^/?]*)(\/[^?]*)?(?:\?(.*))?$/s.exec(url) ?? [];
  if (!isSameSecret(given, token)) return refuse(response, 401, "open the address that `tokenbook view` has printed");
  try {
    const { status, type, body } = pages({ path, query: new URLSearchParams(query) });
    response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(method === "HEAD" ? undefined : body);
  } catch (error) {
    refuse(response, 500, sanitise(messageOf(error)));
  }
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${why}\n`);
}
