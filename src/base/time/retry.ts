import pRetry from "p-retry";

/** The policy of a retry. */
interface Retrying<T> {
  /** Returns whether no further attempt should follow this result. */
  readonly isFinal: (result: T) => boolean;
  /** Pauses before another attempt. `tries` counts the attempts so far. Returns false to make no other attempt. */
  readonly pause: (result: T, tries: number) => Promise<boolean>;
}

/**
 * Does the work until its result is final or the policy ends the retries, and returns the last result. It is used for reads, heartbeats and our
 * own journal, never for a write to the service. The caller pauses by its own clock, so that time can be simulated (decision 48).
 */
export async function retry<T>(work: () => Promise<T>, { isFinal, pause }: Retrying<T>): Promise<T> {
  const attempt = async (): Promise<T> => {
    const result = await work();
    if (isFinal(result)) return result;
    throw new NotFinal(result);
  };
  try {
    return await pRetry(attempt, {
      retries: Infinity,
      minTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) =>
        error instanceof NotFinal && pause((error as NotFinal<T>).result, attemptNumber),
    });
  } catch (error) {
    if (error instanceof NotFinal) return (error as NotFinal<T>).result;
    throw error;
  }
}

/** Thrown for a result that another attempt may change. */
class NotFinal<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super("not final");
    this.result = result;
  }
}
