import type { Observer } from "../../report/fanout.ts";
import type { RunFold } from "../../report/model.ts";
import type { Clock } from "../../base/ports.ts";
import type { Hint } from "../../base/command-line.ts";
import type { Detail } from "../../report/steps/step-lines.ts";

/** How runs are shown, whatever shows them. */
export interface ViewOutput {
  /** Gives the present time: what was recorded before it belongs to an earlier process. */
  readonly clock: Pick<Clock, "now">;
  /** How much of a run is printed. */
  readonly detail: Detail;
  /** Completes the commands in what is printed. */
  readonly hint?: Hint | undefined;
  /** How many files of the folders are left out. */
  readonly skipped?: number;
}

/** What a person sees while runs are under way. It shows; it decides nothing, and no run depends on it. */
export interface View {
  /** An observer of one more run, whose fold has taken each record before the observer receives it. */
  watch(fold: RunFold): Observer;
  /** Somebody wants the runs to stop: the answer to a write on its way is waited for. */
  stopping(): void;
  /** All runs are over: leaves the terminal as it was, and everything that matters in plain lines. */
  end(): Promise<void>;
}
