import type { View } from "../../../../src/cli/view/view.ts";
import { FanOut } from "../../../../src/report/fanout.ts";
import { RunFold } from "../../../../src/report/model.ts";

/** One more run that a view watches: its fold takes each record first. */
export function watched(view: View): FanOut {
  const fold = new RunFold();
  return new FanOut([fold, view.watch(fold)], (error) => {
    throw error;
  });
}
