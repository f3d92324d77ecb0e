/** A stored exchange with the service. Secrets are masked. */
export interface KeptExchange {
  /** The run that made it; `undefined` in a file from another program. */
  readonly run?: string | undefined;
  /** The address of the step that made it; null before the first step. */
  readonly step: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** The HTTP method. */
  readonly method: string;
  /** The complete URL with its query. */
  readonly url: string;
  /** The headers of the request, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request; null if there is none. */
  readonly body: string | null;
  /** The answer; null if none came. */
  readonly answer: KeptAnswer | null;
  /** Why no answer came. */
  readonly why: string | null;
}

/** The answer of an exchange. */
interface KeptAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers of the answer, by name. Cookies are not stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer. */
  readonly text: string;
}
