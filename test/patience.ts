/**
 * How long a test waits for what must come, in milliseconds. It only ends what hangs: a busy machine is slow, and is never wrong.
 * It is shorter than the limit of a test, so that the message names what did not come.
 */
export const PATIENCE_MS = 120_000;
