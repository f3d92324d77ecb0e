import { headingOf, type Target } from "../environment/target.ts";
import type { PlanDocument, PlannedRun } from "../report/plan/shape.ts";
import type { PlannerPorts } from "./context.ts";
import type { ReadyPlaybook } from "./given.ts";
import { planRun } from "./plan.ts";

/** Plans some playbooks, each as if it alone were run. Throws a Failure when no plan can be made. */
export async function planAll(playbooks: readonly ReadyPlaybook[], target: Target, ports: PlannerPorts): Promise<PlanDocument> {
  const plans: PlannedRun[] = [];
  for (const each of playbooks) plans.push(await planRun({ ...each, target }, ports));
  return {
    format: 1,
    madeAt: new Date(ports.clock.now()).toISOString(),
    ok: plans.every(({ outcome }) => outcome === "would-pass"),
    target: headingOf(target),
    plans,
  };
}
