import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../src/base/ports.ts";
import type { Cell } from "../src/sql/database.ts";
import type { CommitFault } from "./faults.ts";

/** What a dead process throws at whatever still runs in it. */
export class Dead extends Error {}

/** A record on its way to the disk. */
export interface Appended {
  readonly kind: string;
  /** The address of the step that it is about, if it is about one. */
  readonly step: string | undefined;
  /** The statement that writes it, with its values. */
  readonly sql: string;
  readonly values: readonly Cell[];
}

/** What may befall a commit: asked right before it and, when it has gone well, right after it. */
export interface CommitFaults {
  readonly before: (records: readonly Appended[]) => CommitFault["effect"] | undefined;
  readonly after: (records: readonly Appended[]) => CommitFault["effect"] | undefined;
}

const running = new AsyncLocalStorage<SimulatedProcess>();

/** One process of tokenbook, which acts for one run or for several: it can die at any moment, and be stopped and continued. */
export class SimulatedProcess {
  readonly name: string;
  readonly pid: number;
  /** The machine that it runs on. */
  readonly machine: string;
  /** Resolves when nothing runs in it any more, nor ever will. */
  readonly ended: Promise<void>;
  #end: () => void = () => {};
  #hasEnded = false;
  #works = 0;
  readonly #commits = new Set<CommitFaults>();
  /** Resolves when it dies or is stopped, so that somebody may look after its run. */
  readonly halted: Promise<"died" | "stopped">;
  #halt: (how: "died" | "stopped") => void = () => {};
  readonly #stopping = new AbortController();
  #alive = true;
  #wasStopped = false;
  #thawed: Promise<void> | undefined;
  #thaw: () => void = () => {};

  constructor(pid: number, machine: string) {
    this.name = `process ${pid}`;
    this.pid = pid;
    this.machine = machine;
    this.ended = new Promise((resolve) => {
      this.#end = () => {
        this.#hasEnded = true;
        resolve();
      };
    });
    this.halted = new Promise((resolve) => {
      this.#halt = resolve;
    });
  }

  /** The process in which the code that asks is running. */
  static current(): SimulatedProcess | undefined {
    return running.getStore();
  }

  /** Aborted when it is interrupted. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it was stopped for a while. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** Whether it is over: a stopped process is not. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The clock as the process has it: it oversleeps while it is stopped, and does not wake up when it is dead. */
  clock(time: Clock): Clock {
    return {
      now: () => time.now(),
      elapsed: () => time.elapsed(),
      uptime: () => time.uptime(),
      sleep: (ms, signal) => this.receive(time.sleep(ms, signal)),
    };
  }

  /** Whether somebody may give it another run to act for. */
  get isAtWork(): boolean {
    return this.#works > 0 && this.#alive && this.#thawed === undefined && !this.stopping.aborted;
  }

  /** Whether it acts for several runs. */
  get isShared(): boolean {
    return this.#works > 1;
  }

  /** Does what the process is for; it ends with the last such work. From now on these may befall its commits. */
  run<T>(commits: CommitFaults, work: () => Promise<T>): Promise<T> {
    this.#commits.add(commits);
    this.#works++;
    return running.run(this, work).finally(() => {
      if (--this.#works === 0) this.#end();
    });
  }

  /** What befalls a commit of these records, in the moment before or after it. */
  onCommit(moment: keyof CommitFaults, records: readonly Appended[]): CommitFault["effect"] | undefined {
    for (const faults of this.#commits) {
      const fault = faults[moment](records);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Does what SIGINT does: the process must end when nothing is in flight any more. */
  interrupt(): void {
    this.#stopping.abort();
  }

  die(): void {
    this.#alive = false;
    this.#halt("died");
    this.#end();
    this.continue();
  }

  /** Stops it until it is continued. */
  stop(): void {
    this.#wasStopped = true;
    this.#thawed ??= new Promise((resolve) => {
      this.#thaw = resolve;
    });
    this.#halt("stopped");
  }

  continue(): void {
    this.#thawed = undefined;
    this.#thaw();
  }

  /** What the world gives to the process: it has it when it runs, and never when it is dead. */
  async receive<T>(given: Promise<T>): Promise<T> {
    const value = await given;
    await this.running();
    return value;
  }

  /** Resolves when it is not stopped; never when it is dead. */
  async running(): Promise<void> {
    while (this.#thawed !== undefined) await this.#thawed;
    if (!this.#alive) await new Promise<never>(() => {});
  }
}
