// Shells in which the stories ask for completions of tokenbook's commands.
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { newProject, type Project, IN_SHELL } from "./world.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** Returns the file that holds what a shell reads. */
export function scriptOf(project: Project, shell: string): string {
  return join(project.folder, `../${shell}.script`);
}

/** Returns what a program prints in the folder of a project, in which there is a command called tokenbook. */
export function inShellOf(project: Project, [program = "", ...args]: readonly string[], input = ""): SpawnSyncReturns<string> {
  const path = `${join(project.folder, "../bin")}:${process.env["PATH"]}`;
  const env = { PATH: path, HOME: join(project.folder, ".."), TERM: "dumb", ...project.variables };
  return spawnSync(program, args, { cwd: project.folder, env, input, encoding: "utf8" });
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
