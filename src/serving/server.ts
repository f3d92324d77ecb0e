import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LIMITS } from "../base/limits.ts";
import { limitConnections } from "./connections.ts";
import { hostnameOf, isLoopback } from "./names.ts";

/** An address to listen on. */
export interface ListenAddress {
  /** A name or an address of this machine, such as `127.0.0.1`. */
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
}

/** A server that is listening. */
export interface Listening {
  /** Its port, even if any free port was requested. */
  readonly port: number;
  /** Ends all connections. The promise resolves when the server is closed. */
  readonly close: () => Promise<void>;
}

/** Answers a request. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const MISDIRECTED = 421;

/**
 * Listens for HTTP requests, with a limited number of connections. A slow request, or an answer that is read slowly, is cut off. On the
 * loopback interface it answers only requests that use a name of that interface, or the name with which it was started, because a web page can make any other
 * name lead here. Throws the error of the system.
 */
export async function listenOn({ host, port }: ListenAddress, answer: Answering): Promise<Listening> {
  const server = createServer({
    maxHeaderSize: LIMITS.answerHeadBytes,
    requestTimeout: LIMITS.servedRequestMs,
    headersTimeout: LIMITS.servedRequestMs,
    keepAliveTimeout: LIMITS.servedRequestMs,
    connectionsCheckingInterval: LIMITS.servedLookMs,
    insecureHTTPParser: false,
  });
  server.timeout = LIMITS.servedRequestMs;
  limitConnections(server, LIMITS.servedConnections);
  server.listen(port, host);
  await once(server, "listening");
  const { port: own, address } = server.address() as AddressInfo;
  // The name of this machine, and spellings such as 127.1, may mean the loopback interface too.
  server.on("request", isLoopback(address) ? onLoopback(answer, host) : answer);
  return {
    port: own,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function onLoopback(answer: Answering, own: string): Answering {
  return (request, response) => {
    const { host = "" } = request.headers;
    if (isLoopback(host) || hostnameOf(host) === own) return answer(request, response);
    response.writeHead(MISDIRECTED, { "content-type": "text/plain; charset=utf-8" });
    response.end("this server answers only as 127.0.0.1 or localhost\n");
  };
}
