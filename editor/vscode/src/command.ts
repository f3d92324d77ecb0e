// Which command the extension starts. Nothing here needs an editor.
import { existsSync } from "node:fs";
import { join } from "node:path";

/** A program and its first arguments. */
export interface CommandWords {
  readonly program: string;
  readonly args: readonly string[];
}

/** Returns the command for a folder: the one that the settings name, that of the folder's packages, or the one on the PATH. */
export function commandFor(folder: string | undefined, named: readonly string[], platform: NodeJS.Platform): CommandWords {
  const [program, ...args] = named;
  if (program !== undefined && program !== "") return { program, args };
  const own = folder === undefined ? undefined : join(folder, "node_modules", "tokenbook", "bin", "tokenbook.js");
  // On Windows, what npm puts into .bin is a script for a shell.
  if (own !== undefined && existsSync(own))
    return platform === "win32"
      ? { program: "node", args: [own] }
      : { program: join(folder ?? "", "node_modules", ".bin", "tokenbook"), args: [] };
  return { program: "tokenbook", args: [] };
}

/** What runs, tests and plans use when they name nothing else. */
export interface RunSettings {
  readonly environment: string;
  readonly inputsFile: string;
}

/** Returns the arguments of a command about a playbook. */
export function argumentsFor(
  command: "check" | "plan",
  file: string,
  { environment, inputsFile }: RunSettings,
): readonly string[] {
  if (command === "check") return ["check", file];
  const env = environment === "" ? [] : ["--env", environment];
  const inputs = inputsFile === "" ? [] : ["--inputs", inputsFile];
  return ["plan", file, ...env, ...inputs];
}
