import { subscribe, unsubscribe } from "node:diagnostics_channel";
import dns from "node:dns";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net, { createServer as createTcpServer, type AddressInfo, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test, vi } from "vitest";
import { connectionFailure, connectionRemedy } from "../../../src/base/connection-failure.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { Secret } from "../../../src/base/secret.ts";
import { Later } from "../../../src/report/fanout.ts";
import { type Exchanged, type Outgoing, Transport } from "../../../src/transport/exchange.ts";
import { reach } from "../../../src/transport/reach.ts";
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

test.each([true, false])(
  "an answer whose connection breaks is not whole, even if only its end ends it (fresh: %s)",
  async (fresh) => {
    const port = await tcp((socket) => {
      socket.write('HTTP/1.0 200 OK\r\n\r\n{"id":', () => socket.resetAndDestroy());
    });
    expect(await exchange(port, { fresh })).toEqual({ kind: "no-answer", why: "read ECONNRESET" });
  },
);

test("an answer that its length ends is whole, although its connection breaks after it", async () => {
  const port = await tcp((socket) => {
    socket.write("HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}", () => socket.resetAndDestroy());
  });
  expect(await exchange(port)).toMatchObject({ kind: "answered", status: 413, text: "{}" });
});

const WHOLE = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

test.each([
  ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n", "answered"],
  [
    "HTTP/1.1 100 Continue\r\n\r\n",
    "the server answered HTTP 100 (Continue), which was not asked for, so its further answer was not read (UND_ERR_SOCKET)",
  ],
  [
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n",
    "the server answered HTTP 101 (Switching Protocols), which was not asked for (UND_ERR_SOCKET)",
  ],
  ["HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n", "the answer does not follow HTTP (ERR_ASSERTION)"],
  [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(17_000)}\r\n`, "the head of the answer is larger than 16 KB (UND_ERR_HEADERS_OVERFLOW)"],
  [
    "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n",
    "the server closed the connection before the end of its answer (UND_ERR_SOCKET)",
  ],
])("what precedes an answer, or is none, has a plain name: %j", async (first, outcome) => {
  const ended = await exchange(await tcp((socket) => socket.end(first + WHOLE)));
  expect(ended.kind === "no-answer" ? ended.why : ended.kind).toBe(outcome);
});

test("tokenbook asks for an answer that is not compressed, and names an answer that is", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["accept-encoding"]);
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}"));
  });
  const answered = await exchange(await http(server));
  const why = "it is compressed (Content-Encoding: gzip), although tokenbook asks for answers that are not";
  expect(answered).toMatchObject({ kind: "answered", text: why, garbled: why });
  expect(asked).toEqual(["identity"]);
});

// A name with several addresses, as those of load balancers and of `localhost` on many machines.
function addressesOf(name: string, addresses: readonly string[]): void {
  const { lookup, promises } = dns;
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const later = vi.spyOn(promises, "lookup").mockImplementation((async () => found[0]) as unknown as typeof promises.lookup);
  const called = vi.spyOn(dns, "lookup").mockImplementation(((
    host: string,
    how: { all?: boolean },
    then: (...all: unknown[]) => void,
  ) => {
    if (host !== name) return lookup(host, how, then);
    setImmediate(() => (how.all === true ? then(null, found) : then(null, found[0]?.address, found[0]?.family)));
  }) as unknown as typeof lookup);
  syncBuiltinESMExports();
  closers.push(() => {
    later.mockRestore();
    called.mockRestore();
    syncBuiltinESMExports();
  });
}

test("all addresses of a name are tried, by a run and by doctor, and named if none accepts a connection", async () => {
  const port = await http(createServer((_request, response) => response.end("{}")));
  const origin = `http://balancer.test:${port}`;
  const patience = { timeoutMs: 10_000, signal: new AbortController().signal };
  addressesOf("balancer.test", ["127.0.0.2", "127.0.0.1"]);
  expect(await exchange(port, { origin })).toMatchObject({ kind: "answered" });
  expect(await reach(new URL(origin), patience)).toMatchObject({ address: "127.0.0.1", connectMs: expect.any(Number) });
  addressesOf("balancer.test", ["127.0.0.2", "127.0.0.3"]);
  const why = `connect ECONNREFUSED 127.0.0.2:${port}; connect ECONNREFUSED 127.0.0.3:${port}`;
  expect(await exchange(port, { origin })).toEqual({ kind: "not-sent", why });
  expect(await reach(new URL(origin), patience)).toMatchObject({ failed: { at: "connection", why } });
});

// Node gives up an address that has not accepted within a quarter of a second, and never returns to it.
test("each address of a name has a second, or a part of a shorter timeout", async () => {
  const connected = vi.spyOn(net, "connect");
  closers.push(() => connected.mockRestore());
  const port = await http(createServer((_request, response) => response.end("{}")));
  for (const timeoutMs of [LIMITS.requestMs, 2_000]) await exchange(port, { timeoutMs });
  const waits = connected.mock.calls.map(([how]) => (how as unknown as TcpNetConnectOpts).autoSelectFamilyAttemptTimeout);
  expect(waits).toEqual([LIMITS.addressMs, 500]);
  const [refused, late] = [`connect ECONNREFUSED 127.0.0.2:${port}`, `connect ETIMEDOUT 127.0.0.3:${port}`];
  const all = new AggregateError([new Error(refused), new Error(late)]);
  expect(connectionFailure(new Error("Connect Timeout Error", { cause: all })).why).toBe(`${refused}; ${late}`);
});

test("a server that accepts no connection in time is no server that does not answer", async () => {
  // It accepts the connection, but never begins TLS.
  const port = await tcp(() => {});
  const origin = `https://127.0.0.1:${port}`;
  expect(await exchange(port, { origin, timeoutMs: 300 })).toEqual({
    kind: "not-sent",
    why: "no connection within the timeout of 300 ms",
  });
});

test.runIf(hasOpenssl)("a server that refuses this client has another remedy than one that does not run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-tls-"));
  closers.push(() => rmSync(folder, { recursive: true }));
  const pair = selfSigned(folder, 2);
  for (const demand of [{ requestCert: true, maxVersion: "TLSv1.2" as const }, { ALPNProtocols: ["h2"] }]) {
    const port = await http(createTlsServer({ ...pair, ...demand }));
    const refused = await exchange(port, { origin: `https://localhost:${port}` });
    expect(refused).toMatchObject({ kind: "not-sent", tls: "client-refused" });
  }
  expect(connectionRemedy("client-refused", "SETTING")).toContain("clients without a certificate");
});
