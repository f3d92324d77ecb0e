import { resolve } from "node:path";
import type { Exchanges } from "./exchanges.ts";
import type { Shell } from "../shell.ts";
import { isOn } from "../../base/variables.ts";

/** The option that says where exchanges are shown: on stderr if it is empty, otherwise in the file of this name. */
export interface DebugOption {
  /** The name of the file; empty for stderr. Left out if the option was not given. */
  readonly debug?: string;
}

const VARIABLE = "TOKENBOOK_DEBUG";

/** Returns whether exchanges are shown on stderr. */
export function debugsOnStderr({ variables }: Pick<Shell, "variables">, { debug }: DebugOption): boolean {
  return debug === undefined ? isOn(variables[VARIABLE]) : debug === "";
}

/** Returns the printer of exchanges if the options or the process's variables request one. Throws a Failure if its file cannot be written. */
export async function openExchanges(shell: Shell, options: DebugOption): Promise<Exchanges | undefined> {
  const { debug: file } = options;
  if (debugsOnStderr(shell, options)) return new (await import("./exchanges.ts")).Exchanges(shell.stderr);
  if (file === undefined) return undefined;
  return (await import("./exchanges.ts")).Exchanges.inFile(resolve(shell.cwd, file), file);
}
