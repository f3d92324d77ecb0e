import type { Clock } from "../base/ports.ts";
import type { RunEvent } from "../protocol/record.ts";
import type { Exchanged, Outgoing } from "../transport/exchange.ts";

/** What the engine may ask of the world. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly exchange: (outgoing: Outgoing) => Promise<Exchanged>;
  readonly observe: (event: RunEvent) => void;
  /** Aborted when the run is to stop: nothing new is sent, what is in flight is waited for. */
  readonly stopping: AbortSignal;
}
