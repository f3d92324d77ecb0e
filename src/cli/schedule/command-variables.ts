import { dirname, resolve } from "node:path";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { readableYamlIn } from "../project/folder-files.ts";
import { readText } from "../project/read-file.ts";
import type { Variables } from "../../base/variables.ts";

const NAMED = /\benv:([A-Za-z_]\w*)/g;
// A path may have spaces, whether it is quoted or not.
const INCLUDED = /\buses["']?[ \t]*:[ \t]*["']?([^"'#,{}\n]{1,1000}\.ya?ml)\b/g;

/**
 * Returns the variables of this process for a command of the user, without the secrets: those that tokenbook.yaml, a playbook of its project, one of these
 * playbooks or a playbook that they include names. A process has the secrets of all its playbooks, whichever one it ran last. It only searches the texts, so
 * that secrets in a broken file are removed too.
 */
export function variablesForCommands(shell: ProjectShell, playbooks: readonly string[]): Variables {
  const { folder, environmentFile } = shell.project;
  const named = [...readableYamlIn(folder), ...playbooks, ...(environmentFile === undefined ? [] : [environmentFile])];
  const files = new Set(named.map((file) => resolve(shell.cwd, file)));
  const most = files.size + LIMITS.files;
  const secrets = new Set<string>();
  for (const file of files) {
    const text = textOf(file);
    for (const [, name = ""] of text.matchAll(NAMED)) secrets.add(name);
    for (const [, path = ""] of text.matchAll(INCLUDED)) if (files.size < most) files.add(resolve(dirname(file), path));
  }
  return Object.fromEntries(Object.entries(shell.variables).filter(([name]) => !secrets.has(name)));
}

// A file that cannot be read names no secrets, and nothing in it is run.
function textOf(file: string): string {
  try {
    return readText(file, file);
  } catch (error) {
    if (error instanceof Failure) return "";
    throw error;
  }
}
