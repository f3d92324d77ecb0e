import type { Clock } from "../base/ports.ts";
import type { Secrets } from "../playbook/settings/open-secrets.ts";
import type { RunEvent } from "../protocol/record.ts";
import type { DriftBook } from "../reconcile/drift-book.ts";
import type { Exchanged, Outgoing } from "../transport/exchange.ts";
import type { Hold } from "./run/hold.ts";

/** What the engine may ask of the world. */
export interface EnginePorts {
  /** Gives the time, and pauses. */
  readonly clock: Clock;
  /** The folder in which paths begin that are not absolute. */
  readonly cwd: string;
  /** Makes one HTTP exchange. It never throws for what the network or the service does. */
  readonly exchange: (outgoing: Outgoing) => Promise<Exchanged>;
  /** The secrets of the playbook that is run and of those that it includes. */
  readonly secrets: Secrets;
  /** What is remembered of drifts from run to run. */
  readonly drifts: () => DriftBook;
  /** Receives each record and each notice of the run. */
  readonly observe: (event: RunEvent) => void;
  /** Wraps the work of one step, so that an observer can assign each exchange to its step. */
  readonly during?: <T>(step: string, work: () => Promise<T>) => Promise<T>;
  /** Holds the run between two actions, for somebody who looks at it. */
  readonly hold?: Hold;
  /** Aborted when the run is to stop: nothing new is sent, reads end at once, and a write on its way has a grace for its answer. */
  readonly stopping: AbortSignal;
}
