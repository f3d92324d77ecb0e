import { shouldRest } from "./budget.ts";

/**
 * Does something while what is decided now is under way. On a connection that was used before, undici writes a request in the turn of the event
 * loop after the one that made it: what is done in the turn after that takes no time that the answer does not take anyway (decision 36).
 */
export function whileUnderWay(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** Resolves after signals and timers had their turn, where much was computed since they had one. */
export async function rested(): Promise<void> {
  if (shouldRest()) await new Promise((resume) => void setImmediate(resume));
}
