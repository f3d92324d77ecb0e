import { pauseAfter } from "../../base/time/backoff.ts";
import { present } from "../../base/present.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Turn } from "../../protocol/decide.ts";
import { stepIn } from "../../protocol/state.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";

const INTERRUPTED: StepProblem = {
  code: "block.interrupted",
  message: "the run was interrupted in this block, and its `always` has run",
  why: "a run cannot continue a block that is cleaned up",
  next: "begin a new run",
};

/** Continues a block with its `rescue`, with its `always`, or again from its first step. */
export async function turn(context: ReadingContext, { address, step }: Place, to: Turn): Promise<void> {
  const problem = "failed" in to ? (stepIn(context.state, to.failed).stopped?.problem ?? INTERRUPTED) : undefined;
  if (to.to === "again") {
    const retry = step.kind === "block" ? step.retry : undefined;
    if (retry !== undefined) await context.pause(pauseAfter(retry, stepIn(context.state, address).repeats + 1), address);
    if (context.stopping) return;
  }
  context.note({ kind: "block.turned", step: address, ...to, ...present({ problem }) });
}
