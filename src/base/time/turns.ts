import { beginTurn, shouldRest } from "../budget.ts";

/**
 * Does work while a request that was just made is in flight. On a connection that was used before, undici writes a request in the next turn
 * of the event loop. Work in the turn after that costs no time, because the answer takes longer (decision 36).
 */
export function whileUnderWay(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** Resolves after signals and timers have had a turn, if much was computed since their last one. */
export async function rested(): Promise<void> {
  if (shouldRest()) await nextTurn();
}

/** Resolves after signals and timers have had a turn. */
export function nextTurn(): Promise<void> {
  beginTurn();
  return new Promise((resume) => void setImmediate(resume));
}
