import { type Hint } from "../../base/command-line.ts";
import type { Clock } from "../../base/ports.ts";
import type { Detail } from "../../report/steps/step-lines.ts";
import type { Terminal } from "../shell.ts";
import { isCi, markedOn, showsColour } from "./colour.ts";
import { PlainView } from "./plain.ts";
import type { View } from "./view.ts";

/** The facts that decide which view fits. */
export interface Viewing {
  /** Where people look: stdout, or stderr when stdout carries data. */
  readonly screen: Terminal;
  /** The environment variables of the process, by their names. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Completes the commands in a text for people. */
  readonly hint: Hint;
  /** Gives the present time. */
  readonly clock: Pick<Clock, "now">;
  /** How much of a run is printed. */
  readonly detail: Detail;
  /** Something else writes there meanwhile. */
  readonly isShared?: boolean;
  /** The files of the playbooks that are run, and the total of their steps. */
  readonly files: readonly string[];
  /** How many files of their folders are left out. */
  readonly skipped?: number;
  /** The total of the steps of all runs. */
  readonly steps: number;
  /** The live tree broke; the runs continue. */
  readonly onCrash: (error: unknown) => void;
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
