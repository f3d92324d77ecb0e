import type { WriteStep } from "../../playbook/model.ts";
import type { AttemptState } from "../../protocol/attempt-state.ts";
import type { Caller } from "../service/caller.ts";
import type { Place } from "../run/plan-steps.ts";

/** A write that was sent: its place in the run, its state, and its caller. */
export interface Attempted {
  /** The step, and where it is in the run. */
  readonly place: Place;
  /** The step that sends the write. */
  readonly step: WriteStep;
  /** The attempt, from its records. */
  readonly state: AttemptState;
  /** On whose behalf the call is made. */
  readonly caller: Caller;
}
