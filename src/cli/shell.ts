import { userInfo } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Hint } from "../base/command-line.ts";
import type { ExitCode } from "../base/exit.ts";
import type { Hold } from "../engine/run/hold.ts";
import type { RunEvent } from "../protocol/record.ts";
import type { CommandEnd } from "../schedule/notify/deliver.ts";
import type { Variables } from "../base/variables.ts";

/**
 * What a text is to its reader: `words` for people, `coloured` the same with its marks in colours, `json` for programs. Nothing in these is
 * obeyed by a terminal or a log. Only what is our own, or what somebody pipes on as it is, is `exact`.
 */
export type TextKind = "words" | "coloured" | "json" | "exact";

/** A stream as the commands see it. */
export interface Terminal {
  /** Whether a person looks at it, rather than a pipe or a file. */
  readonly isTTY: boolean;
  /** Width in characters; 80 when it is no terminal. */
  readonly columns: number;
  /** Height in lines; 24 when it is no terminal. */
  readonly rows: number;
  /** Writes a text as one of its kind; without a kind, as words. */
  write(text: string, kind?: TextKind): void;
}

/** How to run this program once more. */
export interface Relaunch {
  /** The arguments, without the program itself. */
  readonly args: readonly string[];
  /** All that is piped in. */
  readonly input: string;
  /** The environment variables that it is given. */
  readonly variables: Variables;
  /** Aborted to kill it. */
  readonly kill: AbortSignal;
}

/** Somebody who looks on while runs are made, such as a debugger. */
export interface Onlooker {
  /** Left out where no run is ever held. */
  readonly hold?: Hold;
  /** Called with each event of the runs. */
  readonly event: (event: RunEvent) => void;
}

/** An assistant, which acts for a person in one project. What it names is read as if a playbook had named it. See decision 200. */
export interface Assistant {
  /** The `tokenbook.yaml` of the project, as it was when its server started; `undefined` when there was none. */
  readonly environmentFile: string | undefined;
}

/** All that a command may touch of the process it runs in. stdout is for data, stderr for everything else. */
export interface Shell {
  /** Who calls the command, and gives inputs: a person may name any file. */
  readonly caller: "person" | Assistant;
  /** For data. */
  readonly stdout: Terminal;
  /** For everything else. */
  readonly stderr: Terminal;
  /** Completes the commands in a text for people; data does not pass it. */
  readonly hint: Hint;
  /** From now on, commands that are printed name this state directory, unless the command line names one. */
  readonly hintState: (state: string) => void;
  /** Receives the path of each file that the command reads of a project, before it is read; left out where nobody watches. */
  readonly onRead?: (path: string) => void;
  /** Whether an embedded sandbox alone may be opened, as nobody has named the environment of the command. */
  readonly embeddedOnly?: boolean | undefined;
  /** Holds the runs of the command, and receives their events; left out where nobody looks on. */
  readonly onlooker?: Onlooker;
  /** All that is piped in. */
  readonly stdin: () => Promise<Uint8Array>;
  /** Both ends as they are, for a command that is spoken with. */
  readonly streams: () => { readonly input: Readable; readonly output: Writable };
  /** The absolute path of the working directory. */
  readonly cwd: string;
  /** The environment variables of the process. */
  readonly variables: Variables;
  /** The version of Node, such as `24.21.0`. */
  readonly node: string;
  /** Runs this program once more, as a child; aborted by the signal, it is killed. */
  readonly relaunch: (relaunch: Relaunch) => Promise<CommandEnd>;
  /** Runs another program, as a child, with these variables and no others; aborted by the signal, it is killed. */
  readonly command: (
    argv: readonly [string, ...string[]],
    given: Pick<Relaunch, "input" | "variables" | "kill">,
  ) => Promise<CommandEnd>;
  /** Sends a signal to this very process. */
  readonly signal: (name: "SIGKILL" | "SIGSTOP") => void;
  /**
   * Aborted by the first SIGINT or SIGTERM from now on. Whoever never asks is ended by them at once, even while it computes, for the system
   * does that. The second signal ends the process at once, with these last words if they are given.
   */
  readonly stopping: (lastWords?: () => string) => AbortSignal;
}

/** A command: what it does with a shell, and the code it ends with. */
export type Command<Options> = (shell: Shell, options: Options) => Promise<ExitCode>;

/** Resolves when the command is to stop. */
export function untilStopped(stopping: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (stopping.aborted) return done();
    stopping.addEventListener("abort", () => done(), { once: true });
  });
}

/** The name of whoever calls the command, as the system has it. */
export function userOf({ variables }: Pick<Shell, "variables">): string {
  return variables["USER"] || variables["LOGNAME"] || accountName();
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown"; // in a container the number may have no name
  }
}
