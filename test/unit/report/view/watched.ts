import type { View } from "../../../../src/cli/view/view.ts";
import { FanOut } from "../../../../src/report/fanout.ts";
import { RunFold } from "../../../../src/report/model.ts";

/** Adds a run to a view. The run's fold receives each record before the view does. */
export function watched(view: View): FanOut {
  const fold = new RunFold();
  return new FanOut([fold, view.watch(fold)], (error) => {
    throw error;
  });
}
