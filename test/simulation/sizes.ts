import { isNightly } from "../sizes.ts";

// How much of the simulation runs, as docs/guarantee.md says.

/** Schedules that follow from seeds. */
export const DRAWN_SCHEDULES: number = isNightly ? 10_000 : 400;

/** Of each fault at each boundary, every so many-th kind of write. */
export const EVERY_NTH_CELL: number = isNightly ? 1 : 4;

/** In how many of its ways the journal fails in each cell of the matrix. */
export const WAYS_OF_EACH_CELL: number = isNightly ? 4 : 1;

/** How many schedules that makes: every cell that can happen at all. */
export const MATRIX_SCHEDULES: number = isNightly ? 9_655 : 600;
