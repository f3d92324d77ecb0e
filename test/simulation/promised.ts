/** What the README promises of every run of the tests. */
export const PROMISED_SCHEDULES = 10_000;

/** How many of them follow from seeds; the others are those of the matrix. */
export const DRAWN_SCHEDULES = 4_231;
