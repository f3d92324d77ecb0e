import type { JsonObject } from "../../base/json/json.ts";
import type { Target } from "../../environment/target.ts";
import type { Scope } from "../../expression/expression.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { RunState } from "../../protocol/state.ts";
import type { Place } from "./plan-steps.ts";

/** A run for an observer that cannot change it. */
export interface VisibleRun {
  /** The playbook that is run. */
  readonly playbook: Playbook;
  /** The environment in which the run acts. */
  readonly target: Target;
  /** The state of the run, from its records. */
  readonly state: Readonly<RunState>;
  /** The secrets of the playbook and of the playbooks that it includes. */
  readonly secrets: Secrets;
  /** Returns the values of the names in an expression at a place. */
  readonly scopeAt: (place: Pick<Place, "frame" | "rounds">) => Scope;
}

/** A moment between two actions of a run: nothing of the step is in progress, and every record so far is durable. */
export interface HeldMoment {
  /** `before`: the step is about to read, send or open. `after`: something was recorded about it. */
  readonly when: "before" | "after";
  /** The step, and where it is in the run. */
  readonly place: Place;
  /** The run, as it is at this moment. */
  readonly run: VisibleRun;
  /** The complete input of a call or an included playbook that is about to begin. */
  readonly input: JsonObject | undefined;
}

/**
 * Holds a run at a moment until the promise resolves, or not at all. It must resolve soon after the signal is aborted, because the run must
 * stop then. See decision 175.
 */
export type Hold = (moment: HeldMoment, stopping: AbortSignal) => Promise<void> | undefined;
