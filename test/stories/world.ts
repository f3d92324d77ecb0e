// Shared by the stories: a project folder, the built command, and a sandbox that shows what really happened.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve as resolvePath } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { RunReport, StepReport } from "../../src/report/shape.ts";
import { DEFAULT_SEED } from "../../src/sandbox/seed/default.ts";
import type { Profile } from "../../src/contract/profile.ts";
import { readFaults, readSeed, type Sandbox, type Seed, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Diagnostic } from "../../src/source/diagnostic.ts";
import { canRunInside, runInside } from "./inside.ts";
import { hasPendingSignal } from "./proc.ts";

/** The repository's root, with a slash at its end. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));
/** The command under test: the built command, or the `bin/tokenbook.js` of an installed package or the binary that TOKENBOOK_BIN names. */
export const COMMAND: string = resolvePath(process.env["TOKENBOOK_BIN"] ?? join(ROOT, "bin/tokenbook.js"));
/** Whether the command is the one of this repository, beside the Node that `npm ci` installs. */
export const isOfClone: boolean = COMMAND === join(ROOT, "bin/tokenbook.js");
/** Whether the command is a standalone program, which contains its own Node. */
export const isBinary: boolean = !COMMAND.endsWith(".js");
/** The words that run the command. */
export const COMMAND_LINE: readonly [string, ...string[]] = isBinary ? [COMMAND] : [process.execPath, COMMAND];
/** The same words for a shell. Paths may contain spaces. */
export const IN_SHELL: string = COMMAND_LINE.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

/** Returns the text of a playbook that comes with the product. */
export function delivered(name: string): string {
  return readFileSync(join(ROOT, "playbooks", name), "utf8");
}

/** How a command ended, and everything that it printed. */
export interface Ended {
  /** The exit code; null if a signal killed the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout, line by line. */
  readonly lines: readonly string[];
  /** For messages: the command line, and its result. */
  readonly transcript: string;
}

/** Returns the command line with which `script` runs a command on a terminal with this number of columns. Paths may contain spaces. */
export function onTerminalOf(columns: number, args: readonly string[]): string {
  const words = args.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  return `stty cols ${columns} rows 30; exec ${IN_SHELL} ${words.join(" ")}`;
}

/** A command in progress. */
export interface Running {
  readonly pid: number;
  /** Resolves when the command has ended. */
  readonly ended: Promise<Ended>;
  /** Returns the first lines of stdout, as soon as there are this many or no more will come. */
  lines(count: number): Promise<readonly string[]>;
  /** Resolves as soon as stdout or stderr contains the text, or no more will come. */
  printed(text: string): Promise<void>;
  /** Resolves when the process has received the signal. */
  signal(name: NodeJS.Signals): Promise<void>;
}

export type Variables = Readonly<Record<string, string>>;

/** For a user with a separate home: uses the compiled code of all other tests, so that the user does not have to compile it again. */
export const COMPILED: Variables = { XDG_CACHE_HOME: join(process.env["HOME"] ?? "", ".cache") };

/** A folder in which a user works. */
export interface Project {
  readonly folder: string;
  readonly variables: Variables;
  /** Writes a file, and creates the folders above it. */
  write(name: string, text: string): void;
  read(name: string): string;
  /** Runs `tokenbook …` to its end: in this process if possible, because the tests of kills and signals start enough processes. */
  run(...args: string[]): Promise<Ended>;
  /** Runs one command after another. */
  runEach(commands: readonly (readonly string[])[]): Promise<readonly Ended[]>;
  /** Starts `tokenbook …` in a separate process. */
  start(...args: string[]): Running;
  /** Runs `tokenbook … --json`, and parses its output. */
  json(...args: string[]): Promise<Ended & { readonly data: Printed }>;
  /** A folder inside this one, in which a user works. */
  within(folder: string): Project;
  /** The same folder for a process with these variables. */
  as(variables: Variables): Project;
  /** Writes a tokenbook.yaml with the environment "here" for a service at this address. */
  serviceAt(url: string): void;
}

/** The output of commands with `--json`: `run` and `runs show` print reports, `runs` prints runs, `check` prints files. */
export interface Printed {
  readonly reports: readonly RunReport[];
  readonly runs: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly playbook: string;
    readonly environment: string;
  }[];
  readonly files: readonly { readonly file: string; readonly ok: boolean; readonly diagnostics: readonly Diagnostic[] }[];
}

/** Creates a new folder, which is removed after the test. */
export function newProject(variables: Variables = KEYS, name = "project"): Project {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  return projectAt(folder, variables);
}

