import { invariant } from "../../base/failure.ts";
import type { Target } from "../../environment/target.ts";
import type { Reply } from "../service/reply.ts";
import type { Call, ServiceClient } from "../service/service.ts";

/** The service for a caller that only reads. */
export interface ReadingPort {
  /** The environment of the service, with its addresses and keys. */
  readonly target: Target;
  /** Sends a call once. Throws Interrupted when the signal ends it. Never throws because of the network or the service. */
  call(call: Call, signal: AbortSignal): Promise<Reply>;
}

/** Returns the service for reads only: a write is refused before any request is built (decision 59). */
export function readingOnly(service: ServiceClient): ReadingPort {
  return {
    target: service.target,
    call: (call, signal) => {
      invariant(!call.operation.writes, `${call.operation.name} writes, and only reads are allowed here`);
      return service.call(call, signal);
    },
  };
}
