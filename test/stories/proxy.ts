// A TCP proxy between the command and the sandbox, which does to chosen requests what networks and proxies do.
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request on its way, as a test that harms it sees it. */
export interface Passing {
  /** Method and path, without the common prefix of all paths: `POST /token/mint`. */
  readonly name: string;
  /** Forwards the request to the service, and returns the answer. */
  forward(): Promise<Answer>;
  answer(answer: Answer): void;
  /** Closes the connection without an answer. */
  cut(): void;
  /** Begins an answer, and closes the connection before its end. */
  cutWithin(answer: Answer): void;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that was forwarded, and the service's answer. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly answer: Answer;
}

export type Fault = (passing: Passing) => void | Promise<void>;

export interface Proxy {
  readonly url: string;
  /** All requests that arrived, in order. */
  readonly seen: readonly string[];
  /** All requests that were forwarded, in the order of their answers. */
  readonly exchanges: readonly Exchange[];
  /** Does this to the next request of that name, once, and resolves when it is done. `skip` lets that many requests pass before. */
  next(name: string, fault: Fault, skip?: number): Promise<void>;
  /** Refuses new connections from now on. Open connections stay. */
  shut(): void;
  /** Listens again, at the same address. */
  open(): Promise<void>;
}

interface Rule {
  readonly name: string;
  readonly fault: Fault;
  skip: number;
  readonly done: () => void;
}

/** A proxy to a service, for one test. */
export async function proxyTo(service: string): Promise<Proxy> {
  const rules: Rule[] = [];
  const seen: string[] = [];
  const exchanges: Exchange[] = [];
  // If the service has gone, as at the end of a test, there is nothing to forward.
  const server = createServer((request, response) => {
    void serve(request, response).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === undefined) throw error;
      request.socket.destroy();
    });
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const passing = await passingOf({ request, response, service, exchanges });
    seen.push(passing.name);
    const rule = rules.find(({ name }) => name === passing.name);
    if (rule === undefined || rule.skip-- > 0) return passing.answer(await passing.forward());
    rules.splice(rules.indexOf(rule), 1);
    await rule.fault(passing);
    rule.done();
  };
  const { port } = await listen(server, 0);
  onTestFinished(() => close(server));
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    exchanges,
    next: (name, fault, skip = 0) => new Promise((done) => void rules.push({ name, fault, skip, done })),
    shut: () => void server.close(),
    open: async () => void (await listen(server, port)),
  };
}

/** A server that records every request, with its key, and answers all of them alike. */
export async function strangerServer(answer: Answer): Promise<{ readonly url: string; readonly seen: readonly string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const { port } = await listen(server, 0);
  onTestFinished(() => close(server));
  return { url: `http://127.0.0.1:${port}`, seen };
}

/** An address at which no process listens. */
export async function closedAddress(): Promise<string> {
  const server = createServer();
  const { port } = await listen(server, 0);
  await close(server);
  return `http://127.0.0.1:${port}`;
}

async function listen(server: Server, port: number): Promise<AddressInfo> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server.address() as AddressInfo;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  if (!server.listening) return;
  server.close();
  await once(server, "close");
}

async function passingOf({
  request,
  response,
  service,
  exchanges,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  service: string;
  exchanges: Exchange[];
}): Promise<Passing> {
  const body = await textOf(request);
  const path = (request.url ?? "").replace(/\?.*/, "").replace(/^\/(?:tokenize\/[^/]+|api\/v\/1)/, "");
  return {
    name: `${request.method} ${path}`,
    async forward() {
      const { method = "", url: target = "", headers } = request;
      const answer = await forward(request, body, service);
      exchanges.push({ method, target, headers, body, answer });
      return answer;
    },
    answer: ({ status, headers = { "content-type": "application/json" }, body: text }) =>
      void response.writeHead(status, headers).end(text),
    cut: () => void request.socket.destroy(),
    cutWithin({ status, body: text }) {
      response.writeHead(status, { "content-type": "application/json", "content-length": text.length });
      response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
    },
  };
}

async function forward(original: IncomingMessage, body: string, service: string): Promise<Answer> {
  const { host: _host, connection: _connection, ...headers } = original.headers;
  const onward = send(`${service}${original.url}`, { method: original.method ?? "GET", headers, agent: false });
  onward.end(body);
  const [response] = (await once(onward, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await textOf(response) };
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The service handles the request, and its answer is lost. */
export const cutAnswer: Fault = async (passing) => {
  await passing.forward();
  passing.cut();
};

/** The service handles the request, and the answer breaks off. */
export const cutWithinAnswer: Fault = async (passing) => passing.cutWithin(await passing.forward());

/** The service handles the request, and an intermediary sends another answer. */
export function answerAfterwards(answer: Answer | ((real: Answer) => Answer)): Fault {
  return async (passing) => {
    const real = await passing.forward();
    passing.answer(typeof answer === "function" ? answer(real) : answer);
  };
}

/** The service never receives the request. */
export function answerInstead(answer: Answer): Fault {
  return (passing) => passing.answer(answer);
}

/** A gate that a test opens. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

/** Holds the next request of that name when it has arrived, and answers it after its release. */
export function holdNext(
  proxy: Proxy,
  name: string,
  skip = 0,
): { readonly arrived: Promise<void>; readonly release: () => void } {
  const [arrived, held] = [gate(), gate()];
  void proxy.next(
    name,
    async (passing) => {
      arrived.open();
      await held.passed;
      passing.answer(await passing.forward());
    },
    skip,
  );
  return { arrived: arrived.passed, release: held.open };
}
