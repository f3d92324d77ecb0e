import type { Life, Liveness } from "../src/journal/holder.ts";
import type { Holder } from "../src/protocol/record.ts";
import { SimulatedProcess } from "./process.ts";

/** Which processes on two machines are alive. Each machine's kernel knows its own processes, including stopped ones, and no others. */
export class SimulatedLiveness implements Liveness {
  #processes = new Map<number, SimulatedProcess>();

  reset(): void {
    this.#processes = new Map();
  }

  me(): Holder {
    const process = here();
    this.#processes.set(process.pid, process);
    return { host: process.machine, bootId: process.machine, pid: process.pid, startedAt: "0" };
  }

  taking(): Holder {
    return this.me();
  }

  isMe({ pid }: Holder): boolean {
    return SimulatedProcess.current()?.pid === pid;
  }

  lifeOf(holder: Holder): Life {
    if (holder.host !== (SimulatedProcess.current()?.machine ?? holder.host)) return "unknown";
    return this.processOf(holder)?.hasEnded === false ? "alive" : "dead";
  }

  /** Returns the process of a holder. */
  processOf({ pid }: Holder): SimulatedProcess | undefined {
    return this.#processes.get(pid);
  }

  /** Whether all processes have ended. */
  get allEnded(): boolean {
    return [...this.#processes.values()].every(({ hasEnded }) => hasEnded);
  }

  isSeen(): boolean {
    return true;
  }

  close(): void {
    // a hold ends only with its process
  }
}

function here(): SimulatedProcess {
  const process = SimulatedProcess.current();
  if (process === undefined) throw new Error("only a process holds anything");
  return process;
}
