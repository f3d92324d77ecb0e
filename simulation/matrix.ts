import {
  BOUNDARIES,
  type Boundary,
  COMMIT_FAULTS,
  type CommitFault,
  type Fault,
  type RequestFault,
  WRITE_FAULTS,
} from "./faults.ts";
import type { Schedule } from "./schedule.ts";
import { simulate, type Simulated } from "./simulate.ts";
import { SPECIMENS, type Specimen } from "./specimens.ts";
import type { Violation } from "./witness.ts";
import { World } from "./world.ts";

const DELAY_MS = 60_000;
// An error of the disk is the same to the journal as a full one.
const WAYS = COMMIT_FAULTS.filter(({ effect }) => effect !== "broken");

/** What one write suffers on its way while the journal fails at one kind of record: in every way in which it can fail. */
export interface Cell {
  readonly specimen: Specimen;
  /** `undefined`: nothing befalls the request. */
  readonly fault: RequestFault | undefined;
  readonly boundary: Boundary;
  /** How many of the ways could happen: a record that is never written cannot fail. */
  readonly feasible: number;
  readonly violations: readonly (Violation & { readonly schedule: Schedule })[];
}

type CommitAt = Fault & { readonly at: "commit" };

interface Rehearsed {
  readonly what: CommitFault;
  readonly rehearsal: Simulated;
}

/** Runs every cell: journal boundary by fault by kind of write. */
export async function runMatrix(): Promise<readonly Cell[]> {
  // Refusals are errors, and nobody reads where these came from: without traces the matrix takes a tenth less.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await runCells();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function runCells(): Promise<readonly Cell[]> {
  const world = new World();
  const cells: Cell[] = [];
  for (const specimen of SPECIMENS) {
    for (const fault of [undefined, ...WRITE_FAULTS]) {
      const rehearsed = await rehearse(world, specimen, fault);
      for (const boundary of BOUNDARIES) cells.push(await runCell(world, { specimen, fault, boundary }, rehearsed));
    }
  }
  return cells;
}

// Until the journal fails, a schedule happens as it does where the journal never fails. So one run without that failure shows of every
// boundary whether the failure can happen there, and only those schedules are run in which it can.
async function rehearse(
  world: World,
  { steps, target }: Specimen,
  fault: RequestFault | undefined,
): Promise<readonly Rehearsed[]> {
  const rehearsed: Rehearsed[] = [];
  for (const [seed, what] of WAYS.entries())
    rehearsed.push({ what, rehearsal: await simulate(world, { seed, steps, faults: befalling(target, fault), skewMs: 0 }) });
  return rehearsed;
}

function befalling(step: string, fault: RequestFault | undefined): readonly Fault[] {
  return fault === undefined ? [] : [{ at: "write", step, request: 1, what: fault, ms: DELAY_MS }];
}

async function runCell(
  world: World,
  cell: Pick<Cell, "specimen" | "fault" | "boundary">,
  rehearsed: readonly Rehearsed[],
): Promise<Cell> {
  const { boundary, specimen } = cell;
  const about = boundary.startsWith("run.") || boundary === "step.expanded" ? {} : { step: specimen.target };
  let feasible = 0;
  const violations: Cell["violations"][number][] = [];
  for (const { what, rehearsal } of rehearsed) {
    const fails: CommitAt = { at: "commit", boundary, ...about, nth: 1, what };
    if (!rehearsal.hasReached(fails)) continue;
    const schedule = { ...rehearsal.schedule, faults: [...rehearsal.schedule.faults, fails] };
    const simulated = await simulate(world, schedule);
    if (simulated.struck.length < schedule.faults.length) continue;
    feasible++;
    for (const violation of simulated.violations) violations.push({ ...violation, schedule });
  }
  return { ...cell, feasible, violations };
}

/** The matrix as a table: in each cell the letters of the kinds of writes that could be tried, a `!` behind one that broke a promise. */
export function showMatrix(cells: readonly Cell[]): string {
  const feasible = cells.reduce((sum, cell) => sum + cell.feasible, 0);
  const violations = cells.flatMap((cell) => cell.violations);
  const legend = SPECIMENS.map(({ letter, name }) => `${letter} ${name}`).join(", ");
  const rows = [undefined, ...WRITE_FAULTS].map((fault) => [
    fault?.name ?? "nothing",
    ...BOUNDARIES.map((boundary) => lettersIn(cells.filter((cell) => cell.fault === fault && cell.boundary === boundary))),
  ]);
  const table = [["what befell the write", ...BOUNDARIES], ...rows];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return [
    ...table.map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    ),
    "",
    `${legend}; · cannot happen`,
    `${feasible.toLocaleString("en")} schedules in ${cells.length.toLocaleString("en")} cells, violations ${violations.length}`,
    ...violations.map(({ breach, what }) => `  ${breach}: ${what}`),
    "",
  ].join("\n");
}

function lettersIn(cells: readonly Cell[]): string {
  return cells
    .map(({ specimen, feasible, violations }) => (feasible === 0 ? "·" : `${specimen.letter}${violations.length > 0 ? "!" : ""}`))
    .join("");
}
