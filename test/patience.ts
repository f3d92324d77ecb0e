/**
 * How long a test waits for an expected event, in milliseconds. This limit only ends a test that hangs; it must never fail a test merely
 * because the machine is busy. It is shorter than the limit of a test, so that the message can name the event that did not come.
 */
export const PATIENCE_MS = 120_000;
