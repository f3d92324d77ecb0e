import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

// These tests talk to a real YAML language server as an editor does, with the schema that `tokenbook schema` prints.

const SCHEMA = pathToFileURL(resolve("schemas/playbook.schema.json")).href;
const DOCUMENT = pathToFileURL(resolve("playbooks/onboarding/edited.yaml")).href;
const SETTINGS = {
  schemas: { [SCHEMA]: "playbooks/**/*.yaml" },
  schemaStore: { enable: false },
  completion: true,
  validate: true,
};

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly items?: readonly { readonly section?: string }[];
    readonly diagnostics?: readonly { readonly message: string }[];
  };
  readonly result?: unknown;
}

class Editor {
  readonly #server: ChildProcess;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #waiting: ((messages: readonly string[]) => void)[] = [];
  #setConfigured: () => void = () => {};
  readonly #configured: Promise<void> = new Promise((done) => {
    this.#setConfigured = done;
  });
  #pending = Buffer.alloc(0);
  #lastId = 0;
  #version = 0;

  constructor() {
    this.#server = spawn("node_modules/.bin/yaml-language-server", ["--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    this.#server.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  async start(): Promise<void> {
    await this.request("initialize", { processId: null, rootUri: null, capabilities: {} });
    this.notify("initialized", {});
    await this.#configured;
  }

  /** Opens the text. Returns the messages of the diagnostics that the server publishes for it. */
  open(text: string): Promise<readonly string[]> {
    const published = new Promise<readonly string[]>((done) => this.#waiting.push(done));
    const textDocument = { uri: DOCUMENT, languageId: "yaml", version: ++this.#version, text };
    this.notify("textDocument/didOpen", { textDocument });
    return published;
  }

  async complete(text: string): Promise<readonly string[]> {
    const at = text.indexOf("|");
    const before = text.slice(0, at).split("\n");
    await this.open(text.replace("|", ""));
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    const result = await this.request("textDocument/completion", { textDocument: { uri: DOCUMENT }, position });
    return ((result as { items?: readonly { label: string }[] } | null)?.items ?? []).map(({ label }) => label);
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((done) => this.#answers.set(id, done));
    this.#send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  stop(): void {
    this.#server.kill();
  }

  #send(message: object): void {
    const body = JSON.stringify(message);
    this.#server.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const end = this.#pending.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#pending.toString("latin1", 0, end))?.[1]);
      if (this.#pending.length < end + 4 + length) return;
      const message = JSON.parse(this.#pending.toString("utf8", end + 4, end + 4 + length)) as Message;
      this.#pending = this.#pending.subarray(end + 4 + length);
      this.#take(message);
    }
  }

  #take(message: Message): void {
    if (message.method === "textDocument/publishDiagnostics") {
      const found = (message.params?.diagnostics ?? []).map((diagnostic) => diagnostic.message);
      for (const done of this.#waiting.splice(0)) done(found);
    } else if (message.method !== undefined && message.id !== undefined) {
      this.#send({ jsonrpc: "2.0", id: message.id, result: answerTo(message) });
      this.#setConfigured();
    } else if (message.id !== undefined) {
      this.#answers.get(message.id)?.(message.result);
    }
  }
}

// Answers the server's requests for the editor's settings, one section at a time.
function answerTo({ params }: Message): unknown {
  return (params?.items ?? []).map(({ section }) => (section === "yaml" ? SETTINGS : null));
}

let editor: Editor;
beforeAll(async () => {
  editor = new Editor();
  await editor.start();
});
afterAll(() => editor.stop());

test("an editor with our schemas suggests every operation after `uses:`", async () => {
  const labels = await editor.complete("playbook: 1\nsteps:\n  - id: mint\n    uses: |\n");
  expect(labels).toContain("ledger.token.mint");
  expect(labels.filter((label) => /^(ledger|investor)\./.test(label))).toHaveLength(67);
  expect(labels).toContain("tokenbook/mint.yaml");
});

test("in `with:`, the editor suggests the inputs of the chosen playbook", async () => {
  const labels = await editor.complete("playbook: 1\nsteps:\n  - uses: tokenbook/mint.yaml\n    with:\n      |\n");
  expect(labels).toEqual(expect.arrayContaining(["token", "holder", "total", "minter"]));
  expect(labels).not.toContain("value");
});

test("in `with:`, the editor suggests the input fields of the chosen operation", async () => {
  const labels = await editor.complete("playbook: 1\nsteps:\n  - id: mint\n    uses: ledger.token.mint\n    with:\n      |\n");
  expect(labels).toEqual(expect.arrayContaining(["id", "to", "value"]));
  expect(labels).not.toContain("vaultId");
});

test("the editor marks nothing in a correct playbook", async () => {
  expect(await editor.open(readFileSync("playbooks/onboarding/property-sale.yaml", "utf8"))).toEqual([]);
});

test("the editor marks a misspelt field", async () => {
  const found = await editor.open("playbook: 1\nsteps:\n  - uses: ledger.token.get\n    with: { idd: x }\n");
  expect(found.join("\n")).toContain("idd");
});