function projectAt(folder: string, variables: Variables): Project {
  const start = (...args: string[]): Running => launch([COMMAND, ...args], { cwd: folder, variables });
  const toItsEnd = async (args: readonly string[]): Promise<Ended> => {
    if (!canRunInside(variables)) return start(...args).ended;
    const ended = await runInside(args, { root: ROOT, again: COMMAND_LINE, cwd: folder, variables });
    return endedAs(commandIn(folder, ["node", COMMAND, ...args]), ended);
  };
  const project: Project = {
    folder,
    variables,
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    read: (file) => readFileSync(join(folder, file), "utf8"),
    start,
    run: async (...args) => withoutTrace(await toItsEnd(args)),
    async runEach(commands) {
      const ended = [];
      for (const args of commands) ended.push(await project.run(...args));
      return ended;
    },
    async json(...args) {
      const ended = withoutTrace(await toItsEnd([...args, "--json"]));
      return { ...ended, data: JSON.parse(ended.stdout) as Printed };
    },
    within: (inner) => projectAt(join(folder, inner), variables),
    as: (others) => projectAt(folder, others),
    serviceAt: (url) => project.write("tokenbook.yaml", environmentAt(url)),
  };
  return project;
}

function withoutTrace(ended: Ended): Ended {
  expect(ended.stdout + ended.stderr, `a stack trace is no message: ${ended.transcript}`).not.toMatch(/^\s+at .+:\d+:\d+/m);
  return ended;
}

/** Creates a folder outside every project, which is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-story-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The keys of a sandbox, under the names that `tokenbook.yaml` uses. */
export const KEYS: Variables = {
  LEDGER_KEY: "sandbox-ledger-key",
  BUYER_KEY: "sandbox-buyer-key",
  SECOND_BUYER_KEY: "sandbox-second-buyer-key",
};

/** The part of a seed that gives a sandbox these keys, and others like them. */
export const KEYS_OF_SANDBOX: Partial<Seed> = {
  ledgerApiKey: "sandbox-ledger-key",
  investors: DEFAULT_SEED.investors.map((investor) => ({
    ...investor,
    apiKey: `sandbox-${investor.name.toLowerCase().replaceAll("_", "-")}`,
  })),
};

/** Declares the environment "here". Its timeout is long enough for a busy machine. */
export function environmentAt(url: string): string {
  return `environments:
  here:
    ledger:
      baseUrl: "${url}"
      appId: app1
      orgId: org1
      apiKey: env:LEDGER_KEY
    investor:
      baseUrl: "${url}"
      credentials:
        BUYER_KEY: env:BUYER_KEY
        SECOND_BUYER_KEY: env:SECOND_BUYER_KEY
    timeout: 2m
    exclusive: true
`;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a process. By default, the process runs the command, or this Node. The process ends with the test at the latest. */
export function launch(argv: readonly string[], how: { cwd: string; variables?: Variables; program?: string }): Running {
  const { PATH = "", HOME = "", XDG_STATE_HOME = "" } = process.env;
  const isCommand = how.program === undefined && argv[0] === COMMAND;
  const [program, ...args] = isCommand ? [...COMMAND_LINE, ...argv.slice(1)] : [how.program ?? process.execPath, ...argv];
  const child: Child = spawn(program, args, {
    cwd: how.cwd,
    env: { PATH, HOME, XDG_STATE_HOME, ...how.variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return watch(child, commandIn(how.cwd, [how.program ?? "node", ...argv]));
}

function commandIn(folder: string, words: readonly string[]): string {
  return `cd '${folder}' && ${words.join(" ")}`;
}

function endedAs(
  command: string,
  { code, signal, stdout, stderr }: Pick<Ended, "code" | "stdout" | "stderr"> & { readonly signal?: string },
): Ended {
  const transcript = `${command}\n→ ${code === null ? signal : `exit ${code}`}\n${stdout}${stderr === "" ? "" : `stderr:\n${stderr}`}`;
  return { code, stdout, stderr, lines: linesOf(stdout), transcript };
}

function watch(child: Child, command: string): Running {
  let [stdout, stderr] = ["", ""];
  const waiting = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const look of waiting) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const look of waiting) look();
  });
  child.once("close", () => {
    for (const look of waiting) look();
  });
  const ended = once(child, "close").then(([code, signal]) =>
    endedAs(command, { code: code as number | null, signal: String(signal), stdout, stderr }),
  );
  const whenTrue = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isSo() && child.exitCode === null && child.signalCode === null) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    pid: child.pid ?? 0,
    ended,
    lines: (count) => whenTrue(() => stdout.split("\n").length > count).then(() => linesOf(stdout)),
    printed: (text) => whenTrue(() => stdout.includes(text) || stderr.includes(text)),
    async signal(name) {
      child.kill(name);
      while (hasPendingSignal(child.pid ?? 0)) await nextTurn();
    },
  };
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 1));
}

/** Waits for an event that a running command causes. Fails if the command ends first. */
export async function reached<T>(running: Running, event: Promise<T>): Promise<T> {
  const early = running.ended.then(({ transcript }) => {
    throw new Error(`it ended before it came so far:\n${transcript}`);
  });
  return Promise.race([event, early]);
}

/** Calls `look` repeatedly until it returns something. */
export async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await nextTurn();
  }
}

/** A write that the service committed. */
export interface Commit {
  readonly operation: string;
  readonly actor: unknown;
  readonly body: unknown;
  readonly transactionId: string;
}

