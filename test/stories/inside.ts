// Runs the built command in the process of the test. To start Node and to load the command for each of 900 commands took two thirds of the suite.
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { ExitCode } from "../../src/base/exit.ts";
import { runChild } from "../../src/cli/child.ts";
import { Door } from "../../src/cli/print/door.ts";
import { PLAIN_HINT } from "../../src/base/command-line.ts";
import { KeptText } from "../../src/cli/print/kept-text.ts";
import type { Shell } from "../../src/cli/shell.ts";

/** What a command is given, and where it is built. */
export interface Inside {
  /** The repository's root. */
  readonly root: string;
  /** How a command starts one more process of the program. */
  readonly again: readonly [string, ...string[]];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** How a command ended that could not be killed, and what it printed. */
export interface EndedInside {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

// A process reads these itself, or dies of them: no command beside it can have others.
const OF_A_PROCESS =
  /^(?:TMPDIR|TMP|TEMP|HOME|PATH|TZ|LANG|LC_\w+|XDG_\w+|NODE_\w+|SSL_\w+|DEBUG|\w+_PROXY|TOKENBOOK_FAILPOINT)$/i;
const NOT_STOPPING = new AbortController().signal;

let isBusy = false;

/**
 * Whether a command can be run here: leases and claims are held by processes, so that two commands at once need two of them; and so does
 * a command whose variables a process reads itself.
 */
export function canRunInside(variables: Inside["variables"]): boolean {
  return !isBusy && process.env["TOKENBOOK_BIN"] === undefined && !Object.keys(variables).some((name) => OF_A_PROCESS.test(name));
}

// Whatever a shell would read otherwise needs one.
const PLAIN = /^tokenbook(?: [\w./=,:-]+)*$/;

/** The words after `tokenbook` of a line that means the same without a shell, whose comment is left out; `undefined` where it needs one. */
export function plainWords(line: string): readonly string[] | undefined {
  const words = line.replace(/ +#.*$/, "");
  return PLAIN.test(words) ? words.split(" ").slice(1) : undefined;
}

/** Runs a command to its end, without a terminal and without anything piped in. */
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
  return {
    caller: "person",
    stdout: new Door(stdout),
    stderr: new Door(stderr),
    hint: PLAIN_HINT,
    hintState: () => undefined,
    stdin: () => Promise.resolve(new Uint8Array()),
    streams: () => ({ input: Readable.from([]), output: streamOf(stdout) }),
    cwd,
    variables: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...variables },
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
