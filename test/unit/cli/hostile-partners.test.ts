// Editors and assistants that send anything: each request is answered once, and the next one too.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { serveDebugger } from "../../../src/cli/debug/adapter.ts";
import { serve } from "../../../src/cli/lsp/server.ts";
import { KeptPlans } from "../../../src/cli/mcp/plans.ts";
import { serveAssistant } from "../../../src/cli/mcp/server.ts";
import type { Shell } from "../../../src/cli/shell.ts";
import { MessageInput } from "../../../src/cli/stdio/message-input.ts";
import { MINT_ONCE, temporaryFolder } from "../../stories/world.ts";
import { silentShell } from "./shell.ts";

type Message = Readonly<Record<string, unknown>>;
type Serve = (shell: Shell) => Promise<number>;

const head = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const line = (text: string): string => `${text}\n`;

/** Sends messages to a server in pieces of any size, and then closes the pipe. Returns what the server has sent, and what it printed. */
async function answersOf(server: Serve, frame: (text: string) => string, messages: readonly unknown[], sizes = [1_000]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "mint.yaml"), MINT_ONCE);
  const [input, output] = [new PassThrough(), new PassThrough()];
  let [printed, sent] = ["", ""];
  output.on("data", (piece: Buffer) => (sent += piece.toString()));
  const plain = silentShell();
  const stderr = { ...plain.stderr, write: (text: string) => void (printed += text) };
  const shell = { ...plain, cwd, stderr, streams: () => ({ input, output }) };
  const code = server(shell);
  const bytes = Buffer.from(messages.map((message) => frame(JSON.stringify(message))).join(""));
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    input.write(bytes.subarray(at, at + size));
    at += size;
  }
  const last = /"(?:request_seq|id)":"last"/;
  while (!last.test(sent)) await new Promise((wake) => output.once("data", wake));
  input.end();
  await code;
  const answers = sent.split(/Content-Length: \d+\r\n\r\n|\n/).filter((text) => text !== "");
  return { answers: answers.map((text) => JSON.parse(text) as Message), printed };
}

const sorted = (ids: readonly unknown[]): readonly string[] => ids.map(String).toSorted();

const PLAYBOOK = { path: "mint.yaml" };
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1,
    1.5,
    1e300,
    "",
    "mint.yaml",
    [],
    [null],
    {},
    PLAYBOOK,
    [PLAYBOOK],
    [{ line: 7 }],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const fieldsOf = (...names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 1, arbitrary: odd }, { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names), odd) });
const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 });

test("the debugger answers each request once, whatever its arguments are", async () => {
  const commands = ["initialize", "launch", "setBreakpoints", "setExceptionBreakpoints", "threads", "stackTrace", "scopes"];
  const more = ["variables", "source", "continue", "next", "pause", "evaluate", "__proto__", "", null, 7];
  const given = fieldsOf(
    "source",
    "breakpoints",
    "filters",
    "frameId",
    "variablesReference",
    "start",
    "levels",
    "playbook",
    "resume",
  );
  const requests = fc.array(fc.tuple(fc.constantFrom<unknown>(...commands, ...more), given), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(requests, sizes, async (asked, pieces) => {
      const messages = asked.map(([command, args], seq) => ({ seq, type: "request", command, arguments: args }));
      const last = { seq: "last", type: "request", command: "threads" };
      const { answers, printed } = await answersOf(serveDebugger, head, [...messages, last], pieces);
      const answered = answers.filter(({ type }) => type === "response").map((answer) => answer["request_seq"]);
      expect(sorted(answered)).toEqual(sorted([...messages.map(({ seq }) => seq), "last"]));
      expect(JSON.stringify(answers)).not.toMatch(/a bug in tokenbook|Cannot |undefined/);
      expect(printed).toBe("");
    }),
    { numRuns: 40 },
  );
});

test("a run that could not be launched does not begin, and a session makes one run", async () => {
  const request = (seq: unknown, command: string, given: object = {}): Message => ({
    seq,
    type: "request",
    command,
    arguments: given,
  });
  const wrong = request(1, "launch", { playbook: "mint.yaml", stopAtLine: 1_000 });
  const { answers } = await answersOf(serveDebugger, head, [wrong, request(2, "configurationDone"), request("last", "threads")]);
  const ended = new Map(answers.map((answer) => [answer["request_seq"], answer["success"] ?? answer["event"]]));
  expect([...ended]).toEqual(
    expect.arrayContaining([
      [1, false],
      [2, true],
      ["last", true],
    ]),
  );
  expect(ended.size).toBe(3);
  const twice = [request(1, "launch", { playbook: "none.yaml" }), request(2, "launch", { playbook: "mint.yaml" })];
  const { answers: both } = await answersOf(serveDebugger, head, [...twice, request("last", "threads")]);
  expect(both.find((answer) => answer["request_seq"] === 2)?.["message"]).toContain("this session has a run already");
});

const assistant: Serve = (shell) =>
  serveAssistant(shell, { where: {}, writesIn: undefined, plans: () => new KeptPlans(join(shell.cwd, ".tokenbook")) });

