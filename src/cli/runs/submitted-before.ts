import type { Failure } from "../../base/failure.ts";
import { writeJson } from "../../base/json/json.ts";
import type { ReadyPlaybook } from "../../planner/given.ts";
import { hasWrites } from "../../playbook/playbook-walk.ts";
import type { StatePlace } from "../../sql/place.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { pathInProject } from "../project/state-place.ts";

/** Returns why a run without a key must not begin, if a submitted run would make the same writes; `undefined` if it may begin. */
export async function submittedBefore(
  shell: ProjectShell,
  { state, environment }: { readonly state: StatePlace; readonly environment: string },
  { playbook, inputs }: Pick<ReadyPlaybook, "playbook" | "inputs">,
): Promise<Failure | undefined> {
  // Submitted runs are in a database, which the machines share.
  if (typeof state === "string" || !hasWrites(playbook.steps)) return undefined;
  const { refusalBySubmitted } = await import("../fleet/submitted.ts");
  return refusalBySubmitted(state, { playbook: pathInProject(shell, playbook), environment, inputs: writeJson(inputs) });
}