/** A service that shows which writes it really committed. */
export interface Service {
  readonly url: string;
  commits(): Promise<readonly Commit[]>;
  /** Calls the ledger on behalf of an entity, outside of any run, and returns the answer. */
  call(request: string, as: string, body?: unknown): Promise<unknown>;
}

/**
 * Serves a sandbox over TCP, with these faults and this seed, until the test ends. The sandbox is in the test's process, because starting another
 * process takes half a second.
 */
export async function servedSandbox(
  more: { readonly faults?: object; readonly seed?: object; readonly profile?: Profile } = {},
): Promise<Service> {
  const sandbox = await startSandbox({
    path: ":memory:",
    ...(more.profile === undefined ? {} : { profile: more.profile }),
    seed: readSeed({ ...KEYS_OF_SANDBOX, ...more.seed }),
    ...(more.faults === undefined ? {} : { faults: readFaults(more.faults) }),
  });
  onTestFinished(() => sandbox.close());
  return serviceOf(sandbox);
}

/** What `tokenbook sandbox --json` prints once it serves. */
export async function readySandbox(running: Running): Promise<Sandbox> {
  const [ready] = await running.lines(1);
  if (ready === undefined) throw new Error((await running.ended).transcript);
  return JSON.parse(ready) as Sandbox;
}

/** A sandbox in use by the stories. */
export function serviceOf({ ledgerBaseUrl: url, appId, ledgerApiKey }: Sandbox): Service {
  return {
    url,
    commits: () => commitsAt(url, ledgerApiKey),
    async call(request, as, body) {
      const [method = "", path = ""] = request.split(" ");
      const response = await fetch(`${url}/tokenize/${appId}${path}?actAs=${as}`, {
        method,
        headers: { "X-API-KEY": ledgerApiKey, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect(response.ok, text).toBe(true);
      return JSON.parse(text);
    },
  };
}

async function commitsAt(url: string, key: string): Promise<readonly Commit[]> {
  const response = await fetch(`${url}/_sandbox/commits`, { headers: { "x-api-key": key } });
  return ((await response.json()) as { commits: Commit[] }).commits;
}

/** Approves the request that waits for bob. */
export async function approveAsBob(service: Service): Promise<void> {
  const waiting = (await service.call("GET /asset/ownershipTransfer/request/approvals", "userId:bob")) as {
    records: { id: string }[];
  };
  expect(waiting.records).toHaveLength(1);
  await service.call("POST /asset/ownershipTransfer/approve", "userId:bob", { id: waiting.records.map(({ id }) => id) });
}

/** Returns the commits of a project's embedded sandbox, by serving its file again. */
export async function embeddedCommits(project: Project): Promise<readonly Commit[]> {
  const sandbox = await startSandbox({ path: join(project.folder, ".tokenbook/sandbox.db") });
  try {
    return await commitsAt(sandbox.ledgerBaseUrl, sandbox.ledgerApiKey);
  } finally {
    await sandbox.close();
  }
}

/** Returns the operations of commits, in order. */
export function operationsOf(commits: readonly Commit[]): readonly string[] {
  return commits.map(({ operation }) => operation);
}

/** Expects that no two writes have the same operation, body and actor. */
export function expectNoneTwice(commits: readonly Commit[], transcript: string): void {
  const writes = commits.map(({ operation, actor, body }) => JSON.stringify([operation, actor, body]));
  expect(
    writes.filter((write, at) => writes.indexOf(write) !== at),
    transcript,
  ).toEqual([]);
}

/** Returns the row of one step in the first report. */
export function stepIn({ reports }: Pick<Printed, "reports">, address: string): StepReport {
  const row = reports[0]?.steps.find(({ step }) => step === address);
  if (row === undefined) throw new Error(`the report has no step ${address}`);
  return row;
}

/** Returns the id of the run that a command has printed. */
export function runIn({ stdout, transcript }: Pick<Ended, "stdout" | "transcript">): string {
  const id = /run (\d{8}T\d{6}-[a-z0-9]{8})$/m.exec(stdout)?.[1];
  expect(id, transcript).toBeDefined();
  return id ?? "";
}

/** Returns the path of every file below a folder. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Returns a pattern for the line of a step in a run's output, at any depth. */
export function lineOf(outcome: string, step: string, more = ""): RegExp {
  const address = step.replaceAll(/[[\]]/g, String.raw`\$&`);
  return new RegExp(String.raw`^ *${outcome} +${address}  .*${more}`, "m");
}

/** Returns `with` of a token that its creator may mint. */
export function tokenWith(id: string, cap = 100): string {
  return `{ id: "${id}", name: ${JSON.stringify(id)}, symbol: TKN, classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }, behaviour: { decimal: 2, maxMintQuantity: ${cap}, transferable: true, burnable: true } }`;
}

/** A token, a mint of 10.00, and a read of the supply. */
export const MINT_ONCE = `playbook: 1
name: Mint once
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with:
      name: Minted once
      symbol: ONE
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100", transferable: true, burnable: true }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "10.00" }
    wait: { timeout: 2s }
  - id: after
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 10]
outputs:
  token: "\${{ steps.token.id }}"
`;
