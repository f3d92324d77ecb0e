import { invariant } from "../../base/failure.ts";
import type { Target } from "../../environment/target.ts";
import type { Call, Reply, ServiceClient } from "../service/service.ts";

/** The service, as one who only reads has it. */
export interface ReadingPort {
  readonly target: Target;
  /** Sends a call once. Throws Interrupted when the signal ends it, and nothing for what the network or the service does. */
  call(call: Call, signal: AbortSignal): Promise<Reply>;
}

/** A service of which nothing but reads can be asked: a write is refused here, before there is a request (decision 59). */
export function readingOnly(service: ServiceClient): ReadingPort {
  return {
    target: service.target,
    call: (call, signal) => {
      invariant(!call.operation.writes, `${call.operation.name} writes, and only reads may be asked for here`);
      return service.call(call, signal);
    },
  };
}
