import { LIMITS } from "../../base/limits.ts";
import type { SideRead } from "../../playbook/model.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { bindCall } from "../bind.ts";
import type { Looking } from "../looking.ts";
import type { Place } from "../plan.ts";
import { read, type ReadResult } from "../read.ts";

/** Makes the read that stands beside a step, with the names of the step's place. */
export async function sideRead(
  context: Looking,
  place: Place,
  use: SideRead,
): Promise<ReadResult | { readonly problem: StepProblem }> {
  const bound = bindCall(context, place, use);
  return "problem" in bound ? bound : read(context, { operation: use.operation, pages: LIMITS.pages, ...bound });
}
