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
// For the journal, an error of the disk is the same as a full disk.
const WAYS = COMMIT_FAULTS.filter(({ effect }) => effect !== "broken");

/** One write with one fault on its way, while the journal fails at one kind of record, in every possible way. */
export interface Cell {
  readonly specimen: Specimen;
  /** The fault of the request; `undefined` for none. */
  readonly fault: RequestFault | undefined;
  readonly boundary: Boundary;
  /** How many of the ways were tried. A record that is never written cannot fail. */
  readonly tried: number;
  readonly violations: readonly (Violation & { readonly schedule: Schedule })[];
}

type CommitAt = Fault & { readonly at: "commit" };

type Rehearsals = ReadonlyMap<CommitFault, () => Promise<Simulated>>;

/** How much of the matrix is run. */
export interface MatrixSize {
  /** In how many ways the journal fails in each cell. If not in each of them, every pair of write and fault begins with another way. */
  readonly ways: number;
  /** For each fault at each boundary, only every n-th kind of write is run; 1 for all of them. */
  readonly everyNth: number;
}

const ALL: MatrixSize = { ways: WAYS.length, everyNth: 1 };

/** Runs the cells: journal boundary by fault by kind of write. */
export async function runMatrix(size: MatrixSize = ALL): Promise<readonly Cell[]> {
  // Refusals are errors whose origin nobody reads. Without stack traces the matrix takes a tenth less time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await runCells(size);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function runCells({ ways: most, everyNth }: MatrixSize): Promise<readonly Cell[]> {
  const world = new World();
  const cells: Cell[] = [];
  for (const [nth, specimen] of SPECIMENS.entries()) {
    for (const [place, fault] of [undefined, ...WRITE_FAULTS].entries()) {
      const rehearsals = rehearsalsOf(world, specimen, fault);
      const first = (nth + place) % WAYS.length;
      const ways = [...WAYS.slice(first), ...WAYS.slice(0, first)].slice(0, most);
      for (const [at, boundary] of BOUNDARIES.entries()) {
        if ((nth + place + at) % everyNth !== 0) continue;
        cells.push(await runCell(world, { specimen, fault, boundary }, { rehearsals, ways }));
      }
    }
  }
  return cells;
}

// Until the journal fails, a schedule runs in the same way as without the failure. So one run without it shows at which boundaries the
// failure can happen, and only those schedules are run.
function rehearsalsOf(world: World, { steps, target }: Specimen, fault: RequestFault | undefined): Rehearsals {
  return new Map(
    WAYS.map((what, seed) => {
      let rehearsal: Promise<Simulated> | undefined;
      return [what, () => (rehearsal ??= simulate(world, { seed, steps, faults: befalling(target, fault), skewMs: 0 }))];
    }),
  );
}

function befalling(step: string, fault: RequestFault | undefined): readonly Fault[] {
  return fault === undefined ? [] : [{ at: "write", step, request: 1, what: fault, ms: DELAY_MS }];
}

interface Trials {
  readonly rehearsals: Rehearsals;
  readonly ways: readonly CommitFault[];
}

async function runCell(
  world: World,
  cell: Pick<Cell, "specimen" | "fault" | "boundary">,
  { rehearsals, ways }: Trials,
): Promise<Cell> {
  const { boundary, specimen } = cell;
  const about = boundary.startsWith("run.") || boundary === "step.expanded" ? {} : { step: specimen.target };
  let tried = 0;
  const violations: Cell["violations"][number][] = [];
  for (const what of ways) {
    const rehearsal = await rehearsals.get(what)?.();
    const fails: CommitAt = { at: "commit", boundary, ...about, nth: 1, what };
    if (rehearsal?.hasReached(fails) !== true) continue;
    const schedule = { ...rehearsal.schedule, faults: [...rehearsal.schedule.faults, fails] };
    const simulated = await simulate(world, schedule);
    if (simulated.struck.length < schedule.faults.length) continue;
    tried++;
    for (const violation of simulated.violations) violations.push({ ...violation, schedule });
  }
  return { ...cell, tried, violations };
}

/** Returns the matrix as a table. Each cell has the letters of the kinds of writes that could be tried; a `!` follows one that broke a promise. */
export function showMatrix(cells: readonly Cell[]): string {
  const tried = cells.reduce((sum, cell) => sum + cell.tried, 0);
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
    `${tried.toLocaleString("en")} schedules in ${cells.length.toLocaleString("en")} cells, violations ${violations.length}`,
    ...violations.map(({ breach, what }) => `  ${breach}: ${what}`),
    "",
  ].join("\n");
}

function lettersIn(cells: readonly Cell[]): string {
  return cells
    .map(({ specimen, tried, violations }) => (tried === 0 ? "·" : `${specimen.letter}${violations.length > 0 ? "!" : ""}`))
    .join("");
}