test("an assistant gets one answer to each request that has an id, and the answer says what is wrong", async () => {
  const tools = ["check", "operations", "status", "drift", "explain-unknown", "run", "resume", "__proto__"];
  const params = fc.oneof(
    fieldsOf("name", "arguments", "protocolVersion"),
    fc.record({ name: fc.constantFrom(...tools), arguments: fieldsOf("playbook", "words", "run", "key", "drift", "plan") }),
  );
  const methods = fc.constantFrom<unknown>(
    "tools/call",
    "tools/call",
    "initialize",
    "ping",
    "tools/list",
    "nothing",
    "__proto__",
    null,
  );
  const requests = fc.array(fc.tuple(methods, params), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(requests, sizes, async (asked, pieces) => {
      const messages = asked.map(([method, given], at) => ({ jsonrpc: "2.0", id: at, method, params: given }));
      const last = {
        jsonrpc: "2.0",
        id: "last",
        method: "tools/call",
        params: { name: "operations", arguments: { words: "mint" } },
      };
      const { answers } = await answersOf(assistant, line, [...messages, [], null, last], pieces);
      expect(sorted(answers.map(({ id }) => id))).toEqual(sorted([...messages.map(({ id }) => id), "last"]));
      expect(JSON.stringify(answers)).not.toMatch(/a bug in tokenbook|Cannot |-32603/);
    }),
    { numRuns: 30 },
  );
});

test("a write that is cancelled before its turn is not made", async () => {
  let opened = 0;
  const plans = (folder: string): KeptPlans => {
    opened++;
    return new KeptPlans(folder);
  };
  const writing: Serve = (shell) =>
    serveAssistant(shell, { where: {}, writesIn: "sandbox", plans: () => plans(join(shell.cwd, ".tokenbook")) });
  const call = (id: unknown, name: string, given: object): Message => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: given },
  });
  const run = { plan: "0".repeat(64), key: "ORDER-17" };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  await answersOf(writing, line, [call(1, "run", run), call(2, "run", run), cancel, call("last", "operations", {})]);
  expect(opened).toBe(1);
});

test("no more messages are read while too many answers are unread", async () => {
  let read = (): void => undefined;
  const output = new Writable({ write: (_piece, _encoding, done) => void (read = done) });
  const input = new MessageInput({ framing: "line", limit: 100, output, leftOut: expect.fail });
  input.resume();
  output.write(Buffer.alloc(LIMITS.unreadBytes + 1));
  let taken = false;
  const passed = new Promise<void>((done) => {
    input.write("{}\n", () => {
      taken = true;
      done();
    });
  });
  await new Promise(setImmediate);
  expect(taken).toBe(false);
  read();
  await passed;
});

test("the language server answers each request once, whatever its parameters are", async () => {
  const methods = ["completion", "hover", "definition", "references", "prepareRename", "rename", "documentSymbol", "codeAction"];
  const positions = fc.constantFrom<unknown>(
    { line: 0, character: 0 },
    { line: -1, character: -5 },
    { line: 1e9, character: 1e9 },
    { line: "x" },
    null,
  );
  const uris = fc.constantFrom<unknown>(
    "untitled:1",
    "file:///%00",
    "file://host/x.yaml",
    "%",
    "",
    7,
    pathToFileURL("/mint.yaml").href,
  );
  const params = fc.oneof(
    odd,
    fc.record({
      textDocument: fc.oneof(
        odd,
        fc.record({ uri: uris, text: fc.constant(MINT_ONCE), version: odd, languageId: fc.constant("yaml") }),
      ),
      position: positions,
      range: fc.record({ start: positions, end: positions }),
      contentChanges: fc.oneof(
        odd,
        fc.constant([{ text: "steps:" }, { range: { start: { line: 9e9, character: -1 }, end: {} }, text: "x" }]),
      ),
      newName: odd,
      context: odd,
    }),
  );
  const notifications = fc.constantFrom(
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "$/cancelRequest",
  );
  const requests = fc.array(fc.tuple(fc.constantFrom(...methods), params, notifications, params), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(requests, sizes, async (asked, pieces) => {
      const begin = {
        jsonrpc: "2.0",
        id: "begin",
        method: "initialize",
        params: { processId: null, rootUri: null, capabilities: {} },
      };
      const messages = asked.flatMap(([method, given, notified, also], id) => [
        { jsonrpc: "2.0", method: notified, params: also },
        { jsonrpc: "2.0", id, method: `textDocument/${method}`, params: given },
      ]);
      const last = { jsonrpc: "2.0", id: "last", method: "shutdown" };
      const { answers } = await answersOf(serve, head, [begin, ...messages, last], pieces);
      const answered = answers.flatMap(({ id }) => (id === undefined ? [] : [id]));
      expect(sorted(answered)).toEqual(sorted(["begin", ...asked.keys(), "last"]));
      expect(JSON.stringify(answers)).not.toMatch(/Cannot |not a function|not iterable/);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["debugger", serveDebugger, head],
  ["language server", serve, head],
  ["assistant", assistant, line],
] as const)("the %s ends at what cannot be a message, and says why", async (_name, server, frame) => {
  const endedBy = async (bytes: string): Promise<string> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let printed = "";
    const plain = silentShell();
    const stderr = { ...plain.stderr, write: (text: string) => void (printed += text) };
    const ended = server({ ...plain, cwd: temporaryFolder(), stderr, streams: () => ({ input, output }) });
    input.write(bytes);
    await ended;
    return printed;
  };
  if (frame === line) {
    expect(await endedBy("x".repeat(LIMITS.assistantBytes + 1))).toContain("a message has more than 1,048,576 bytes");
    return;
  }
  expect(await endedBy("Content-Length: -5\r\n\r\n{}")).toContain("a message does not begin with its length");
  expect(await endedBy("x".repeat(LIMITS.editorHeadBytes + 1))).toContain("a message does not begin with its length");
  expect(await endedBy(`Content-Length: ${LIMITS.editorBytes + 1}\r\n\r\n`)).toContain(
    "a message has more than 67,108,864 bytes",
  );
});
