import type { Clock } from "../../base/ports.ts";
import type { Terminal } from "../shell.ts";
import { PlainView } from "./plain.ts";
import type { View } from "./view.ts";

/** What decides which view fits. */
export interface Viewing {
  /** Where people look: stdout, or stderr when stdout carries data. */
  readonly screen: Terminal;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, "now">;
  /** Something else writes there meanwhile. */
  readonly isShared?: boolean;
  /** How many runs there will be, and how many steps they have in all. */
  readonly runs: number;
  readonly steps: number;
  /** The live tree broke; the runs go on. */
  readonly onCrash: (error: unknown) => void;
}

const LEAST_COLUMNS = 40;
const MOST_STEPS = 200;
const MOST_RUNS = 8;

/** The live tree on a terminal that can show it; plain lines everywhere else, and where a tree would be too long to read. */
export async function chooseView(viewing: Viewing): Promise<View> {
  const { screen, clock, runs, variables, onCrash } = viewing;
  if (!canShowTree(viewing)) return new PlainView({ write: (text) => screen.write(text), clock, parallel: runs > 1 });
  // Loaded only where it is used: a pipe need not wait for it.
  const { LiveView } = await import("./live-view.ts");
  return new LiveView({ screen, clock, colour: showsColour(screen, variables), onCrash });
}

/** Whether a live tree can be drawn, and would be of use. */
export function canShowTree({ screen, variables, isShared, runs, steps }: Omit<Viewing, "clock" | "onCrash">): boolean {
  if (isShared === true || !screen.isTTY || screen.columns < LEAST_COLUMNS) return false;
  if (variables["TERM"] === "dumb" || (isSet(variables["CI"]) && variables["CI"] !== "false")) return false;
  return steps <= MOST_STEPS && runs <= MOST_RUNS;
}

/** Whether colours are wanted: `NO_COLOR` goes before `FORCE_COLOR`, and both before what the output is. */
export function showsColour({ isTTY }: Pick<Terminal, "isTTY">, variables: Viewing["variables"]): boolean {
  if (isSet(variables["NO_COLOR"])) return false;
  const forced = variables["FORCE_COLOR"];
  if (isSet(forced)) return forced !== "0" && forced !== "false";
  return isTTY && variables["TERM"] !== "dumb";
}

/** Whether a variable is there and not empty. */
export function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== "";
}
