import { LIMITS } from "../../base/limits.ts";
import type { SideRead } from "../../playbook/model.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { bindCall } from "../service/bind-call.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";
import { read, type ReadResult } from "../read/read.ts";

/** Makes an additional read of a step, such as the read of its `ensure`, with the names that the step sees. */
export async function sideRead(
  context: ReadingContext,
  place: Place,
  use: SideRead,
): Promise<ReadResult | { readonly problem: StepProblem }> {
  const bound = bindCall(context, place, use);
  return "problem" in bound
    ? bound
    : read(context, { operation: use.operation, pages: LIMITS.pages, step: place.address, ...bound });
}
