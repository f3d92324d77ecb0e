import { sanitise } from "../../base/text/text.ts";
import { stepOf } from "../../protocol/address.ts";
import type { RunEvent, StepOutcome } from "../../protocol/record.ts";
import { problemLines } from "../../report/problem.ts";

/** What a test explorer is notified of: a step has begun or ended. */
export interface StepEvent {
  /** Whether the step has begun or ended. */
  readonly state: "started" | "ended";
  /** The step's address, with the rounds that it is in. */
  readonly address: string;
  /** The step as written: without rounds. */
  readonly step: string;
  /** How the step ended; left out when it has begun. */
  readonly outcome?: StepOutcome;
  /** Why it stopped. */
  readonly message?: string;
}

/** Returns what an event of a run says about a step; nothing where it says nothing about its begin or end. */
export function stepEvent(event: RunEvent): StepEvent | undefined {
  switch (event.kind) {
    case "step.started":
    case "step.begun":
      return { state: "started", ...placeOf(event.step) };
    case "step.completed":
      return { state: "ended", ...placeOf(event.step), outcome: event.outcome };
    case "step.stopped": {
      const message = problemLines(event.problem).map(sanitise).join("\n");
      return { state: "ended", ...placeOf(event.step), outcome: event.outcome, message };
    }
    default:
      return undefined;
  }
}

function placeOf(address: string): Pick<StepEvent, "address" | "step"> {
  return { address: sanitise(address), step: sanitise(stepOf(address)) };
}
