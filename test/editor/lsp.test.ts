import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CodeAction,
  type CompletionItem,
  createProtocolConnection,
  type Diagnostic,
  type Hover,
  type InitializeResult,
  type Location,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceEdit,
} from "vscode-languageserver-protocol/node.js";
import { ROOT } from "../stories/world.ts";
import { PATIENCE_MS } from "../patience.ts";

// These tests talk to the built command as an editor does.

const COMMAND = join(ROOT, "bin/tokenbook.js");

class Editor {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "tokenbook-lsp-"));
  readonly #server: ChildProcessWithoutNullStreams;
  readonly #connection: ProtocolConnection;
  readonly #published: PublishDiagnosticsParams[] = [];
  /** The notifications for which the server registered. */
  readonly watched: Promise<unknown>;
  /** Whether the client never answers the server's requests. */
  silent = false;
  #stderr = "";
  #wake: () => void = () => {};
  #version = 0;

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    const { stdin, stdout, stderr } = (this.#server = spawn(
      process.execPath,
      [COMMAND, "lsp", "--stdio", "--clientProcessId=1"],
      {
        cwd: tmpdir(),
        stdio: "pipe",
      },
    ));
    stderr.on("data", (said: Buffer) => (this.#stderr += said.toString()));
    this.#connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.#connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
      this.#published.push(params);
      this.#wake();
    });
    this.watched = new Promise((done) => {
      this.#connection.onRequest("client/registerCapability", ({ registrations }: { readonly registrations: unknown }) => {
        done(registrations);
        return this.silent ? new Promise(() => {}) : null;
      });
    });
    this.#connection.listen();
  }

  /** Returns what the server wrote to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Starts a session in these folders. */
  async start(folders: readonly string[] = ["."]): Promise<InitializeResult> {
    const workspaceFolders = folders.map((name) => ({ uri: this.uri(name), name }));
    const capabilities = { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } };
    const params = { processId: null, rootUri: workspaceFolders[0]?.uri ?? null, capabilities, workspaceFolders };
    const result = await this.request<InitializeResult>("initialize", params);
    await this.#connection.sendNotification("initialized", {});
    return result;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
    writeFileSync(join(this.#folder, path), text);
  }

  uri(path: string): string {
    return pathToFileURL(join(this.#folder, path)).href;
  }

  request<T>(method: string, params: object): Promise<T> {
    return this.#connection.sendRequest<T>(method, params);
  }

  /** Asks about a position in an open file. */
  ask<T>(method: string, path: string, position: Position, more: object = {}): Promise<T> {
    return this.request(`textDocument/${method}`, { textDocument: { uri: this.uri(path) }, position, ...more });
  }

  async open(path: string, text: string, uri = this.uri(path)): Promise<void> {
    const textDocument = { uri, languageId: "yaml", version: ++this.#version, text };
    await this.#connection.sendNotification("textDocument/didOpen", { textDocument });
  }

  /** Replaces a part of an open file, as typing would. */
  async change(path: string, start: Position, end: Position, text: string): Promise<void> {
    const textDocument = { uri: this.uri(path), version: ++this.#version };
    await this.#connection.sendNotification("textDocument/didChange", {
      textDocument,
      contentChanges: [{ range: { start, end }, text }],
    });
  }

  async notify(method: string, params: object): Promise<void> {
    await this.#connection.sendNotification(method, params);
  }

  /** Waits until the findings about a file are as wanted. */
  async findings(path: string, wanted: (diagnostics: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]> {
    for (;;) {
      const diagnostics = this.#published.findLast(({ uri }) => uri === this.uri(path))?.diagnostics;
      if (diagnostics !== undefined && wanted(diagnostics)) return diagnostics;
      await new Promise<void>((done) => {
        this.#wake = done;
      });
    }
  }

  /** Ends the server as the protocol requires, and returns its exit code. */
  async end(): Promise<unknown> {
    const exited = once(this.#server, "close");
    await this.request("shutdown", {});
    await this.#connection.sendNotification("exit");
    return (await exited)[0] as unknown;
  }

  /** Closes the pipe, as a dying editor does. */
  async drop(): Promise<unknown> {
    const exited = once(this.#server, "close");
    this.#server.stdin.end();
    return (await exited)[0] as unknown;
  }

  /** Closes the pipe in the middle of a message. */
  async breakOff(): Promise<unknown> {
    this.#server.stdin.write('Content-Length: 100\r\n\r\n{"jsonrpc":');
    return this.drop();
  }

  /** Reads nothing more, as an editor that is about to die does. Returns the server's exit code. */
  async deafen(): Promise<unknown> {
    const exited = once(this.#server, "exit", { signal: AbortSignal.timeout(PATIENCE_MS) });
    this.#server.stdout.destroy();
    await this.open("late.yaml", BOOK);
    return exited.then(
      ([code]) => code as unknown,
      () => expect.fail(`it did not end; its pipes: ${pipesOf(this.#server.pid)}; stderr: ${this.#stderr}`),
    );
  }

  stop(): void {
    this.#connection.dispose();
    this.#server.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

function pipesOf(pid = 0): string {
  const folder = `/proc/${pid}/fd`;
  return existsSync(folder)
    ? readdirSync(folder)
        .map((fd) => `${fd} ${readlinkSync(join(folder, fd))}`)
        .join(", ")
    : "gone";
}

const BOOK = `playbook: 1
name: Edited
inputs: { shares: { type: decimal, default: "1", description: How many shares. } }
steps:
  - id: token
    uses: ledger.token.get
    with: { id: x }
    expect: [response.totalSupply == inputs.shares]
  - id: part
    uses: ./parts/part.yaml
outputs: { name: "\${{ steps.token.response.name }}" }
`;
const PART = "playbook: 1\nname: A part\nsteps:\n  - id: list\n    uses: ledger.token.list\n";

let editor: Editor;
beforeEach(async () => {
  editor = new Editor({ "book.yaml": BOOK, "parts/part.yaml": PART });
});
afterEach(() => editor.stop());

/** Returns the position right after a part of a text. */
function behind(part: string, text = BOOK): Position {
  const lines = text.slice(0, text.indexOf(part) + part.length).split("\n");
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

const none = (found: readonly Diagnostic[]): boolean => found.length === 0;
const some = (found: readonly Diagnostic[]): boolean => found.length > 0;

test("the language server lists its capabilities, and exits with 0 when the editor ends it", async () => {
  const { capabilities, serverInfo } = await editor.start();
  expect(serverInfo?.name).toBe("tokenbook");
  expect(capabilities).toMatchObject({
    hoverProvider: true,
    definitionProvider: true,
    renameProvider: { prepareProvider: true },
  });
  expect(await editor.end()).toBe(0);
});

test("the language server ends when its editor is gone", async () => {
  await editor.start();
  expect(await editor.drop()).toBe(1);
});

test("the language server ends when its editor is gone in the middle of a message", async () => {
  await editor.start();
  expect(await editor.breakOff()).toBe(1);
  expect(editor.stderr).toBe("");
});

test("the language server ends although the editor did not answer a request", async () => {
  editor.silent = true;
  await editor.start();
  await editor.watched;
  expect(await editor.end()).toBe(0);
  expect(editor.stderr).toBe("");
});

test("the language server ends when an editor is gone that did not answer a request", async () => {
  editor.silent = true;
  await editor.start();
  await editor.watched;
  expect(await editor.drop()).toBe(1);
  expect(editor.stderr).toBe("");
});

test("the language server ends when the editor reads no more", async () => {
  await editor.start();
  expect(await editor.deafen()).toBe(1);
  expect(editor.stderr).toBe("");
});

test("completion works while an expression is typed, and describes the selected suggestion", async () => {
  await editor.start();
  await editor.open("book.yaml", BOOK);
  const at = behind("inputs.shares");
  await editor.change("book.yaml", at, at, " && steps.token.");
  const items = await editor.ask<CompletionItem[]>("completion", "book.yaml", { ...at, character: at.character + 16 });
  expect(items.map(({ label }) => label)).toEqual(["response", "outcome"]);
  expect(items[0]?.textEdit).toMatchObject({ newText: "response" });
  const item = await editor.request<CompletionItem>("completionItem/resolve", items[0] ?? {});
  expect(item.documentation).toMatchObject({ kind: "markdown", value: "The answer of the service." });
});

test("completion suggests the paths of playbooks on the disk", async () => {
  await editor.start();
  await editor.open("book.yaml", BOOK);
  const items = await editor.ask<CompletionItem[]>("completion", "book.yaml", behind("./parts/"));
  expect(items.map(({ label }) => label)).toEqual(["./parts/part.yaml"]);
});

test("hover and definition work in a playbook", async () => {
  await editor.start();
  await editor.open("book.yaml", BOOK);
  const shown = await editor.ask<Hover>("hover", "book.yaml", behind("inputs.sha"));
  expect(shown.contents).toMatchObject({ kind: "markdown", value: expect.stringContaining("How many shares.") });
  const operation = await editor.ask<Hover>("hover", "book.yaml", behind("ledger.tok"));
  expect(operation.contents).toMatchObject({ value: expect.stringContaining("changes nothing") });
  const step = await editor.ask<Location>("definition", "book.yaml", behind("{ steps.tok"));
  expect(step).toEqual({ uri: editor.uri("book.yaml"), range: { start: behind("- id: "), end: behind("- id: token") } });
  const file = await editor.ask<Location>("definition", "book.yaml", behind("./par"));
  expect(file.uri).toBe(editor.uri("parts/part.yaml"));
});

test("a step can be renamed, but not to the id of another step", async () => {
  await editor.start();
  await editor.open("book.yaml", BOOK);
  const uses = await editor.ask<Location[]>("references", "book.yaml", behind("- id: tok"), {
    context: { includeDeclaration: true },
  });
  expect(uses.map(({ range }) => range.start.line)).toEqual([4, 10]);
  const prepared = await editor.ask<{ placeholder: string }>("prepareRename", "book.yaml", behind("- id: tok"));
  expect(prepared.placeholder).toBe("token");
  const edit = await editor.ask<WorkspaceEdit>("rename", "book.yaml", behind("- id: tok"), { newName: "share" });
  expect(edit.changes?.[editor.uri("book.yaml")]?.map(({ newText }) => newText)).toEqual(["share", "share"]);
  await expect(editor.ask("rename", "book.yaml", behind("- id: tok"), { newName: "part" })).rejects.toThrow(/cannot be called/);
});

test("the editor shows the same findings as `tokenbook check`, at the same places", async () => {
  const wrong = readFileSync(join(ROOT, "test/faulty/guarded-by-another-step.yaml"), "utf8");
  editor.write("wrong.yaml", wrong);
  await editor.start();
  await editor.open("wrong.yaml", wrong);
  const shown = await editor.findings("wrong.yaml", some);
  const { stdout } = spawnSync(process.execPath, [COMMAND, "check", "--json", "wrong.yaml"], {
    cwd: editor.folder,
    encoding: "utf8",
  });
  const [checked] = (JSON.parse(stdout) as { files: { diagnostics: Record<string, string | number>[] }[] }).files;
  expect(shown.map(({ code, message, range: { start, end } }) => [code, message.split("\n")[0], start, end])).toEqual(
    checked?.diagnostics.map(({ code, message, line, column, endLine, endColumn }) => [
      code,
      message,
      { line: Number(line) - 1, character: Number(column) - 1 },
      { line: Number(endLine) - 1, character: Number(endColumn) - 1 },
    ]),
  );
});

test("a mistake disappears when it is fixed, by hand or by the quick fix", async () => {
  await editor.start();
  const wrong = BOOK.replace("inputs.shares", "inputs.sharse");
  await editor.open("book.yaml", wrong);
  const [found] = await editor.findings("book.yaml", some);
  expect(found).toMatchObject({ code: "expression.unknown-field", severity: 1, source: "tokenbook" });
  const actions = await editor.request<CodeAction[]>("textDocument/codeAction", {
    textDocument: { uri: editor.uri("book.yaml") },
    range: found?.range,
    context: { diagnostics: [found] },
  });
  const [change] = actions[0]?.edit?.changes?.[editor.uri("book.yaml")] ?? [];
  expect(change).toMatchObject({ newText: "shares", range: found?.range });
  if (change === undefined) expect.fail();
  await editor.change("book.yaml", change.range.start, change.range.end, change.newText);
  expect(await editor.findings("book.yaml", none)).toEqual([]);
});

test("a check uses the unsaved text of an included playbook", async () => {
  await editor.start();
  await editor.open("book.yaml", BOOK);
  await editor.findings("book.yaml", none);
  await editor.open("parts/part.yaml", PART);
  await editor.change("parts/part.yaml", behind("ledger.token.list", PART), behind("ledger.token.list", PART), "s");
  const [cause] = await editor.findings("parts/part.yaml", some);
  expect(cause?.code).toBe("playbook.unknown-operation");
  const [effect] = await editor.findings("book.yaml", some);
  expect(effect?.code).toBe("playbook.include-broken");
  await editor.notify("textDocument/didClose", { textDocument: { uri: editor.uri("parts/part.yaml") } });
  await editor.findings("book.yaml", none);
  await editor.findings("parts/part.yaml", none);
});

test("an included playbook that is not open shows its own mistakes, and clears them", async () => {
  editor.write("parts/part.yaml", PART.replace("list\n    uses", "list\n    use"));
  await editor.start();
  await editor.open("book.yaml", BOOK);
  await editor.findings("parts/part.yaml", some);
  expect(await editor.watched).toMatchObject([{ registerOptions: { watchers: [{ globPattern: "**/*.{yaml,yml,json,csv}" }] } }]);
  editor.write("parts/part.yaml", PART);
  await editor.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: editor.uri("parts/part.yaml"), type: 2 }] });
  await editor.findings("book.yaml", none);
  await editor.findings("parts/part.yaml", none);
});

test("a playbook can include a file of its own workspace folder", async () => {
  const book = "playbook: 1\nname: Second\nsteps:\n  - id: part\n    uses: ../parts/part.yaml\n";
  editor.write("two/books/book.yaml", book);
  editor.write("two/parts/part.yaml", PART);
  await editor.start(["parts", "two"]);
  await editor.open("two/books/book.yaml", book);
  expect(await editor.findings("two/books/book.yaml", () => true)).toEqual([]);
});

test("a playbook can include a file of its own project, whatever folder is open", async () => {
  const book = "playbook: 1\nname: Alone\nsteps:\n  - id: part\n    uses: ../parts/part.yaml\n";
  editor.write("two/tokenbook.yaml", "environments: { here: { sandbox: true } }\n");
  editor.write("two/books/book.yaml", book);
  editor.write("two/parts/part.yaml", PART);
  await editor.start(["parts"]);
  await editor.open("two/books/book.yaml", book);
  expect(await editor.findings("two/books/book.yaml", () => true)).toEqual([]);
});

test("a document without a file does not stop the checks of others", async () => {
  await editor.start();
  await editor.open("", BOOK, "file://elsewhere/share/book.yaml");
  await editor.open("", BOOK, "untitled:Untitled-1");
  await editor.open("größe 100%.yaml", BOOK.replace("inputs.shares", "inputs.sharse"));
  expect(await editor.findings("größe 100%.yaml", some)).toMatchObject([{ code: "expression.unknown-field" }]);
});

test("a file that is not a playbook gets no findings until it becomes one", async () => {
  await editor.start();
  await editor.open("compose.yaml", "services: { web: { image: x } }\n");
  await editor.open("book.yaml", BOOK);
  await editor.findings("book.yaml", none);
  const start = { line: 0, character: 0 };
  await editor.change("compose.yaml", start, start, "playbook: 1\n");
  expect((await editor.findings("compose.yaml", some)).map(({ code }) => code)).toContain("schema.unknown-field");
});

test("the editor knows the playbooks of the library", async () => {
  await editor.start();
  const sale = readFileSync("playbooks/onboarding/property-sale.yaml", "utf8");
  await editor.open("books/sale.yaml", sale);
  expect(await editor.findings("books/sale.yaml", none)).toEqual([]);
  const shown = await editor.ask<Hover>("hover", "books/sale.yaml", behind("uses: tokenbook/mint", sale));
  expect(shown.contents).toMatchObject({ value: expect.stringContaining("(tokenbook/mint.yaml)") });
  const file = await editor.ask<Location>("definition", "books/sale.yaml", behind("uses: tokenbook/mint", sale));
  expect(file.uri).toBe(pathToFileURL(join(ROOT, "library/mint.yaml")).href);
});

test("invisible characters are shown in hovers, completions and findings, and edits keep them", async () => {
  const hidden = "mi\u200bnt\u{e0041}";
  const text = `playbook: 1\nname: ${hidden}\nsteps:\n  - id: token\n    uses: ./parts/${hidden}.yaml\n    with: { x: 1 }\n  - uses: ledger.${hidden}\n`;
  editor.write(`parts/${hidden}.yaml`, PART.replace("A part", `"A ${String.raw`\u200b`}part"`));
  await editor.start();
  await editor.open("hidden.yaml", text);
  const found = await editor.findings("hidden.yaml", some);
  expect(JSON.stringify(found)).not.toMatch(/[\u200b\u{e0041}]/u);
  expect(found.map(({ message }) => message).join("\n")).toContain(String.raw`mi\u200bnt\udb40\udc41`);
  const hovered = await editor.ask<Hover>("hover", "hidden.yaml", behind("./parts/m", text));
  expect(JSON.stringify(hovered.contents)).toContain(String.raw`A \\u200bpart`);
  const offered = await editor.ask<CompletionItem[]>("completion", "hidden.yaml", behind("./parts/", text));
  expect(offered.find(({ label }) => label === String.raw`./parts/mi\u200bnt\udb40\udc41.yaml`)).toMatchObject({
    textEdit: { newText: `./parts/${hidden}.yaml` },
  });
});

test("the editor never shows a file outside the folders of a playbook", async () => {
  editor.write(".env", "KEY=c4nary-first\n");
  const text = `playbook: 1\ninputs:\n  rows: { type: file, default: ./.env, format: csv, items: { type: object, properties: { a: { type: decimal } } } }\n  host: { type: file, default: /etc/hostname, format: yaml, items: { type: decimal } }\nsteps:\n  - uses: ../.env\n  - uses: /etc/passwd.yaml\n`;
  await editor.start(["inside"]);
  await editor.open("inside/reaching.yaml", text);
  const found = await editor.findings("inside/reaching.yaml", some);
  expect(found.map(({ message }) => /is a file of settings|lies outside of the project/.test(message))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(JSON.stringify(found)).not.toContain("c4nary");
  for (const part of ["../.e", "/etc/pass"])
    expect(await editor.ask<Hover | null>("hover", "inside/reaching.yaml", behind(part, text))).toBeNull();
});
