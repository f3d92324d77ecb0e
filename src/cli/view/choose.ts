import { isCi, markedOn, showsColour } from "./colour.ts";
import { PlainView } from "./plain.ts";
import type { View, ViewOutput } from "./view.ts";
import type { DrawingOutput } from "./live.ts";
import type { Variables } from "../../base/variables.ts";

/** The facts that decide which view fits. */
export interface Viewing extends ViewOutput, Omit<DrawingOutput, "colour"> {
  /** The environment variables of the process. */
  readonly variables: Variables;
  /** Whether other output goes to the same terminal. */
  readonly isShared?: boolean;
  /** The files of the playbooks that are run. */
  readonly files: readonly string[];
  /** The total of the steps of all runs. */
  readonly steps: number;
}

const LEAST_COLUMNS = 40;
const MOST_STEPS = 200;
const MOST_RUNS = 8;

/** Returns a live tree on a terminal that can show it. Returns plain lines everywhere else, and if a tree would be too long to read. */
export async function chooseView(viewing: Viewing): Promise<View> {
  const { screen, clock, detail, files, skipped = 0, variables, hint, onCrash } = viewing;
  const write = (text: string): void => screen.write(text, markedOn(screen, variables));
  if (!canShowTree({ ...viewing, runs: files.length })) return new PlainView({ write, hint, clock, detail, files, skipped });
  // The tree is loaded only when it is needed, so that other output starts faster.
  const { LiveView } = await import("./live-view.ts");
  return new LiveView({ screen, hint, skipped, clock, detail, colour: showsColour(screen, variables), print: write, onCrash });
}

type ViewNeeds = Pick<Viewing, "screen" | "variables" | "isShared" | "steps"> & { readonly runs: number };

/** Returns whether a live tree can be drawn and is useful. */
export function canShowTree({ screen, variables, isShared, runs, steps }: ViewNeeds): boolean {
  if (isShared === true || !screen.isTTY || screen.columns < LEAST_COLUMNS) return false;
  if (variables["TERM"] === "dumb" || isCi(variables)) return false;
  return steps <= MOST_STEPS && runs <= MOST_RUNS;
}
