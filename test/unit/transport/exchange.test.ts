import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { Secret } from "../../../src/base/secret.ts";
import { Later } from "../../../src/report/fanout.ts";
import { type Exchanged, type Outgoing, Transport } from "../../../src/transport/exchange.ts";
import { hasOpenssl, selfSigned } from "../../certificate.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function exchange(port: number, more: Partial<Outgoing> = {}, transport = new Transport()): Promise<Exchanged> {
  closers.push(() => transport.close());
  const outgoing: Outgoing = {
    origin: `http://127.0.0.1:${port}`,
    method: "POST",
    path: "/mint",
    headers: { "x-api-key": new Secret("K", "key") },
    body: "{}",
    fresh: true,
    fence: undefined,
    timeoutMs: 10_000,
    signal: undefined,
    ...more,
  };
  return transport.exchange(outgoing);
}

async function tcp(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => talk(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function http(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("an exchange that is stopped before it begins sends nothing", async () => {
  let connections = 0;
  const port = await http(createServer().on("connection", () => connections++));
  expect(await exchange(port, { signal: AbortSignal.abort() })).toMatchObject({ kind: "not-sent" });
  expect(connections).toBe(0);
});

test.each([true, false])("an exchange that is stopped while it waits for an answer ends at once (fresh: %s)", async (fresh) => {
  const stop = new AbortController();
  const port = await tcp(() => stop.abort());
  expect(await exchange(port, { signal: stop.signal, timeoutMs: 3_600_000, fresh })).toEqual({
    kind: "no-answer",
    why: "the answer was not awaited, because the run is stopping",
  });
});

test.each([true, false])(
  "an exchange that is stopped while it connects has sent nothing, and later exchanges work (fresh: %s)",
  async (fresh) => {
    const stop = new AbortController();
    const transport = new Transport();
    // The server accepts the connection, but never begins TLS.
    const port = await tcp(() => stop.abort());
    const origin = `https://127.0.0.1:${port}`;
    const stopped = await exchange(port, { origin, signal: stop.signal, timeoutMs: 3_600_000, fresh }, transport);
    expect(stopped).toEqual({ kind: "not-sent", why: "the answer was not awaited, because the run is stopping" });
    expect(await exchange(port, { origin, fresh }, transport)).toMatchObject({ kind: "not-sent" });
  },
);

test("nothing is sent to a closed port", async () => {
  const port = await http(createServer());
  await closers.pop()?.();
  expect(await exchange(port)).toMatchObject({ kind: "not-sent" });
});

test("nothing is sent to a host that does not exist", async () => {
  expect(await exchange(80, { origin: "http://no-such-host.invalid" })).toMatchObject({ kind: "not-sent" });
});

test("nothing is sent if the TLS handshake fails", async () => {
  const port = await tcp((socket) => socket.destroy());
  expect(await exchange(port, { origin: `https://127.0.0.1:${port}` })).toMatchObject({ kind: "not-sent" });
});

test("a fence is checked after the connection, and if it refuses, no byte of the request leaves", async () => {
  const heard: Buffer[] = [];
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on("data", (chunk) => heard.push(chunk)).on("error", () => {});
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const asked: number[] = [];
  const fence = (): string => `after ${asked.push(connections)} look`;
  expect(await exchange(port, { fence, timeoutMs: 10_000 })).toEqual({ kind: "not-sent", why: "after 1 look" });
  await expect.poll(() => connections).toBe(1);
  expect([asked.length, heard]).toEqual([1, []]);
});

test.each<[string, (socket: Socket) => void]>([
  ["reset after the request", (socket) => socket.resetAndDestroy()],
  ["closed after the request", (socket) => socket.end()],
  ["closed in the middle of the body", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{")],
  ["an answer that is no HTTP", (socket) => socket.end("hello\r\n\r\n")],
  ["no answer at all", () => {}],
  ["an answer that drips", (socket) => drip(socket)],
])("the service may have accepted a request after this: %s", async (_what, talk) => {
  expect(await exchange(await tcp(talk), { timeoutMs: 300 })).toMatchObject({ kind: "no-answer" });
});

function drip(socket: Socket): void {
  socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n");
  const timer = setInterval(() => socket.write("x"), 50);
  socket.on("close", () => clearInterval(timer));
}

test.each([301, 302, 303, 307, 308])("a redirect (%i) is an answer, and neither key nor body follows it", async (status) => {
  const seen: string[] = [];
  const other = await http(
    createServer((request, response) => {
      seen.push(request.url ?? "");
      response.end();
    }),
  );
  const port = await http(
    createServer((_request, response) => response.writeHead(status, { location: `http://127.0.0.1:${other}/steal` }).end()),
  );
  expect(await exchange(port)).toMatchObject({ kind: "answered", status });
  expect(seen).toEqual([]);
});

test.runIf(hasOpenssl)("a new TLS connection resumes the session of the last one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-tls-"));
  closers.push(() => rmSync(folder, { recursive: true }));
  const { key, cert } = selfSigned(folder, 2);
  const before = getCACertificates();
  setDefaultCACertificates([...before, cert]);
  closers.push(() => setDefaultCACertificates(before));
  const wentOn: boolean[] = [];
  const server = createTlsServer({ key, cert }, (request, response) => {
    wentOn.push((request.socket as TLSSocket).isSessionReused());
    response.end("{}");
  });
  const port = await http(server);
  const transport = new Transport();
  for (let times = 0; times < 3; times++) {
    const answered = await exchange(port, { origin: `https://localhost:${port}`, timeoutMs: 5_000 }, transport);
    expect(answered).toMatchObject({ kind: "answered", status: 200 });
  }
  expect(wentOn).toEqual([false, true, true]);
});

test("reads share a connection, and each write has its own", async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end("{}")).on("connection", () => connections++);
  const port = await http(server);
  const transport = new Transport();
  closers.push(() => transport.close());
  const call = (fresh: boolean): Promise<Exchanged> =>
    transport.exchange({
      origin: `http://127.0.0.1:${port}`,
      method: "GET",
      path: "/",
      headers: {},
      body: undefined,
      fresh,
      fence: undefined,
      timeoutMs: 1_000,
      signal: undefined,
    });
  for (let times = 0; times < 3; times++) await call(false);
  expect(connections).toBe(1);
  for (let times = 0; times < 3; times++) await call(true);
  expect(connections).toBe(4);
});

