import type { WriteStep } from "../../playbook/model.ts";
import type { AttemptState } from "../../protocol/state.ts";
import type { Caller } from "../service/caller.ts";
import type { Place } from "../run/plan-steps.ts";

/** A write that was sent: its place in the run, its state, and its caller. */
export interface Attempted {
  readonly place: Place;
  readonly step: WriteStep;
  readonly state: AttemptState;
  readonly caller: Caller;
}
