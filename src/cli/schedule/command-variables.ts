import { resolve } from "node:path";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { resolveFrom } from "../../playbook/playbook-files.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { readText } from "../project/project.ts";
import type { Variables } from "../../base/variables.ts";

const NAMED = /\benv:([A-Za-z_]\w*)/g;
const INCLUDED = /\buses:\s*["']?([^\s"'#,}]+\.ya?ml)\b/g;

/**
 * Returns the variables of this process for a command of the user, without the secrets that tokenbook.yaml, the playbooks or their includes name. It only
 * searches the texts, so that secrets in a broken file are removed too.
 */
export function variablesForCommands(shell: ProjectShell, playbooks: readonly string[]): Variables {
  const { environmentFile } = shell.project;
  const files = new Set([...(environmentFile === undefined ? [] : [environmentFile]), ...playbooks]);
  const named = new Set<string>();
  for (const file of files) {
    const text = textOf(shell, file);
    for (const [, name = ""] of text.matchAll(NAMED)) named.add(name);
    for (const [, path = ""] of text.matchAll(INCLUDED)) if (files.size < LIMITS.files) files.add(resolveFrom(file, path));
  }
  return Object.fromEntries(Object.entries(shell.variables).filter(([name]) => !named.has(name)));
}

// A file that cannot be read names no secrets, and nothing in it is run.
function textOf({ cwd }: ProjectShell, file: string): string {
  try {
    return readText(resolve(cwd, file), file);
  } catch (error) {
    if (error instanceof Failure) return "";
    throw error;
  }
}
