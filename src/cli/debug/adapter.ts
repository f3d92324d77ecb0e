import { basename, resolve as resolvePath } from "node:path";
import { Event, Response } from "@vscode/debugadapter/lib/messages.js";
import { ProtocolServer } from "@vscode/debugadapter/lib/protocol.js";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { present } from "../../base/present.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { stepOnLine } from "../../editor/symbols.ts";
import { isPlaybook } from "../../playbook/is-playbook.ts";
import { isShipped } from "../../playbook/playbook-files.ts";
import type { RunEvent } from "../../protocol/record.ts";
import { Door } from "../print/door.ts";
import { formatFailure } from "../print/failure.ts";
import { filesOf } from "../project/project-files.ts";
import { pathOfShipped } from "../project/shipped.ts";
import type { Shell, Terminal } from "../shell.ts";
import { MessageInput } from "../stdio/message-input.ts";
import { Conductor, type Stop } from "./conductor.ts";
import { launch } from "./launch.ts";
import { launchArguments, type LaunchArguments } from "./launch-arguments.ts";
import { assertArguments } from "./request-arguments.ts";
import { scopesAt, shownText, variablesIn } from "./scopes.ts";
import { stepsAround } from "./stack.ts";
import { stepEvent } from "./step-event.ts";

/** Speaks the Debug Adapter Protocol with an editor until the editor disconnects or closes its end of the pipe. The run then ends as with Ctrl-C. */
export async function serveDebugger(shell: Shell): Promise<ExitCode> {
  const { input, output } = shell.streams();
  const adapter = new Adapter(shell);
  const leave = (why: string): void => {
    shell.stderr.write(`tokenbook: the session with the editor ends: ${why}\n`);
    adapter.leave(EXIT.failed);
  };
  const leftOut = (why: string): void => leave(`a message cannot be read: ${why}`);
  const messages = new MessageInput({ framing: "head", limit: LIMITS.editorBytes, output, leftOut });
  for (const stream of [input, output]) for (const event of ["close", "error"]) stream.once(event, () => adapter.leave());
  messages.once("end", () => adapter.leave());
  messages.once("error", (error) => leave(messageOf(error)));
  adapter.start(input.pipe(messages), output);
  const code = await adapter.ended;
  input.destroy();
  return code;
}

/** The run is one thread, even if the rounds of a loop run in parallel: rounds are shown one after the other. */
const THREAD = { id: 1, name: "run" };
const FAILURES = "failures";

const LAUNCHED = {
  code: "debug.launch",
  message: "this session has a run already",
  why: "a session makes one run; nothing more was sent",
  next: "end this session, and start another one",
};

type AdapterAnswer = object | undefined | Promise<object | undefined>;

/** One debugging session: the requests that an editor may make, and the events that it receives. */
class Adapter extends ProtocolServer {
  readonly ended: Promise<ExitCode>;
  readonly #end: (code: ExitCode) => void;
  readonly #shell: Shell;
  readonly #stopping = new AbortController();
  readonly #conductor: Conductor;
  readonly #held: (JsonObject | readonly Json[])[] = [];
  /** The texts of playbooks that are not files. The editor requests them by their index. */
  readonly #texts: string[] = [];
  #asked: LaunchArguments | undefined;
  #isConfigured = false;
  #run: Promise<ExitCode> | undefined;
  /** The number of the first line, as the editor counts lines. */
  #firstLine = 1;

  constructor(shell: Shell) {
    super();
    const { promise, resolve } = Promise.withResolvers<ExitCode>();
    this.ended = promise;
    this.#end = resolve;
    this.#shell = shell;
    this.#conductor = new Conductor({ onStop: (stop) => this.#stopped(stop), pathOf: (file) => this.#pathOf(file) });
    this.on("error", () => this.leave());
    shell.stopping().addEventListener("abort", () => this.leave(EXIT.interrupted), { once: true });
  }

