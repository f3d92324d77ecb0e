import type { Clock } from "../base/ports.ts";
import type { Secrets } from "../playbook/settings/open-secrets.ts";
import type { RunEvent } from "../protocol/record.ts";
import type { DriftBook } from "../reconcile/drift-book.ts";
import type { MakeExchange } from "../transport/exchange.ts";
import type { Hold } from "./run/hold.ts";

/** What the engine may ask of the world. */
export interface EnginePorts {
  /** Gives the time, and pauses. */
  readonly clock: Clock;
  /** The folder against which relative paths are resolved. */
  readonly cwd: string;
  /** Makes one HTTP exchange. */
  readonly exchange: MakeExchange;
  /** The secrets of the playbook and of the playbooks that it includes. */
  readonly secrets: Secrets;
  /** The drifts that are remembered from run to run. */
  readonly drifts: () => DriftBook;
  /** Receives each record and each notice of the run. */
  readonly observe: (event: RunEvent) => void;
  /** Wraps the work of one step, so that an observer can assign each exchange to its step. */
  readonly during?: <T>(step: string, work: () => Promise<T>) => Promise<T>;
  /** Holds the run between two actions, for a debugger. */
  readonly hold?: Hold;
  /** Aborted when the run must stop: nothing new is sent, reads end at once, and a write in flight gets a grace time for its answer. */
  readonly stopping: AbortSignal;
}
