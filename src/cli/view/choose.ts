import { isCi, markedOn, showsColour } from "./colour.ts";
import { PlainView } from "./plain.ts";
import type { View, ViewOutput } from "./view.ts";
import type { DrawingOutput } from "./live.ts";
import type { Variables } from "../../base/variables.ts";

/** The facts that decide which view fits. */
export interface Viewing extends ViewOutput, Omit<DrawingOutput, "colour"> {
  /** The environment variables of the process, by their names. */
  readonly variables: Variables;
  /** Something else writes there meanwhile. */
  readonly isShared?: boolean;
  /** The files of the playbooks that are run, and the total of their steps. */
  readonly files: readonly string[];
  /** The total of the steps of all runs. */
  readonly steps: number;
}

const LEAST_COLUMNS = 40;
const MOST_STEPS = 200;
const MOST_RUNS = 8;

/** The live tree on a terminal that can show it; plain lines everywhere else, and where a tree would be too long to read. */
export async function chooseView(viewing: Viewing): Promise<View> {
  const { screen, clock, detail, files, skipped = 0, variables, hint, onCrash } = viewing;
  const write = (text: string): void => screen.write(text, markedOn(screen, variables));
  if (!canShowTree({ ...viewing, runs: files.length })) return new PlainView({ write, hint, clock, detail, files, skipped });
  // Loaded only where it is used: a pipe need not wait for it.
  const { LiveView } = await import("./live-view.ts");
  return new LiveView({ screen, hint, skipped, clock, detail, colour: showsColour(screen, variables), print: write, onCrash });
}

type Shown = Pick<Viewing, "screen" | "variables" | "isShared" | "steps"> & { readonly runs: number };

/** Whether a live tree can be drawn, and would be of use. */
export function canShowTree({ screen, variables, isShared, runs, steps }: Shown): boolean {
  if (isShared === true || !screen.isTTY || screen.columns < LEAST_COLUMNS) return false;
  if (variables["TERM"] === "dumb" || isCi(variables)) return false;
  return steps <= MOST_STEPS && runs <= MOST_RUNS;
}