  // Any other request is refused. No request may set a value, step back, or repeat or skip a step.
  readonly #requests: Readonly<Record<string, (given: never) => AdapterAnswer>> = {
    initialize: (given: DebugProtocol.InitializeRequestArguments) => this.#introduce(given),
    launch: (given: unknown) => this.#launch(given),
    setBreakpoints: (given: DebugProtocol.SetBreakpointsArguments) => this.#setBreakpoints(given),
    setExceptionBreakpoints: ({ filters }: DebugProtocol.SetExceptionBreakpointsArguments) =>
      this.#conductor.stopAtFailures(filters.includes(FAILURES)) as undefined,
    configurationDone: () => {
      this.#isConfigured = true;
      this.#beginWhenReady();
      return undefined;
    },
    threads: () => ({ threads: [THREAD] }),
    stackTrace: (given: DebugProtocol.StackTraceArguments) => this.#stackTrace(given),
    scopes: ({ frameId }: DebugProtocol.ScopesArguments) => this.#scopes(frameId),
    variables: (given: DebugProtocol.VariablesArguments) => this.#variables(given),
    source: (given: DebugProtocol.SourceArguments) => ({
      content: this.#texts[(given.source?.sourceReference ?? given.sourceReference) - 1] ?? "",
      mimeType: "text/yaml",
    }),
    continue: () => {
      this.#continue("breakpoint");
      return { allThreadsContinued: true };
    },
    next: () => this.#continue("over"),
    stepIn: () => this.#continue("in"),
    stepOut: () => this.#continue("out"),
    pause: () => this.#conductor.pause() as undefined,
    terminate: () => this.#stop(),
    disconnect: async () => {
      this.#stop();
      await this.#run;
      return undefined;
    },
  };

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    const { command } = request;
    const answer = Object.hasOwn(this.#requests, command) ? this.#requests[command] : undefined;
    const respond = (body: object | undefined): void => {
      const response = new Response(request);
      this.sendResponse(body === undefined ? response : Object.assign(response, { body }));
      if (command === "initialize") this.sendEvent(new Event("initialized"));
      if (command === "disconnect") this.leave();
    };
    if (answer === undefined)
      return this.#refuse(request, `"${command}" is not offered: a run repeats, skips and changes nothing for a debugger`);
    const given: unknown = request.arguments ?? {};
    Promise.resolve()
      .then(() => assertArguments(command, given))
      .then(() => answer(given as never))
      .then(respond)
      .catch((error: unknown) => {
        this.#refuse(request, error instanceof Failure ? formatFailure(error).trim() : `a bug in tokenbook: ${messageOf(error)}`);
      });
  }

  #refuse(request: DebugProtocol.Request, message: string): void {
    const error = { id: 1, format: "{message}", variables: { message }, showUser: true };
    this.sendResponse(Object.assign(new Response(request, message), { body: { error } }));
  }

  #introduce({ linesStartAt1 }: DebugProtocol.InitializeRequestArguments): DebugProtocol.Capabilities {
    this.#firstLine = linesStartAt1 === false ? 0 : 1;
    return {
      supportsConfigurationDoneRequest: true,
      supportsTerminateRequest: true,
      supportsSetVariable: false,
      supportsSetExpression: false,
      supportsRestartFrame: false,
      supportsRestartRequest: false,
      supportsGotoTargetsRequest: false,
      supportsStepBack: false,
      exceptionBreakpointFilters: [{ filter: FAILURES, label: "Steps that fail, or whose outcome is unknown", default: true }],
    };
  }

  #launch(given: unknown): undefined {
    if (this.#asked !== undefined) throw new Failure(LAUNCHED);
    const asked = launchArguments(given);
    const { playbook, stopOnEntry, stopAtLine: line } = asked;
    if (stopOnEntry === true) this.#conductor.stopOnce("first");
    if (line !== undefined && playbook !== undefined) {
      const path = resolvePath(this.#shell.cwd, asked.cwd ?? ".", playbook);
      const placed = this.#placed(path, line);
      if (typeof placed === "string") throw new Failure({ code: "debug.launch", message: placed, why: "nothing was sent" });
      this.#conductor.stopOnce({ path, line: placed.line });
    }
    this.#asked = asked; // from here on, the run may begin
    this.#beginWhenReady();
  }

  #setBreakpoints({ source: { path = "" }, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments): object {
    const file = resolvePath(this.#shell.cwd, path);
    const placed = breakpoints.map(({ line }) => this.#placed(file, this.#ownLine(line)));
    this.#conductor.setBreakpoints(file, new Set(placed.flatMap((place) => (typeof place === "string" ? [] : [place.line]))));
    return {
      breakpoints: placed.map((place) =>
        typeof place === "string"
          ? { verified: false, message: place }
          : { verified: true, line: this.#theirLine(place.line), message: `at the step ${place.name}` },
      ),
    };
  }

  // Returns the place of a breakpoint, or why nothing can stop there.
  #placed(path: string, line: number): { readonly name: string; readonly line: number } | string {
    let text: string | undefined;
    try {
      text = filesOf(this.#shell).read(path);
    } catch (error) {
      return messageOf(error);
    }
    if (text === undefined) return `there is no file ${path}`;
    if (!isPlaybook(text)) return `${basename(path)} is no playbook`;
    return stepOnLine({ path, text }, line) ?? "there is no step on this line: a run stops at steps and checks";
  }

  #beginWhenReady(): void {
    if (this.#asked === undefined || !this.#isConfigured || this.#run !== undefined) return;
    this.#run = this.#perform(this.#asked);
  }

  async #perform(asked: LaunchArguments): Promise<ExitCode> {
    const [stdout, stderr] = [this.#output("stdout"), this.#output("stderr")];
    const shell: Shell = {
      ...this.#shell,
      stdout,
      stderr,
      stopping: () => this.#stopping.signal,
      onlooker: {
        ...(asked.noDebug === true ? {} : { hold: this.#conductor.hold }),
        event: (event) => this.#event(event),
      },
    };
    let code: ExitCode = EXIT.bug;
    try {
      code = await launch(shell, asked);
    } catch (error) {
      if (error instanceof Failure) code = error.exit;
      stderr.write(error instanceof Failure ? formatFailure(error) : `a bug in tokenbook: ${messageOf(error)}\n`);
    }
    this.sendEvent(new Event("exited", { exitCode: code }));
    this.sendEvent(new Event("terminated"));
    return code;
  }

  #output(category: "stdout" | "stderr"): Terminal {
    const write = (output: string): void => this.sendEvent(new Event("output", { category, output }));
    return new Door({ isTTY: false, columns: 120, rows: 24, write });
  }

  #event(event: RunEvent): void {
    const body = stepEvent(event);
    if (body !== undefined) this.sendEvent(new Event("tokenbook.step", body));
  }

  #stopped({ reason, moment }: Stop): void {
    const { when, place, run } = moment;
    const { problem } = run.state.steps.get(place.address)?.stopped ?? {};
    const { redact } = run.secrets;
    const text = problem && shownText(problem.message, redact);
    const description = `${when} ${shownText(place.address, redact)}`;
    this.sendEvent(
      new Event("stopped", { reason, description, ...present({ text }), threadId: THREAD.id, allThreadsStopped: true }),
    );
  }

  #stackTrace({ startFrame = 0, levels }: DebugProtocol.StackTraceArguments): object {
    const { stop } = this.#conductor;
    if (stop === undefined) return { stackFrames: [], totalFrames: 0 };
    const { run, place, when } = stop.moment;
    const steps = stepsAround(run.playbook, place.address);
    const frames = steps.map(({ playbook, step, keys }, at): DebugProtocol.StackFrame => {
      const id = `${step.id}${keys.map((key) => `[${key}]`).join("")}`;
      const what = step.kind === "call" ? step.operation.name : step.kind === "include" ? step.uses : step.kind;
      const name = shownText(`${id}  ${what}${at === 0 ? `  (${when})` : ""}`, run.secrets.redact);
      return { id: at + 1, name, line: this.#theirLine(step.line), column: 1, source: this.#sourceOf(playbook) };
    });
    const whole: DebugProtocol.StackFrame = {
      id: frames.length + 1,
      name: run.playbook.name,
      line: this.#theirLine(1),
      column: 1,
      source: this.#sourceOf(run.playbook),
      presentationHint: "subtle",
    };
    const all = [...frames, whole];
    const end = levels === undefined || levels === 0 ? all.length : startFrame + levels;
    return { stackFrames: all.slice(startFrame, end), totalFrames: all.length };
  }

  #sourceOf({ file, text }: { readonly file: string; readonly text: string }): DebugProtocol.Source {
    const path = this.#pathOf(file);
    if (path !== undefined) return { name: basename(file), path };
    const known = this.#texts.indexOf(text);
    return { name: file, sourceReference: known >= 0 ? known + 1 : this.#texts.push(text) };
  }

  #scopes(frameId: number): object {
    const { stop } = this.#conductor;
    if (stop === undefined) return { scopes: [] };
    const { run, place } = stop.moment;
    const stack = stepsAround(run.playbook, place.address);
    // the last frame is the playbook itself, which sees the same values as its outermost step
    const at = Math.min(frameId - 1, stack.length - 1);
    return {
      scopes: scopesAt(stop.moment, stack, at).map(({ name, values }) => ({
        name,
        variablesReference: this.#held.push(values),
        expensive: false,
      })),
    };
  }

  #variables({ variablesReference, start = 0 }: DebugProtocol.VariablesArguments): object {
    const values = this.#held[variablesReference - 1];
    return {
      variables: (values === undefined ? [] : variablesIn(values, start)).map(({ held, ...line }) => ({
        ...line,
        variablesReference: held === undefined ? 0 : this.#held.push(held),
        presentationHint: { attributes: ["readOnly"] },
      })),
    };
  }

  // All values that were shown belong to the moment that ends here.
  #continue(how: Parameters<Conductor["continue"]>[0]): undefined {
    this.#held.splice(0);
    this.#conductor.continue(how);
  }

  #stop(): undefined {
    this.#stopping.abort();
    this.#conductor.letGo();
  }

  /** Ends the session after the editor has disconnected. `code` is the exit code of a session without a run. */
  leave(code: ExitCode = EXIT.passed): void {
    this.#stop();
    void (this.#run ?? Promise.resolve(code)).then(this.#end);
  }

  #fileAt(path: string): string {
    return resolvePath(this.#shell.cwd, this.#asked?.cwd ?? ".", path);
  }

  #pathOf(file: string): string | undefined {
    return isShipped(file) ? pathOfShipped(file) : this.#fileAt(file);
  }

  #ownLine(line: number): number {
    return line + 1 - this.#firstLine;
  }

  #theirLine(line: number): number {
    return line - 1 + this.#firstLine;
  }
}
