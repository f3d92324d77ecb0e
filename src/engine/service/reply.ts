import type { Answer } from "../../operations/answer.ts";
import type { AttemptAnswered } from "../../protocol/record.ts";
import type { TlsObstacle } from "../../base/connection-failure.ts";

/** The outcome of a call. */
export interface Reply extends Pick<AttemptAnswered, "meaning" | "status" | "condition" | "retryAfterMs"> {
  /** Set when the meaning is `acknowledged`. */
  readonly answer: Answer | undefined;
  /** The message of the service, or why there is no answer to trust. */
  readonly message: string;
  /** The service's own time from its `Date` header, in whole seconds. */
  readonly date: string | undefined;
  /** Whether a cache in between answered the read with an earlier answer of the service. */
  readonly fromCache: boolean;
  /** Whether the answer is HTML: then the address is probably not the service's. */
  readonly html: boolean;
  /** Whether the error is not in the service's format, so that it may come from a gateway. */
  readonly foreign: boolean;
  /** Why the connection could not be secured, if nothing was sent for that reason. */
  readonly tls: TlsObstacle | undefined;
  /** Whether the answer has more bytes than tokenbook reads. */
  readonly tooLarge: boolean;
}

/** A reply without any content. */
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
