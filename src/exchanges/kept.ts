/** An exchange with the service, as it is kept: secrets are masked. */
export interface KeptExchange {
  /** The run that made it; `undefined` in a file of another program. */
  readonly run?: string | undefined;
  /** The address of the step for which it was made; null before the first step. */
  readonly step: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Null when no answer came. */
  readonly answer: KeptAnswer | null;
  /** Why no answer came. */
  readonly why: string | null;
}

/** The answer of an exchange. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}
