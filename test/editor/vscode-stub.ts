// A stand-in for the `vscode` module. It records what an extension registers, and starts debugging sessions with a real adapter.
import { type ChildProcess, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { ProtocolClient } from "@vscode/debugadapter-testsupport/lib/protocolClient.js";
import type { DebugProtocol } from "@vscode/debugprotocol";

type Handler = (...given: never[]) => unknown;
type Callback = (...given: unknown[]) => unknown;

interface Adapter {
  readonly command: string;
  readonly args: string[];
  readonly options: { readonly cwd?: string };
}

/** A test in the explorer, and how it ended. */
export interface StubItem {
  readonly id: string;
  readonly label: string;
  readonly uri: unknown;
  readonly parent: StubItem | undefined;
  readonly children: StubItems;
  description?: string;
  range?: { readonly start: { readonly line: number } };
}

class StubItems implements Iterable<[string, StubItem]> {
  readonly #items = new Map<string, StubItem>();
  readonly #parent: StubItem | undefined;

  constructor(parent?: StubItem) {
    this.#parent = parent;
  }
  add(item: StubItem): void {
    if (this.#parent !== undefined) (item as { parent: StubItem | undefined }).parent = this.#parent;
    this.#items.set(item.id, item);
  }
  replace(items: readonly StubItem[]): void {
    this.#items.clear();
    for (const item of items) this.add(item);
  }
  delete(id: string): void {
    this.#items.delete(id);
  }
  [Symbol.iterator](): Iterator<[string, StubItem]> {
    return this.#items.entries();
  }
}

class Uri {
  readonly #address: URL;
  constructor(address: URL) {
    this.#address = address;
  }
  static parse(text: string): Uri {
    return new Uri(new URL(text));
  }
  static file(path: string): Uri {
    return new Uri(pathToFileURL(path));
  }
  get fsPath(): string {
    return decodeURIComponent(this.#address.pathname);
  }
  get scheme(): string {
    return this.#address.protocol.slice(0, -1);
  }
  toString(): string {
    return this.#address.href;
  }
}

class StubRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };

  constructor(...[line, character, endLine, endCharacter]: readonly [number, number, number, number]) {
    this.start = { line, character };
    this.end = { line: endLine, character: endCharacter };
  }
}

class StubEmitter {
  readonly #listeners = new Set<Callback>();
  readonly event = (listener: Callback): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };
  fire(event: unknown): void {
    for (const listener of this.#listeners) listener(event);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

/** A session that the extension has started. */
class StubSession extends ProtocolClient {
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly child: ChildProcess;

  constructor(configuration: Readonly<Record<string, unknown>>, { command, args, options }: Adapter) {
    super();
    this.configuration = configuration;
    const { PATH = "", HOME = "" } = process.env; // an editor has none of the variables that a CI system sets
    const child = spawn(command, args, { env: { PATH, HOME }, ...options, stdio: ["pipe", "pipe", "inherit"] });
    this.child = child;
    this.connect(child.stdout, child.stdin);
  }
}

const CLASSES = ["DebugAdapterExecutable", "Location", "ProcessExecution", "Task", "TestMessage"];

/** What an editor with one folder offers to an extension, and a record of what the extension did with it. */
export class StubEditor {
  /** The arguments of each registration, by the path of the function, such as `commands.registerCommand`. */
  readonly registered: Map<string, unknown[][]> = new Map();
  readonly commands: Map<string, Callback> = new Map();
  readonly context: Record<string, unknown> = {};
  readonly tasks: { readonly args: readonly unknown[] }[] = [];
  readonly items: StubItems = new StubItems();
  /** How tests ended, in order, as `passed` and the test's id. */
  readonly results: string[] = [];
  readonly profiles: Map<string, Callback> = new Map();
  /** Each promise resolves when its session has ended. */
  readonly sessions: Promise<void>[] = [];
  /** Where the debugger held runs. */
  readonly stops: string[] = [];
  readonly module: object;
  readonly #window: Record<string, unknown> = {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: () => ({ dispose: () => undefined }) },
  };
  readonly #folder: { readonly uri: Uri; readonly name: string; readonly index: number };
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #files: () => readonly string[];
  #adapters: { createDebugAdapterDescriptor: (session: object) => { given: readonly unknown[] } } | undefined;
  #configurations: { resolveDebugConfiguration: Callback } | undefined;
  #trackers: { createDebugAdapterTracker: Callback } | undefined;
  readonly #endListeners = new Set<Callback>();

  constructor(folder: string, settings: Readonly<Record<string, unknown>>, files: () => readonly string[]) {
    this.#folder = { uri: Uri.file(folder), name: "project", index: 0 };
    this.#settings = settings;
    this.#files = files;
    this.module = this.#namespace("", this.#known());
  }

  /** Opens a file, with the cursor on a line. The first line is 0. */
  open(file: string, line: number): void {
    const document = { uri: Uri.file(file), save: async () => true };
    this.#window["activeTextEditor"] = { document, selection: { active: { line } } };
  }

  // A name that `known` lacks becomes a class, an enumeration, a further namespace, or a function that records its calls.
  #namespace(path: string, known: object): object {
    const made = new Map<string | symbol, unknown>();
    return new Proxy(known, {
      get: (target, name) => {
        if (name in target) return Reflect.get(target, name) as unknown;
        if (typeof name === "symbol" || name === "then" || name === "__esModule") return undefined;
        if (!made.has(name)) made.set(name, this.#unknown(`${path}${path === "" ? "" : "."}${name}`, name));
        return made.get(name);
      },
    });
  }

  #unknown(path: string, name: string): unknown {
    if (/^[A-Z]/.test(name)) return newClass();
    if (!path.includes(".")) return this.#namespace(path, {});
    return (...given: unknown[]) => {
      this.registered.set(path, [...(this.registered.get(path) ?? []), given]);
      return this.#namespace("thing", { dispose: () => undefined });
    };
  }

  #known(): object {
    const nothing = { dispose: () => undefined };
    const get = (name: string, otherwise?: unknown): unknown => this.#settings[name] ?? otherwise;
    return {
      Uri,
      Range: StubRange,
      EventEmitter: StubEmitter,
      version: "1.100.0",
      env: { appName: "stub", language: "en" },
      // The bundle copies these classes by name when it loads.
      ...Object.fromEntries(CLASSES.map((name) => [name, newClass()])),
      TestRunProfileKind: { Run: 1, Debug: 2 },
      TaskScope: { Workspace: 2 },
      workspace: this.#namespace("workspace", {
        workspaceFolders: [this.#folder],
        textDocuments: [],
        notebookDocuments: [],
        getWorkspaceFolder: () => this.#folder,
        getConfiguration: () => ({ get, has: () => false, inspect: () => undefined }),
        findFiles: async (pattern: string) =>
          this.#files()
            .filter((file) => file.endsWith("tokenbook.yaml") === pattern.endsWith("tokenbook.yaml"))
            .map(Uri.file),
      }),
      window: this.#namespace("window", this.#window),
      commands: this.#namespace("commands", {
        registerCommand: (name: string, act: Callback) => {
          this.commands.set(name, act);
          return nothing;
        },
        executeCommand: async (name: string, key: string, value: unknown) => {
          if (name === "setContext") this.context[key] = value;
        },
      }),
      tasks: this.#namespace("tasks", {
        executeTask: async (task: { given: readonly unknown[] }) => void this.tasks.push({ args: task.given }),
      }),
      debug: this.#namespace("debug", this.#debug()),
      tests: this.#namespace("tests", { createTestController: () => this.#controller() }),
    };
  }

  #debug(): object {
    const nothing = { dispose: () => undefined };
    return {
      registerDebugAdapterDescriptorFactory: (_type: string, factory: never) => ((this.#adapters = factory), nothing),
      registerDebugConfigurationProvider: (_type: string, provider: never) => ((this.#configurations = provider), nothing),
      registerDebugAdapterTrackerFactory: (_type: string, factory: never) => ((this.#trackers = factory), nothing),
      onDidTerminateDebugSession: (listener: Callback) => {
        this.#endListeners.add(listener);
        return { dispose: () => this.#endListeners.delete(listener) };
      },
      stopDebugging: async () => undefined,
      startDebugging: async (folder: unknown, asked: object, options: { noDebug?: boolean } = {}) => {
        this.sessions.push(this.#session(folder, asked, options.noDebug === true));
        return true;
      },
    };
  }

  // Starts a session as an editor does: completes the configuration, starts the adapter, and passes on each of its messages.
  async #session(folder: unknown, asked: object, noDebug: boolean): Promise<void> {
    const configuration = this.#configurations?.resolveDebugConfiguration(folder, asked) as Readonly<Record<string, unknown>>;
    const started = this.#adapters?.createDebugAdapterDescriptor({ workspaceFolder: folder, configuration });
    const [command, args, options] = (started?.given ?? []) as [string, string[], { cwd?: string }];
    const session = new StubSession(configuration, { command, args, options });
    const tracker = this.#trackers?.createDebugAdapterTracker(session) as { onDidSendMessage?: Handler } | undefined;
    for (const event of ["stopped", "exited", "output", "tokenbook.step"])
      session.on(event, (message: DebugProtocol.Event) => {
        tracker?.onDidSendMessage?.(message as never);
        if (event !== "stopped") return;
        this.stops.push(String((message as DebugProtocol.StoppedEvent).body.description));
        void session.send("continue", { threadId: 1 });
      });
    const initialized = new Promise((resolve) => session.once("initialized", resolve));
    const ended = new Promise((resolve) => session.once("terminated", resolve));
    await session.send("initialize", { adapterID: "tokenbook" });
    await initialized;
    await session.send("launch", { ...configuration, noDebug } as never);
    await session.send("configurationDone");
    await ended;
    await session.send("disconnect", {});
    for (const listener of this.#endListeners) listener(session);
  }

  #controller(): object {
    const report =
      (how: string) =>
      (item: StubItem, message?: { given: readonly unknown[] }): void =>
        void this.results.push([how, idOf(item), ...(message?.given ?? [])].join(" "));
    return {
      items: this.items,
      createTestItem: (id: string, label: string, uri: unknown): StubItem => {
        const item = { id, label, uri, parent: undefined, children: new StubItems() };
        return Object.assign(item, { children: new StubItems(item) });
      },
      createRunProfile: (name: string, _kind: unknown, act: Callback) => void this.profiles.set(name, act),
      createTestRun: () => ({
        started: () => undefined,
        passed: report("passed"),
        failed: report("failed"),
        errored: report("errored"),
        skipped: report("skipped"),
        end: () => undefined,
      }),
      dispose: () => undefined,
    };
  }
}

function idOf({ id }: StubItem): string {
  return id.split("/").at(-1) ?? id;
}

// Returns a class that keeps its arguments. Its static members are the numbers of an enumeration.
function newClass(): unknown {
  class Made {
    readonly given: readonly unknown[];
    constructor(...given: unknown[]) {
      this.given = given;
    }
  }
  return new Proxy(Made, { get: (target, name) => (name in target ? (Reflect.get(target, name) as unknown) : 1) });
}
