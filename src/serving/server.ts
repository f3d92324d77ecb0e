import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LIMITS } from "../base/limits.ts";

/** An address to listen on. */
export interface Address {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export type Answering = (request: IncomingMessage, response: ServerResponse, port: number) => void;

/** Listens for HTTP requests, a few at a time, none of which may take long to come. Throws what the system says. */
export async function listenOn({ host, port }: Address, answer: Answering): Promise<Listening> {
  const server = createServer(
    { maxHeaderSize: LIMITS.answerHeadBytes, requestTimeout: LIMITS.servedRequestMs, headersTimeout: LIMITS.servedRequestMs },
    (request, response) => answer(request, response, own),
  );
  server.maxConnections = LIMITS.servedConnections;
  server.listen(port, host);
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
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