test("an observer learns of an answer after the next request is written", async () => {
  const server = createServer((_request, response) => response.end("{}"));
  const port = await http(server);
  const seen: string[] = [];
  const sent = (): void => void seen.push("sent");
  subscribe("undici:client:sendHeaders", sent);
  closers.push(() => unsubscribe("undici:client:sendHeaders", sent));
  const later = new Later({ event: () => void seen.push("event") });
  const transport = new Transport();
  for (let times = 0; times < 3; times++) {
    await exchange(port, { fresh: false, method: "GET", body: undefined }, transport);
    later.event({ kind: "step.started", step: "get", at: 0 });
  }
  later.deliver();
  expect(seen).toEqual(["sent", "sent", "event", "sent", "event", "event"]);
});

test.each([true, false])(
  "an answer that arrived while the process was paused is read, even after the timeout (fresh: %s)",
  async (fresh) => {
    const timeoutMs = 2_000;
    const began = performance.now();
    const port = await tcp((socket) => {
      socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
      const still = new Int32Array(new SharedArrayBuffer(4));
      while (performance.now() - began < timeoutMs + 500) Atomics.wait(still, 0, 0, timeoutMs);
    });
    expect(await exchange(port, { timeoutMs, fresh })).toMatchObject({ kind: "answered", status: 200, text: "{}" });
  },
);
