import { BOUNDARIES, type Boundary, COMMIT_FAULTS, type Fault, type RequestFault, WRITE_FAULTS } from "./faults.ts";
import type { Schedule } from "./schedule.ts";
import { simulate } from "./simulate.ts";
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

/** Runs every cell: journal boundary by fault by kind of write. */
export async function runMatrix(): Promise<readonly Cell[]> {
  const world = new World();
  const cells: Cell[] = [];
  for (const specimen of SPECIMENS) {
    for (const fault of [undefined, ...WRITE_FAULTS]) {
      for (const boundary of BOUNDARIES) cells.push(await runCell(world, { specimen, fault, boundary }));
    }
  }
  return cells;
}

async function runCell(world: World, cell: Pick<Cell, "specimen" | "fault" | "boundary">): Promise<Cell> {
  let feasible = 0;
  const violations: Cell["violations"][number][] = [];
  for (const schedule of schedulesOf(cell)) {
    const simulated = await simulate(world, schedule);
    if (simulated.struck.length < schedule.faults.length) continue;
    feasible++;
    for (const violation of simulated.violations) violations.push({ ...violation, schedule });
  }
  return { ...cell, feasible, violations };
}

function schedulesOf({ specimen, fault, boundary }: Pick<Cell, "specimen" | "fault" | "boundary">): readonly Schedule[] {
  const { steps, target } = specimen;
  const about = boundary.startsWith("run.") || boundary === "step.expanded" ? {} : { step: target };
  const befalls: readonly Fault[] =
    fault === undefined ? [] : [{ at: "write", step: target, sending: 1, what: fault, ms: DELAY_MS }];
  return WAYS.map((what, seed) => ({
    seed,
    steps,
    faults: [...befalls, { at: "commit", boundary, ...about, nth: 1, what }],
    skewMs: 0,
  }));
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
