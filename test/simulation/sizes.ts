// How much of the simulation every `npm test` runs, as docs/guarantee.md says. Long searches run by `npm run simulate`.

/** Schedules that follow from seeds. */
export const DRAWN_SCHEDULES = 1_000;

/** In how many of its ways the journal fails in each cell of the matrix. */
export const WAYS_OF_EACH_CELL = 1;

/** How many schedules that makes: every cell that can happen at all. */
export const MATRIX_SCHEDULES = 2_454;
