// The editor's side of a debugging session. It talks over streams to an adapter in this process or in another.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { ProtocolClient } from "@vscode/debugadapter-testsupport/lib/protocolClient.js";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { onTestFinished } from "vitest";
import { serveDebugger } from "../../src/cli/debug/adapter.ts";
import type { LaunchArguments } from "../../src/cli/debug/launch-arguments.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { DEFAULT_SEED } from "../../src/sandbox/seed/default.ts";
import {
  COMMAND_LINE,
  KEYS,
  KEYS_OF_SANDBOX,
  newProject,
  type Project,
  type Service,
  serviceOf,
  temporaryFolder,
} from "../stories/world.ts";
import { silentShell } from "../unit/cli/shell.ts";

/** Where the debugger holds a run. */
export interface Stopped {
  readonly reason: string;
  readonly description: string | undefined;
  readonly text: string | undefined;
  readonly frames: readonly { readonly name: string; readonly line: number; readonly path: string | undefined }[];
}

/** The command with which editors start the adapter. */
export const DEBUG: readonly [string, ...string[]] = [...COMMAND_LINE, "debug", "--stdio"];

type Tree = { [name: string]: string | Tree };

/** How a session ended. */
interface End {
  readonly exitCode: number;
  readonly printed: string;
}

/** A debugging session. */
export class Debugging extends ProtocolClient {
  /** The adapter's process, if it has one of its own. */
  readonly process: ChildProcess | undefined;
  /** The adapter's exit code. */
  readonly left: Promise<number>;
  readonly events: DebugProtocol.Event[] = [];
  #printed = "";
  #wake: () => void = () => undefined;
  #read = 0;
  readonly #folder: string;
  readonly #input: Writable;

  private constructor(
    project: Project,
    streams: { output: Readable; input: Writable },
    left: Promise<number>,
    own?: ChildProcess,
  ) {
    super();
    this.#folder = project.folder;
    this.#input = streams.input;
    this.process = own;
    this.left = left;
    this.connect(streams.output, streams.input);
    this.on("output", ({ body }: DebugProtocol.OutputEvent) => void (this.#printed += body.output));
    for (const name of ["stopped", "exited", "tokenbook.step"])
      this.on(name, (event: DebugProtocol.Event) => {
        this.events.push(event);
        this.#wake();
      });
  }

  /** Starts a session with an adapter in this process. */
  static here(project: Project): Debugging {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { folder: cwd, variables } = project;
    const shell = { ...silentShell(), cwd, variables, streams: () => ({ input, output }) };
    const session = new Debugging(project, { input, output }, serveDebugger(shell));
    onTestFinished(() => void input.end());
    return session;
  }

  /** Starts a session with `tokenbook debug` in a process of its own. */
  static beside(project: Project, [program, ...args]: readonly [string, ...string[]] = DEBUG): Debugging {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(program, args, {
      cwd: project.folder,
      env: { PATH, HOME, ...project.variables },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const left = once(child, "close").then(([code]) => (code as number | null) ?? -1);
    child.stdin.on("error", () => undefined); // the adapter may have been killed
    return new Debugging(project, { input: child.stdin, output: child.stdout }, left, child);
  }

  /** Writes raw text to the adapter, such as no client of the protocol would send. */
  write(text: string): void {
    this.#input.write(text);
  }

  path(file: string): string {
    return join(this.#folder, file);
  }

  /** Sets breakpoints by file, and starts a run. Returns the breakpoints where the adapter placed them. */
  async begin(
    asked: LaunchArguments,
    lines: Readonly<Record<string, readonly number[]>> = {},
    filters: string[] = [],
  ): Promise<readonly DebugProtocol.Breakpoint[]> {
    const initialized = once(this, "initialized");
    await this.send("initialize", { adapterID: "tokenbook" });
    await initialized;
    const placed: DebugProtocol.Breakpoint[] = [];
    for (const [file, of] of Object.entries(lines)) {
      const breakpoints = of.map((line) => ({ line }));
      const { body } = await this.send("setBreakpoints", { source: { path: this.path(file) }, breakpoints });
      placed.push(...body.breakpoints);
    }
    await this.send("setExceptionBreakpoints", { filters });
    await this.send("launch", asked as DebugProtocol.LaunchRequestArguments);
    await this.send("configurationDone");
    return placed;
  }

  async #event(name: string): Promise<DebugProtocol.Event> {
    for (;;) {
      const at = this.events.findIndex((event, place) => place >= this.#read && event.event === name);
      const found = this.events[at];
      if (found !== undefined) {
        this.#read = at + 1;
        return found;
      }
      if (name !== "exited" && this.events.some(({ event }) => event === "exited"))
        throw new Error(`the run ended and never ${name}:\n${this.#printed}`);
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  /** Waits until the run is held again, and returns where. */
  async stopped(): Promise<Stopped> {
    const { body } = (await this.#event("stopped")) as DebugProtocol.StoppedEvent;
    const { body: stack } = await this.send("stackTrace", { threadId: 1 });
    const frames = stack.stackFrames.map(({ name, line, source }) => ({ name, line, path: source?.path }));
    return { reason: body.reason, description: body.description, text: body.text, frames };
  }

  /** Returns all values at a frame, fully expanded. */
  async values(frame = 1): Promise<Tree> {
    const { body } = await this.send("scopes", { frameId: frame });
    const scopes: Tree = {};
    for (const { name, variablesReference } of body.scopes) scopes[name] = await this.#open(variablesReference);
    return scopes;
  }

  async #open(variablesReference: number): Promise<Tree> {
    const { body } = await this.send("variables", { variablesReference });
    const tree: Tree = {};
    for (const { name, value, variablesReference: inner } of body.variables)
      tree[name] = inner === 0 ? value : await this.#open(inner);
    return tree;
  }

  async go(how: "continue" | "next" | "stepIn" | "stepOut" = "continue"): Promise<void> {
    await this.send(how, { threadId: 1 });
  }

  async ended(): Promise<End> {
    const { body } = (await this.#event("exited")) as DebugProtocol.ExitedEvent;
    return { exitCode: body.exitCode, printed: this.#printed };
  }

  async disconnect(): Promise<number> {
    await this.send("disconnect", {});
    return this.left;
  }
}

/** Returns a project with these files, and a service in this process. */
export async function served(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly project: Project; readonly service: Service }> {
  const sandbox = await startSandbox({
    path: join(temporaryFolder(), "sandbox.db"),
    seed: { ...DEFAULT_SEED, ...KEYS_OF_SANDBOX },
  });
  onTestFinished(() => sandbox.close());
  const project = newProject({ ...KEYS, REGION: "c4nary-region", SIGNING: "c4nary-signing-secret" });
  project.serviceAt(sandbox.ledgerBaseUrl);
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  return { project, service: serviceOf(sandbox) };
}
