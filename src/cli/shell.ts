import type { Readable, Writable } from "node:stream";
import type { Variables } from "../environment/load.ts";
import type { ExitCode } from "../base/exit.ts";

/** A stream as the commands see it. */
export interface Terminal {
  readonly isTTY: boolean;
  /** Width in characters; 80 when it is no terminal. */
  readonly columns: number;
  /** Height in lines; 24 when it is no terminal. */
  readonly rows: number;
  write(text: string): void;
}

/** All that a command may touch of the process it runs in. stdout is for data, stderr for everything else. */
export interface Shell {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** All that is piped in. */
  readonly stdin: () => Promise<Uint8Array>;
  /** Both ends as they are, for a command that is spoken with. */
  readonly streams: () => { readonly input: Readable; readonly output: Writable };
  readonly cwd: string;
  readonly variables: Variables;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly stopping: AbortSignal;
}

/** A command: what it does with a shell, and the code it ends with. */
export type Command<Options> = (shell: Shell, options: Options) => Promise<ExitCode>;

/** The name of whoever calls the command, as the system has it. */
export function userOf({ variables }: Pick<Shell, "variables">): string {
  return variables["USER"] ?? variables["LOGNAME"] ?? "unknown";
}
