import type { Target } from "../../environment/target.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { RunState } from "../../protocol/state.ts";
import type { Traces } from "./earlier-values.ts";
import type { FingerprintContext } from "./step-fingerprint.ts";

/** A run with the playbook's text before and after an edit. */
export interface Edited {
  /** The playbook as it was before the edit. */
  readonly before: Playbook;
  readonly now: Playbook;
  /** The state of the run, from its records. */
  readonly state: RunState;
  /** The environment in which the run acts. */
  readonly target: Target;
  /** The secrets of the playbook and of the playbooks that it includes. */
  readonly secrets: Secrets;
}

/** The steps of both texts at their places in the run, and what is needed to evaluate them. */
export interface EditedTraces {
  /** The steps as they were before the edit. */
  readonly before: Traces;
  /** The steps as they are now. */
  readonly now: Traces;
  /** Evaluates the text before the edit. */
  readonly contextBefore: FingerprintContext;
  /** Evaluates the present text. */
  readonly contextNow: FingerprintContext;
}
