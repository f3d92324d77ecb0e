import { invariant } from "../../base/failure.ts";
import type { Target } from "../../environment/target.ts";
import type { Reply } from "../service/reply.ts";
import type { Call, ServiceClient } from "../service/service.ts";

/** The service for a caller that only reads. */
export interface ReadingPort {
  /** The environment that is reached, with its addresses and keys. */
  readonly target: Target;
  /** Sends a call once. Throws Interrupted when the signal ends it, and never for what the network or the service does. */
  call(call: Call, signal: AbortSignal): Promise<Reply>;
}

/** A service that takes reads only: it refuses a write before there is a request (decision 59). */
export function readingOnly(service: ServiceClient): ReadingPort {
  return {
    target: service.target,
    call: (call, signal) => {
      invariant(!call.operation.writes, `${call.operation.name} writes, and only reads are allowed here`);
      return service.call(call, signal);
    },
  };
}
