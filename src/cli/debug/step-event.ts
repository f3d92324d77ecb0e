import { sanitise } from "../../base/text/text.ts";
import { stepOf } from "../../protocol/address.ts";
import type { RunEvent, StepOutcome } from "../../protocol/record.ts";
import { problemLines } from "../../report/problem.ts";

/** An event for a test explorer: a step has started or ended. */
export interface StepEvent {
  /** Whether the step has started or ended. */
  readonly state: "started" | "ended";
  /** The step's address, including its rounds. */
  readonly address: string;
  /** The step's address as written, without rounds. */
  readonly step: string;
  /** How the step ended. Left out when it starts. */
  readonly outcome?: StepOutcome;
  /** Why it stopped. */
  readonly message?: string;
}

/** Returns the event for a test explorer, or nothing if a run's event is not about the start or end of a step. */
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
