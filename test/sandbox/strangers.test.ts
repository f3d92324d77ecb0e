// What web pages and other users of this machine can learn about a sandbox that is being served.
import { once } from "node:events";
import { statSync } from "node:fs";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { SANDBOX_LIMITS } from "../../src/sandbox/limits.ts";
import { fileForTest, sandboxForTest } from "./caller.ts";

/** Sends exactly these lines, and returns the answer. */
async function asked(
  { ledgerBaseUrl }: Sandbox,
  ...lines: readonly string[]
): Promise<{ readonly status: number; readonly text: string }> {
  const socket = connect(Number(new URL(ledgerBaseUrl).port), "127.0.0.1");
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  let text = "";
  socket.on("data", (data) => (text += String(data)));
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

test("a request to a foreign host name is refused, whatever its key", async () => {
  const { sandbox } = await sandboxForTest();
  const key = `X-API-KEY: ${sandbox.ledgerApiKey}`;
  const paths = [
    "/",
    "/_sandbox/health",
    "/_sandbox/commits",
    "/_sandbox/openapi/ledger",
    `/tokenize/${sandbox.appId}/asset/stats`,
    "/nowhere",
  ];
  for (const path of paths) {
    for (const host of ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", ""]) {
      const { status, text } = await asked(sandbox, `GET ${path} HTTP/1.1`, `Host: ${host}`, key);
      expect([path, host, status, text.includes("asset")]).toEqual([path, host, 421, false]);
    }
  }
  for (const host of ["127.0.0.1", "localhost:4010", "[::1]:1"])
    expect([host, (await asked(sandbox, "GET /_sandbox/health HTTP/1.1", `Host: ${host}`)).status]).toEqual([host, 200]);
});

test("a request to a declared host name or to the address is answered", async () => {
  const { sandbox } = await sandboxForTest({ host: "0.0.0.0", names: ["sandbox.test"] });
  for (const [host, status] of [
    ["sandbox.test:4010", 200],
    ["SANDBOX.test", 200],
    ["127.0.0.1", 200],
    ["other.test", 421],
  ] as const)
    expect([host, (await asked(sandbox, "GET /_sandbox/health HTTP/1.1", `Host: ${host}`)).status]).toEqual([host, status]);
});

test("each new file gets its own keys and keeps them, and a seed can set keys", async () => {
  const keysOf = async (path: string, seed = {}): Promise<readonly string[]> => {
    const sandbox = await startSandbox({ path, seed });
    await sandbox.close();
    return [sandbox.ledgerApiKey, ...Object.values(sandbox.credentials)];
  };
  const [one, other] = [fileForTest(), fileForTest()];
  const first = await keysOf(one);
  const all = [...first, ...(await keysOf(other)), ...(await keysOf(":memory:"))];
  expect(new Set(all).size).toBe(all.length);
  for (const key of all) expect(key).toMatch(/^[\w-]{32,}$/);
  expect(await keysOf(one)).toEqual(first);
  const given = await keysOf(":memory:", {
    ledgerApiKey: "a-key-of-mine",
    investors: [
      { name: "A", userId: "a" },
      { name: "B", userId: "b", apiKey: "another-of-mine" },
    ],
  });
  expect(given).toEqual(["a-key-of-mine", expect.stringMatching(/^[\w-]{32,}$/), "another-of-mine"]);
});

test("the page, the commits, the clock and the faults need the key", async () => {
  const { sandbox } = await sandboxForTest();
  const status = async (path: string, method: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await fetch(sandbox.ledgerBaseUrl + path, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) })).status;
  const json = { "content-type": "application/json" };
  const basic = (password: string): string => `Basic ${Buffer.from(`anybody:${password}`).toString("base64")}`;
  for (const [method, path] of [
    ["GET", "/"],
    ["GET", "/_sandbox/commits"],
    ["GET", "/_sandbox/faults"],
    ["POST", "/_sandbox/faults"],
    ["POST", "/_sandbox/clock"],
  ] as const) {
    const sent = method === "POST" ? json : {};
    for (const wrong of [{}, { "x-api-key": "wrong" }, { "x-api-key": "sandbox-ledger-key" }, { authorization: basic("wrong") }])
      expect([method, path, await status(path, method, { ...sent, ...wrong })]).toEqual([method, path, 401]);
    for (const right of [{ "x-api-key": sandbox.ledgerApiKey }, { authorization: basic(sandbox.ledgerApiKey) }])
      expect([method, path, [200, 400].includes(await status(path, method, { ...sent, ...right }))]).toEqual([
        method,
        path,
        true,
      ]);
  }
  expect((await fetch(`${sandbox.ledgerBaseUrl}/`)).headers.get("www-authenticate")).toContain("Basic");
});

test("only the owner can read the files of the sandbox", async () => {
  const path = fileForTest();
  const sandbox = await startSandbox({ path });
  onTestFinished(() => sandbox.close());
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
});

test("stalled connections do not block other clients", async () => {
  const { sandbox, ledger } = await sandboxForTest();
  const { port } = new URL(sandbox.ledgerBaseUrl);
  for (let count = 0; count < SANDBOX_LIMITS.connections + 50; count++) {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    socket.write("GET / HTTP/1.1\r\n");
  }
  expect((await ledger("GET /asset/stats")).status).toBe(200);
});
