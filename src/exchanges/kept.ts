/** An exchange with the service, as it is kept: secrets are masked. */
export interface KeptExchange {
  /** The run that made it; `undefined` in a file of another program. */
  readonly run?: string | undefined;
  /** The address of the step for which it was made; null before the first step. */
  readonly step: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How long it took to its end, in milliseconds. */
  readonly durationMs: number;
  /** The HTTP method. */
  readonly method: string;
  /** The whole address, with its query. */
  readonly url: string;
  /** The headers of the request, by their names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request; null without one. */
  readonly body: string | null;
  /** Null when no answer came. */
  readonly answer: KeptAnswer | null;
  /** Why no answer came. */
  readonly why: string | null;
}

/** The answer of an exchange. */
export interface KeptAnswer {
  /** HTTP status. */
  readonly status: number;
  /** The headers of the answer, by their names; no cookie is kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer. */
  readonly text: string;
}
