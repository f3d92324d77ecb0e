import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { type Answering, type Listening, listenOn } from "../../../src/serving/server.ts";

async function serving(answer: Answering = (_request, response) => response.end("here")): Promise<Listening> {
  const listening = await listenOn({ host: "127.0.0.1", port: 0 }, answer);
  onTestFinished(() => listening.close());
  return listening;
}

/** Returns a connection on which only this part of a request was sent. */
async function connected({ port }: Listening, begun: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(begun);
  return socket;
}

/** Returns the answer to one more request. */
async function answered({ port }: Listening, path = "/"): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close" } })).text();
}

test.for(["127.0.0.1", "127.1", "localhost"])("a server on %s answers no name that a web page may have made", async (host) => {
  const listening = await listenOn({ host, port: 0 }, (_request, response) => response.end("here"));
  onTestFinished(() => listening.close());
  const status = async (name: string): Promise<string> => {
    const socket = connect(listening.port, host).on("error", () => undefined);
    socket.write(`GET / HTTP/1.1\r\nHost: ${name}:${listening.port}\r\nConnection: close\r\n\r\n`);
    return (await text(socket)).split("\r\n")[0] ?? "";
  };
  expect(await status("made.example")).toContain("421");
  for (const own of [host, "127.0.0.1", "localhost"]) expect(await status(own)).toContain("200");
});

const BEGUN = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n";

async function many(work: () => Promise<Socket>): Promise<readonly Socket[]> {
  const all: Socket[] = [];
  while (all.length < LIMITS.servedConnections * 2) all.push(await work());
  return all;
}

test.for([
  ["say nothing", ""],
  ["begin a request", BEGUN],
  ["begin a body", `${BEGUN}Content-Length: 10\r\n\r\n`],
  ["have been answered", `${BEGUN}\r\n`],
] as const)("connections that %s do not block other clients", async ([, begun]) => {
  const listening = await serving();
  await many(() => connected(listening, begun));
  expect(await answered(listening)).toBe("here");
});

test("connections that read no answer do not block other clients", async () => {
  const large = Buffer.alloc(16_777_216, "x");
  const listening = await serving(({ url }, response) => response.end(url === "/" ? large : "here"));
  await many(async () => (await connected(listening, `${BEGUN}\r\n`)).pause());
  expect(await answered(listening, "/other")).toBe("here");
});

test("a request that is being answered is not closed because other connections stall", async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const listening = await serving(({ url }, response) => (url === "/slow" ? asked.resolve(response) : response.end("here")));
  const slow = answered(listening, "/slow");
  const response = await asked.promise;
  const [first] = await many(() => connected(listening, BEGUN));
  if (first !== undefined && !first.closed) await once(first.resume(), "close");
  expect(await answered(listening)).toBe("here");
  response.end("at last");
  expect(await slow).toBe("at last");
});

test("a stalled connection is closed after our limit, and not only at the next check by Node", async () => {
  const nodesOwnMs = 30_000;
  expect(LIMITS.servedRequestMs + LIMITS.servedLookMs).toBeLessThan(nodesOwnMs / 2);
  const listening = await serving();
  const stalled = await Promise.all(
    ["", BEGUN, `${BEGUN}Content-Length: 10\r\n\r\n`].map((begun) => connected(listening, begun)),
  );
  const closed = Promise.all(stalled.map((socket) => once(socket.resume(), "close")));
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve("late"), nodesOwnMs - 5_000);
  expect(await Promise.race([closed.then(() => "closed"), late.promise])).toBe("closed");
  clearTimeout(timer);
});

test("a server on the loopback interface answers only requests to the names of that interface", async () => {
  const listening = await serving();
  const statusFor = async (host: string): Promise<string> => {
    const socket = await connected(listening, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [data] = (await once(socket, "data")) as [Buffer];
    return data.toString().slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
  };
  for (const host of ["127.0.0.1", "127.0.0.1:9464", "LOCALHOST:1", "[::1]:4020"])
    expect([host, await statusFor(host)]).toEqual([host, "200"]);
  for (const host of ["evil.example", "evil.example:9464", "127.0.0.1.evil.example", "localhost.evil.example", "a@localhost", ""])
    expect([host, await statusFor(host)]).toEqual([host, "421"]);
});
