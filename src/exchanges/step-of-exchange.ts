import { AsyncLocalStorage } from "node:async_hooks";

const steps = new AsyncLocalStorage<string>();

/** Whatever is exchanged within the work is exchanged for this step. */
export function exchangingFor<T>(step: string, work: () => Promise<T>): Promise<T> {
  return steps.run(step, work);
}

/** Returns the step for which something is exchanged now; `undefined` before the first one. */
export function stepOfExchange(): string | undefined {
  return steps.getStore();
}
