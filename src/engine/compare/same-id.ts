import { posix, resolve } from "node:path";
import { LIMITS } from "../../base/limits.ts";
import { readRegular } from "../../files/regular.ts";
import { nameInProject } from "../../protocol/identity.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { child, textOf } from "../../source/node.ts";
import { parseYaml } from "../../source/parse.ts";
import type { RunContext } from "../run/run-context.ts";

/** Returns the problem of a comparison that would share the drifts of another file: `other`, which still exists and has the same id (decision 195). */
export function sameIdProblem({ opened, playbook, ports }: RunContext, other: string | undefined): StepProblem | undefined {
  const own = nameInProject(opened);
  if (playbook.id === undefined || other === undefined || other === own) return undefined;
  const path = resolve(ports.cwd, posix.relative(opened.folder ?? ".", "."), other);
  if (!isStillNamed(playbook.id, { path, name: other })) return undefined;
  return {
    code: "reconcile.same-id",
    message: `${own} and ${other} both have the id ${playbook.id}`,
    why: "drifts are remembered by it, so each of them would clear and acknowledge the drifts of the other; nothing was compared",
    next: `write another \`id:\` at the head of one of them, or remove the one that you no longer use`,
  };
}

// A file that cannot be read, or is not YAML, may have the id.
function isStillNamed(id: string, file: { readonly path: string; readonly name: string }): boolean {
  let text: string;
  try {
    text = readRegular(file, LIMITS.sourceBytes).toString("utf8");
  } catch (error) {
    return !(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"));
  }
  const { root } = parseYaml(file.name, text);
  return root === undefined || textOf(child(root, "id")) === id;
}
