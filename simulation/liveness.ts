import type { Life, Liveness } from "../src/journal/holder.ts";
import type { Holder } from "../src/protocol/record.ts";
import { SimulatedProcess } from "./process.ts";

/** Which of the processes on two machines are alive. Each machine's kernel knows its own, stopped ones too, and no others. */
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

  /** The process behind a holder. */
  processOf({ pid }: Holder): SimulatedProcess | undefined {
    return this.#processes.get(pid);
  }

  /** Whether every process is over. */
  get allEnded(): boolean {
    return [...this.#processes.values()].every(({ hasEnded }) => hasEnded);
  }

  isSeen(): boolean {
    return true;
  }

  close(): void {
    // nothing ends before its process does
  }
}

function here(): SimulatedProcess {
  const process = SimulatedProcess.current();
  if (process === undefined) throw new Error("only a process holds anything");
  return process;
}
