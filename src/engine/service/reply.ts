import type { Answer } from "../../operations/answer.ts";
import type { AttemptAnswered } from "../../protocol/record.ts";
import type { TlsObstacle } from "../../base/connection-failure.ts";

/** The outcome of a call. */
export interface Reply extends Pick<AttemptAnswered, "meaning" | "status" | "condition" | "retryAfterMs"> {
  /** Set when the meaning is `acknowledged`. */
  readonly answer: Answer | undefined;
  /** What the service said, or why there is no answer to trust. */
  readonly message: string;
  /** The service's own time from its `Date` header, in whole seconds. */
  readonly date: string | undefined;
  /** A cache in between answered a read with what the service said earlier. */
  readonly fromCache: boolean;
  /** The answer is HTML: the address is probably not the service's. */
  readonly html: boolean;
  /** The error is not in a form that the service uses, so a gateway may have answered. */
  readonly foreign: boolean;
  /** Nothing was sent because the connection could not be secured; undefined where it is anything else. */
  readonly tls: TlsObstacle | undefined;
  /** The answer has more bytes than are read of one. */
  readonly tooLarge: boolean;
}

/** A reply that says nothing yet. */
export const EMPTY_REPLY: Omit<Reply, "meaning"> = {
  status: null,
  answer: undefined,
  message: "",
  condition: null,
  retryAfterMs: null,
  date: undefined,
  fromCache: false,
  html: false,
  foreign: false,
  tls: undefined,
  tooLarge: false,
};
