import type { Observer } from "../../report/fanout.ts";
import type { RunFold } from "../../report/model.ts";
import type { Clock } from "../../base/ports.ts";
import type { Hint } from "../../base/command-line.ts";
import type { Detail } from "../../report/steps/step-lines.ts";

/** What every view needs. */
export interface ViewOutput {
  /** Gives the current time. Records from before it belong to an earlier process. */
  readonly clock: Pick<Clock, "now">;
  /** How much of a run is printed. */
  readonly detail: Detail;
  /** Completes the commands in the printed text. */
  readonly hint?: Hint | undefined;
  /** How many files in folders were skipped. */
  readonly skipped?: number;
}

/** Shows runs to a person while they are under way. A view decides nothing, and no run depends on it. */
export interface View {
  /** Returns an observer for one more run. The fold has already taken each record when the observer receives it. */
  watch(fold: RunFold): Observer;
  /** Shows that the runs are asked to stop, and that the answer to a write on its way is still awaited. */
  stopping(): void;
  /** Ends the view after all runs: restores the terminal and prints everything that matters as plain lines. */
  end(): Promise<void>;
}
