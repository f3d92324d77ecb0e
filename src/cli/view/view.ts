import type { Observer } from "../../report/fanout.ts";
import type { RunFold } from "../../report/model.ts";

/** What a person sees while runs are under way. It shows; it decides nothing, and no run depends on it. */
export interface View {
  /** An observer of one more run, whose fold has taken each record before the observer receives it. */
  watch(fold: RunFold): Observer;
  /** Somebody wants the runs to stop: the answer to a write on its way is waited for. */
  stopping(): void;
  /** All runs are over: leaves the terminal as it was, and everything that matters in plain lines. */
  end(): Promise<void>;
}
