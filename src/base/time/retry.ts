import pRetry from "p-retry";

/** The policy of a retry. */
export interface Retrying<T> {
  /** Returns whether a result ends the tries. */
  readonly isFinal: (result: T) => boolean;
  /** Pauses before another try, after so many; returns false when there must be none. */
  readonly pause: (result: T, tries: number) => Promise<boolean>;
}

/**
 * Does work until its result is final or the policy ends it, and returns the last result. For reads, heartbeats and our own journal: a write to
 * the service never passes here. The
 * caller pauses by its own clock, so that time can be simulated (decision 48).
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

/** A result that another try may change. */
class NotFinal<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super("not final");
    this.result = result;
  }
}
