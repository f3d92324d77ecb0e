import type { View } from "../../../../src/cli/view/view.ts";
import { type FanOut, fanOut } from "../../../../src/report/fanout.ts";
import { RunFold } from "../../../../src/report/model.ts";

/** One more run that a view watches: its fold takes each record first. */
export function watched(view: View): FanOut {
  const fold = new RunFold();
  return fanOut([fold, view.watch(fold)], (error) => {
    throw error;
  });
}
