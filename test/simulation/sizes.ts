import { isNightly } from "../sizes.ts";

// How much of the simulation runs. docs/guarantee.md names these sizes.

/** How many schedules are drawn from seeds. */
export const DRAWN_SCHEDULES: number = isNightly ? 10_000 : 400;

/** For each fault at each boundary, the matrix tries every n-th kind of write. */
export const EVERY_NTH_CELL: number = isNightly ? 1 : 4;

/** In how many different ways the journal fails in each cell of the matrix. */
export const WAYS_OF_EACH_CELL: number = isNightly ? 4 : 1;

/** How many schedules the matrix then has. At night it has every cell that can happen at all. */
export const MATRIX_SCHEDULES: number = isNightly ? 9_655 : 600;
