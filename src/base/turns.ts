/**
 * Does something while what is decided now is under way. On a connection that was used before, undici writes a request in the turn of the event
 * loop after the one that made it: what is done in the turn after that takes no time that the answer does not take anyway (decision 36).
 */
export function whileUnderWay(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
