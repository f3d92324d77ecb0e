import { userInfo } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Hint } from "../base/command-line.ts";
import type { ExitCode } from "../base/exit.ts";
import type { Hold } from "../engine/run/hold.ts";
import type { RunEvent } from "../protocol/record.ts";
import type { CommandEnd } from "../schedule/notify/deliver.ts";
import type { Variables } from "../base/variables.ts";

/**
 * How a text is meant: `words` for people, `coloured` for people with color codes, `json` for programs. In these three, control characters are made harmless to
 * terminals and logs. `exact` text is written unchanged: our own output, or output that somebody pipes to another program.
 */
export type TextKind = "words" | "coloured" | "json" | "exact";

/** A stream as the commands see it. */
export interface Terminal {
  /** Whether a person sees it, rather than a pipe or a file. */
  readonly isTTY: boolean;
  /** Width in characters; 80 if it is not a terminal. */
  readonly columns: number;
  /** Height in lines; 24 if it is not a terminal. */
  readonly rows: number;
  /** Writes a text of one kind. The default is `words`. */
  write(text: string, kind?: TextKind): void;
}

/** How to run this program again as a child. */
export interface Relaunch {
  /** The arguments, without the program itself. */
  readonly args: readonly string[];
  /** Everything that is piped into the child. */
  readonly input: string;
  /** The environment variables of the child. */
  readonly variables: Variables;
  /** Aborted to kill it. */
  readonly kill: AbortSignal;
}

/** A program that watches runs, such as a debugger. */
export interface Onlooker {
  /** Left out if no run is ever held. */
  readonly hold?: Hold;
  /** Called with each event of the runs. */
  readonly event: (event: RunEvent) => void;
}

/** An assistant, which acts for a person in one project. Files that it names are read under the same rules as files that a playbook names. See decision 200. */
export interface Assistant {
  /** The `tokenbook.yaml` of the project, as it was when the server of the assistant started; `undefined` if there was none. */
  readonly environmentFile: string | undefined;
}

/** Everything that a command may use of its process. stdout is for data, stderr for everything else. */
export interface Shell {
  /** Who calls the command and gives its inputs. A person may name any file. */
  readonly caller: "person" | Assistant;
  /** For data. */
  readonly stdout: Terminal;
  /** For everything else. */
  readonly stderr: Terminal;
  /** Completes the commands in a text for people. Data is not changed. */
  readonly hint: Hint;
  /** Sets the state directory that printed commands name, unless the command line names one. */
  readonly hintState: (state: string) => void;
  /** Receives the path of each project file before the command reads it. Left out if nobody watches. */
  readonly onRead?: (path: string) => void;
  /** Whether the command may only open an embedded sandbox, because nobody has named its environment. */
  readonly embeddedOnly?: boolean | undefined;
  /** Holds the runs of the command and receives their events. Left out if nobody watches. */
  readonly onlooker?: Onlooker;
  /** Returns everything that is piped in. */
  readonly stdin: () => Promise<Uint8Array>;
  /** Returns both raw streams, for a command that talks a protocol over them. */
  readonly streams: () => { readonly input: Readable; readonly output: Writable };
  /** The absolute path of the working directory. */
  readonly cwd: string;
  /** The environment variables of the process. */
  readonly variables: Variables;
  /** The version of Node, such as `24.21.0`. */
  readonly node: string;
  /** Runs this program again as a child, and kills it when the signal is aborted. */
  readonly relaunch: (relaunch: Relaunch) => Promise<CommandEnd>;
  /** Runs another program as a child, with exactly these variables, and kills it when the signal is aborted. */
  readonly command: (
    argv: readonly [string, ...string[]],
    given: Pick<Relaunch, "input" | "variables" | "kill">,
  ) => Promise<CommandEnd>;
  /** Sends a signal to this process. */
  readonly signal: (name: "SIGKILL" | "SIGSTOP") => void;
  /**
   * Returns a signal that the first SIGINT or SIGTERM from now on aborts. If a command never asks for it, the system ends the process at once, even in the
   * middle of a computation. The second SIGINT or SIGTERM ends the process at once and prints `lastWords`.
   */
  readonly stopping: (lastWords?: () => string) => AbortSignal;
}

/** A command: what it does with a shell. Returns its exit code. */
export type Command<Options> = (shell: Shell, options: Options) => Promise<ExitCode>;

/** Resolves when the command must stop. */
export function untilStopped(stopping: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (stopping.aborted) return done();
    stopping.addEventListener("abort", () => done(), { once: true });
  });
}

/** Returns the name of the user who calls the command, as the system knows it. */
export function userOf({ variables }: Pick<Shell, "variables">): string {
  return variables["USER"] || variables["LOGNAME"] || accountName();
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown"; // in a container, the user id may have no name
  }
}
