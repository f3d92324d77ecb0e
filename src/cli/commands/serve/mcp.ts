import { Failure } from "../../../base/failure.ts";
import { outlineEnvironments } from "../../../environment/load.ts";
import { KeptPlans } from "../../mcp/plans.ts";
import { serveAssistant } from "../../mcp/server.ts";
import { inProjectHere, type ProjectShell } from "../../project/chosen-project.ts";
import { type Dotenv, stateDirectory } from "../../project/state-place.ts";
import { EMBEDDED_NAME } from "../../project/open-target.ts";
import type { Command } from "../../shell.ts";

interface McpOptions extends Dotenv {
  readonly allowWrites?: string;
  readonly state?: string;
}

/** `tokenbook mcp`: serves an assistant over stdio. The assistant may write nowhere, or in one environment. */
export const mcp: Command<McpOptions> = (plainShell, { allowWrites, ...where }) => {
  const here = inProjectHere(plainShell);
  const { environmentFile } = here.project;
  const shell = { ...here, caller: { environmentFile } };
  if (allowWrites !== undefined) assertEnvironment(shell, allowWrites);
  let plans: KeptPlans | undefined;
  return serveAssistant(shell, {
    where,
    writesIn: allowWrites,
    plans: () => (plans ??= new KeptPlans(stateDirectory(shell, where))),
  });
};

function assertEnvironment({ cwd, project: { environmentFile: file } }: ProjectShell, name: string): void {
  const names = file === undefined ? [EMBEDDED_NAME] : outlineEnvironments(file, cwd).map((each) => each.name);
  if (names.includes(name)) return;
  throw new Failure({
    code: "environment.unknown",
    message: `there is no environment "${name}" here`,
    why: `the environments here: ${names.join(", ")}`,
    next: "name the one of these in which an assistant may write",
  });
}
