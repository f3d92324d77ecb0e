import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { VERSION } from "../../base/version.ts";
import { cut } from "../../report/formats/foreign-text.ts";
import { SchemaSet } from "../../schema/validator.ts";
import { Door } from "../print/door.ts";
import { formatFailure } from "../print/failure.ts";
import { KeptText } from "../print/kept-text.ts";
import type { Shell } from "../shell.ts";
import { MessageInput } from "../stdio/message-input.ts";
import { TOOL_WORDS, type ToolName, type ToolWords } from "./tool-words.ts";
import { type Desk, TOOLS } from "./tools.ts";

/** The width of the lines that an assistant reads. */
const COLUMNS = 120;
const INSTRUCTIONS = `tokenbook runs YAML playbooks against a tokenization service; each write is sent at most once.
Write a playbook as a file, call check until it finds nothing, then plan, show the plan to a person, and run it by its digest with a key.
When an answer is lost, repeat the same call. Messages also name commands of the command line: a person runs those.`;

/** Speaks the Model Context Protocol on stdio until the client closes it or the process must stop. First waits for the calls under way. */
export async function serveAssistant(shell: Shell, desk: Desk): Promise<ExitCode> {
  const { input, output } = shell.streams();
  const stopping = shell.stopping();
  const server = new Server({ name: "tokenbook", version: VERSION }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  const calls = new Calls(shell, desk);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed(desk) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }, { signal }) =>
    calls.answer(name, given, signal),
  );
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const say = (what: string): void => shell.stderr.write(`tokenbook: ${what}\n`);
  const leftOut = (why: string): void => say(`a message of the client was left out: ${why}`);
  const takes = (message: object): boolean => {
    const wrong = wrongIn(message);
    if (wrong === undefined) return true;
    leftOut(wrong.message);
    if ("id" in message && isId(message.id))
      output.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, error: wrong })}\n`);
    return false;
  };
  const messages = new MessageInput({ framing: "line", limit: LIMITS.assistantBytes, output, takes, leftOut });
  Object.assign(server, { onerror: (error: Error) => messages.errored ?? leftOut(messageOf(error)), onclose: end });
  for (const event of ["close", "error"] as const) input.once(event, () => end());
  messages
    .once("end", () => end())
    .once("error", (error) => {
      say(`the session with the client ends: ${messageOf(error)}`);
      end();
    });
  output.once("error", () => end()).setMaxListeners(0); // each answer waits until the one before it is read
  stopping.addEventListener("abort", () => end(), { once: true });
  await server.connect(new StdioServerTransport(input.pipe(messages), output));
  await ended;
  await calls.ended();
  await server.close();
  input.destroy();
  return stopping.aborted ? EXIT.interrupted : EXIT.passed;
}

function offered({ writesIn }: Desk): readonly (readonly [ToolName, ToolWords])[] {
  const all = Object.entries(TOOL_WORDS) as [ToolName, ToolWords][];
  return all.filter(([, { writes }]) => !writes || writesIn !== undefined);
}

function listed(desk: Desk) {
  return offered(desk).map(([name, { description, input, writes }]) => ({
    name,
    description,
    inputSchema: input as { type: "object" },
    annotations: { readOnlyHint: !writes, destructiveHint: writes, idempotentHint: true, openWorldHint: true },
  }));
}

/** The calls of one client. */
class Calls {
  readonly #shell: Shell;
  readonly #desk: Desk;
  readonly #schemas = new SchemaSet();
  readonly #underWay = new Set<Promise<unknown>>();
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(shell: Shell, desk: Desk) {
    this.#shell = shell;
    this.#desk = desk;
  }

  /** Resolves when no call is under way. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Answers a call. A call that the client cancels before its turn is not made. */
  async answer(name: string, given: object, cancelled: AbortSignal): Promise<CallToolResult> {
    const [tool, words] = offered(this.#desk).find(([known]) => known === name) ?? [];
    if (tool === undefined || words === undefined) throw new McpError(ErrorCode.InvalidParams, whyNot(name));
    const problems = this.#schemas.plainValidator(words.input)(given);
    if (problems.length > 0)
      return said(problems.map(({ path, message }) => `${path.join(".") || "the call"} ${message}`).join("\n"), true);
    if (this.#underWay.size >= LIMITS.assistantCalls) return said("too many calls are under way: wait for one of them", true);
    // A process holds the runs that it makes, so it makes only one at a time.
    const call = words.writes
      ? this.#lastWrite.then(() =>
          cancelled.aborted ? said("cancelled before it began; nothing was sent", true) : this.#call(tool, given),
        )
      : this.#call(tool, given);
    if (words.writes) this.#lastWrite = call;
    this.#underWay.add(call);
    return call.finally(() => this.#underWay.delete(call));
  }

  async #call(tool: ToolName, given: object): Promise<CallToolResult> {
    const [words, notes] = [new KeptText(COLUMNS), new KeptText(COLUMNS)];
    const shell = { ...this.#shell, stdout: new Door(words), stderr: new Door(notes) };
    let isError = true;
    try {
      isError = (await TOOLS[tool](shell, this.#desk, given as never)) !== EXIT.passed;
    } catch (error) {
      if (!(error instanceof Failure)) this.#shell.stderr.write(`tokenbook: a bug in tokenbook: ${messageOf(error)}\n`);
      shell.stderr.write(error instanceof Failure ? formatFailure(error) : "a bug in tokenbook; nothing more was sent\n");
    }
    return said([words.text, notes.text].filter((text) => text !== "").join("\n"), isError);
  }
}

interface RequestSchema {
  readonly safeParse: (request: unknown) => {
    readonly error?:
      | { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] }
      | undefined;
  };
}

const REQUESTS: ReadonlyMap<unknown, RequestSchema> = new Map<unknown, RequestSchema>([
  ["initialize", InitializeRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** Returns the error for a message that the protocol does not allow; otherwise nothing. */
function wrongIn(message: object): { readonly code: number; readonly message: string } | undefined {
  if (!JSONRPCMessageSchema.safeParse(message).success) return NO_MESSAGE;
  const request = "method" in message && "id" in message ? REQUESTS.get(message.method) : undefined;
  const [problem] = request?.safeParse(message).error?.issues ?? [];
  return problem && { code: ErrorCode.InvalidParams, message: `${problem.path.join(".")}: ${problem.message}` };
}

const NO_MESSAGE = {
  code: ErrorCode.InvalidRequest,
  message:
    'a message is one JSON object of JSON-RPC: "jsonrpc" is "2.0", "id" a text or a whole number, "method" a text, and "params" an object',
};

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}

function whyNot(name: string): string {
  return Object.hasOwn(TOOL_WORDS, name)
    ? `${name} is not offered: this server is read-only; a person can start it with --allow-writes ENV`
    : "there is no such tool";
}

function said(text: string, isError: boolean): CallToolResult {
  const rest = text.length - LIMITS.assistantChars;
  const shown = rest <= 0 ? text : `${cut(text, LIMITS.assistantChars)}\n… ${rest} more characters`;
  return { content: [{ type: "text", text: shown }], isError };
}
