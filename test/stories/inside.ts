// Runs the built command in the process of the test. Starting Node and loading the command for each of 900 commands took two thirds of the suite's
// time.
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { ExitCode } from "../../src/base/exit.ts";
import { runChild } from "../../src/cli/child.ts";
import { Door } from "../../src/cli/print/door.ts";
import { PLAIN_HINT } from "../../src/base/command-line.ts";
import { KeptText } from "../../src/cli/print/kept-text.ts";
import type { Shell } from "../../src/cli/shell.ts";

/** The arguments and variables of a command, and the folder of its build. */
export interface Inside {
  /** The repository's root. */
  readonly root: string;
  /** How a command starts another process of the program. */
  readonly again: readonly [string, ...string[]];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** How a command that could not be killed ended, and what it printed. */
export interface EndedInside {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

// The process itself reads these variables or dies of them, so a command in the same process cannot have different ones.
const OF_A_PROCESS =
  /^(?:TMPDIR|TMP|TEMP|HOME|PATH|TZ|LANG|LC_\w+|XDG_\w+|NODE_\w+|SSL_\w+|DEBUG|\w+_PROXY|TOKENBOOK_FAILPOINT)$/i;
const NOT_STOPPING = new AbortController().signal;

let isBusy = false;

/**
 * Returns whether a command can run in this process. Leases and claims are held by processes, so two commands at once need two processes. A command
 * whose variables Node reads itself needs a separate process too.
 */
export function canRunInside(variables: Inside["variables"]): boolean {
  return !isBusy && process.env["TOKENBOOK_BIN"] === undefined && !Object.keys(variables).some((name) => OF_A_PROCESS.test(name));
}

// A line with any other character that a shell interprets needs a shell.
const PLAIN = /^tokenbook(?: [\w./=,:-]+)*$/;

/**
 * Returns the arguments after `tokenbook` of a line that means the same without a shell, without its comment; `undefined` if the line needs a shell.
 */
export function plainWords(line: string): readonly string[] | undefined {
  const words = line.replace(/ +#.*$/, "");
  return PLAIN.test(words) ? words.split(" ").slice(1) : undefined;
}

/** Runs a command to its end, without a terminal and without piped input. */
export async function runInside(argv: readonly string[], given: Inside): Promise<EndedInside> {
  isBusy = true;
  try {
    const { runCommand } = createRequire(import.meta.url)(
      join(given.root, "dist/cli.cjs"),
    ) as typeof import("../../src/cli/main.ts");
    const [stdout, stderr] = [new KeptText(80), new KeptText(80)];
    const code = await runCommand(shellOf(given, { stdout, stderr }), argv);
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    isBusy = false;
  }
}

function shellOf({ again, cwd, variables }: Inside, { stdout, stderr }: { stdout: KeptText; stderr: KeptText }): Shell {
  const { PATH = "", HOME = "", XDG_STATE_HOME = "" } = process.env;
  return {
    caller: "person",
    stdout: new Door(stdout),
    stderr: new Door(stderr),
    hint: PLAIN_HINT,
    hintState: () => undefined,
    stdin: () => Promise.resolve(new Uint8Array()),
    streams: () => ({ input: Readable.from([]), output: streamOf(stdout) }),
    cwd,
    variables: { PATH, HOME, XDG_STATE_HOME, ...variables },
    node: process.versions.node,
    relaunch: (once) => runChild([...again, ...once.args], once, cwd),
    command: (words, once) => runChild(words, once, cwd),
    signal: () => {
      throw new Error("a command that kills itself needs a process: start it");
    },
    stopping: () => NOT_STOPPING,
  };
}

function streamOf(kept: KeptText): Writable {
  return new Writable({
    write: (chunk: Buffer, _, done) => {
      kept.write(chunk.toString());
      done();
    },
  });
}
