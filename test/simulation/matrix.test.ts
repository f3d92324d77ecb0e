import { expect, test } from "vitest";
import { BOUNDARIES, WRITE_FAULTS } from "../../simulation/faults.ts";
import { type Cell, runMatrix, showMatrix } from "../../simulation/matrix.ts";
import { SPECIMENS } from "../../simulation/specimens.ts";
import { EVERY_NTH_CELL, MATRIX_SCHEDULES, WAYS_OF_EACH_CELL } from "./sizes.ts";

const PATIENCE_MS = 1_800_000;

test(
  "no promise breaks when any record fails, in any kind of write and with any fault",
  async () => {
    const cells = await runMatrix({ ways: WAYS_OF_EACH_CELL, everyNth: EVERY_NTH_CELL });
    process.stdout.write(showMatrix(cells));
    expect(cells.flatMap(({ violations }) => violations)).toEqual([]);
    const schedules = (of: (cell: Cell) => boolean): number => cells.filter(of).reduce((sum, { tried }) => sum + tried, 0);
    expect(schedules(() => true)).toBe(MATRIX_SCHEDULES);
    // A kind of write, a fault or a boundary that no schedule has tried has proved nothing.
    const untried = [
      ...SPECIMENS.filter((each) => schedules(({ specimen }) => specimen === each) === 0),
      ...WRITE_FAULTS.filter((each) => schedules(({ fault }) => fault === each) === 0),
      ...BOUNDARIES.filter((each) => schedules(({ boundary }) => boundary === each) === 0),
    ];
    expect(untried).toEqual([]);
  },
  PATIENCE_MS,
);
