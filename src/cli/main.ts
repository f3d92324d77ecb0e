import { buffer } from "node:stream/consumers";
import { command, type Hint, PLAIN_HINT } from "../base/command-line.ts";
import { EXIT, type ExitCode } from "../base/exit.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { isSingleBinary } from "../files/embedded.ts";
import { Door } from "./print/door.ts";
import { formatFailure, formatUnforeseen } from "./print/failure.ts";
import { hinted } from "./print/hint.ts";
import { buildProgram } from "./program/program.ts";
import type { Shell, Terminal } from "./shell.ts";
import { HelpShown } from "./program/usage.ts";
import { isSet } from "../base/variables.ts";

// Only this file uses `process`. Everything below gets what it may use as an argument.

/** Runs the command line of this process and sets its exit code. */
export async function main(): Promise<void> {
  // NO_COLOR wins, as in our own output. In Node, FORCE_COLOR would win.
  if (isSet(process.env["NO_COLOR"])) delete process.env["FORCE_COLOR"];
  const stderr = terminalOf(process.stderr, () => undefined); // nobody is left to read the error
  let hint = PLAIN_HINT;
  const signals = new Signals(stderr, (typed) => hint(typed));
  let lost: ExitCode = EXIT.passed;
  const shell: Shell = {
    caller: "person",
    stdout: terminalOf(process.stdout, (error) => {
      if (lost === EXIT.passed) stderr.write(formatFailure(hinted(unwritten(error), hint)));
      lost = EXIT.cannotStart;
      process.exitCode ||= lost;
    }),
    stderr,
    hint: PLAIN_HINT,
    hintState: () => undefined, // commands have their own
    stdin: () => buffer(process.stdin),
    streams: () => ({ input: process.stdin, output: process.stdout }),
    get cwd() {
      return workingFolder();
    },
    variables: process.env,
    node: process.versions.node,
    relaunch: async (relaunch) => {
      const { runChild } = await import("./child.ts");
      const script = isSingleBinary() ? [] : [...process.execArgv, process.argv[1] ?? ""];
      return runChild([process.execPath, ...script, ...relaunch.args], relaunch, workingFolder());
    },
    command: async (argv, given) => {
      const { runChild } = await import("./child.ts");
      return runChild(argv, given, workingFolder());
    },
    signal: (name) => void process.kill(process.pid, name),
    stopping: (lastWords) => signals.stopping(lastWords),
  };
  const code = await runCommand(shell, process.argv.slice(2), (begun) => {
    hint = begun;
  });
  process.exitCode = (code === EXIT.interrupted ? (signals.first ?? code) : code) || lost;
  endSoon(stderr);
}

// A timer or a connection that a command left open would keep its process alive for ever. See decision 182.
function endSoon(stderr: Terminal): void {
  const look = (): void => {
    const unread = process.stdout.writableLength + process.stderr.writableLength;
    if (unread > 0) return endSoon(stderr);
    const open = [...new Set(process.getActiveResourcesInfo())].join(", ");
    stderr.write(`tokenbook: ended, although this did not close within ${LIMITS.lingerMs / 1_000} s: ${open}\n`);
    process.exit();
  };
  setTimeout(look, LIMITS.lingerMs).unref();
}

/** Handles the signals with which people stop a command, once the command asks for them. Until then, the system ends the process. */
class Signals {
  readonly #stopping = new AbortController();
  readonly #stderr: Terminal;
  readonly #hint: Hint;
  #lastWords = (): string => `to continue a run that was under way: ${this.#hint(command`resume`)}`;
  #isHeard = false;
  #first: ExitCode | undefined;

  constructor(stderr: Terminal, hint: Hint) {
    this.#stderr = stderr;
    this.#hint = hint;
  }

  /** The exit code of the first signal. */
  get first(): ExitCode | undefined {
    return this.#first;
  }

  stopping(lastWords: () => string = this.#lastWords): AbortSignal {
    this.#lastWords = lastWords;
    if (!this.#isHeard) {
      this.#isHeard = true;
      process.on("SIGINT", () => this.#take(EXIT.interrupted));
      process.on("SIGTERM", () => this.#take(EXIT.terminated));
    }
    return this.#stopping.signal;
  }

  #take(code: ExitCode): void {
    if (this.#first !== undefined) endAtOnce(this.#stderr, code, this.#lastWords());
    this.#first = code;
    this.#stopping.abort();
  }
}

// The second signal does not wait. We show the cursor again, whatever was drawn. The journal holds everything that was sent.
function endAtOnce(stderr: Terminal, code: ExitCode, lastWords: string): never {
  for (const stream of [process.stdout, process.stderr]) if (stream.isTTY) stream.write("\u001b[?25h");
  stderr.write(`\ntokenbook: ended at once; ${lastWords}\n`);
  process.exit(code);
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Failure({
      code: "file.missing",
      message: "the folder that you are in is gone",
      cause: error,
      next: "cd to another one",
    });
  }
}

// A reader that closes the pipe early (`| head`) ends the output, not the run. A full disk does the same, but then the command does not succeed.
function terminalOf(stream: NodeJS.WriteStream, onLost: (error: Error) => void): Terminal {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") onLost(error);
  });
  return new Door({
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns ?? 80;
    },
    get rows() {
      return stream.rows ?? 24;
    },
    write: (text) => void stream.write(text),
  });
}

function unwritten(error: Error): Failure {
  return new Failure({
    code: "output.cannot-write",
    message: `stdout cannot be written, so the output is not complete: ${messageOf(error)}`,
    next: ["make room where it goes; what runs did is remembered:", command`runs`],
  });
}

/**
 * Parses and runs one command in a shell. Each way to end has its exit code. `begin` receives the function that completes the commands that the command prints.
 */
export async function runCommand(
  shell: Shell,
  argv: readonly string[],
  begin: (hint: Hint) => void = () => undefined,
): Promise<ExitCode> {
  try {
    let code: ExitCode = EXIT.passed;
    const finish = (done: ExitCode): void => {
      code = done;
    };
    const program = buildProgram(shell, { begin, finish });
    await program.parseAsync(withDebugAlone(argv), { from: "user" });
    return code;
  } catch (error) {
    return report(shell, error);
  }
}

// `--debug` alone means stderr. Commander would take the next word for the file.
function withDebugAlone(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => (word === "--debug" && (end < 0 || at < end) ? "--debug=" : word));
}

function report(shell: Shell, error: unknown): ExitCode {
  if (error instanceof HelpShown) return error.exit;
  if (error instanceof Failure) {
    shell.stderr.write(formatFailure(error));
    return error.exit;
  }
  shell.stderr.write(formatUnforeseen(error));
  return EXIT.bug;
}
