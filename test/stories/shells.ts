// Shells in which the stories ask for completions of tokenbook's commands.
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { newProject, type Project, IN_SHELL } from "./world.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** Returns the file that holds what a shell reads. */
export function scriptOf(project: Project, shell: string): string {
  return join(project.folder, `../${shell}.script`);
}

/** Returns what a program prints in the folder of a project, in which there is a command called tokenbook. */
export function inShellOf(project: Project, [program = "", ...args]: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(program, args, { cwd: project.folder, env: variablesIn(project), input: "", encoding: "utf8" });
}

function variablesIn(project: Project): NodeJS.ProcessEnv {
  const path = `${join(project.folder, "../bin")}:${process.env["PATH"]}`;
  return { PATH: path, HOME: join(project.folder, ".."), TERM: "dumb", ...project.variables };
}

/** Types into a shell on a terminal in the folder of a project, once the prompt that the first lines set is there. Returns what the terminal shows. */
export async function typeInto(
  project: Project,
  shell: string,
  { first, prompt, keys }: { readonly first: readonly string[]; readonly prompt: string; readonly keys: string },
): Promise<string> {
  const terminal = spawn("script", ["-qfec", shell, "/dev/null"], { cwd: project.folder, env: variablesIn(project) });
  const ended = once(terminal, "close");
  let shown = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  terminal.stdin.write(first.map((line) => `${line}\n`).join(""));
  // Before, the terminal itself would obey the keys, and the shell would never see the line.
  await expect.poll(() => shown).toContain(prompt);
  terminal.stdin.end(keys);
  await ended;
  return shown;
}

/** A project whose shells find a command called tokenbook. */
export async function shellProject(): Promise<Project> {
  const project = newProject({});
  project.write("../bin/tokenbook", `#!/bin/sh\nexec ${IN_SHELL} "$@"\n`);
  chmodSync(join(project.folder, "../bin/tokenbook"), 0o755);
  for (const name of SHELLS) project.write(`../${name}.script`, (await project.run("completion", name)).stdout);
  return project;
}

/** Returns whether a shell is installed. */
export function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}
