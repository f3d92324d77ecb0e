import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../src/base/ports.ts";
import type { Cell } from "../src/sql/database.ts";
import type { CommitFault } from "./faults.ts";

/** Thrown at everything that still runs in a dead process. */
export class Dead extends Error {}

/** A record that is being written to the disk. */
export interface Appended {
  readonly kind: string;
  /** The address of its step, if it has one. */
  readonly step: string | undefined;
  /** The statement that writes it, with its values. */
  readonly sql: string;
  readonly values: readonly Cell[];
}

/** Returns the fault of a commit, right before it and, if it has succeeded, right after it. */
export interface CommitFaults {
  readonly before: (records: readonly Appended[]) => CommitFault["effect"] | undefined;
  readonly after: (records: readonly Appended[]) => CommitFault["effect"] | undefined;
}

const running = new AsyncLocalStorage<SimulatedProcess>();

/** One process of tokenbook, which acts for one or more runs. It can die at any moment, and be stopped and continued. */
export class SimulatedProcess {
  readonly name: string;
  readonly pid: number;
  /** Its machine. */
  readonly machine: string;
  /** Resolves when nothing runs in it any more, and nothing ever will. */
  readonly ended: Promise<void>;
  #end: () => void = () => {};
  #hasEnded = false;
  #works = 0;
  readonly #commits = new Set<CommitFaults>();
  /** Resolves when it dies or is stopped, so that somebody may take care of its run. */
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

  /** Returns the process that is running this code. */
  static current(): SimulatedProcess | undefined {
    return running.getStore();
  }

  /** Aborted when the process is interrupted. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it was ever stopped. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** Whether it has ended; a stopped process has not. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns the clock of the process. It oversleeps while the process is stopped, and never wakes up when it is dead. */
  clock(time: Clock): Clock {
    return {
      now: () => time.now(),
      elapsed: () => time.elapsed(),
      uptime: () => time.uptime(),
      sleep: (ms, signal) => this.receive(time.sleep(ms, signal)),
    };
  }

  /** Whether it may be given another run. */
  get isAtWork(): boolean {
    return this.#works > 0 && this.#alive && this.#thawed === undefined && !this.stopping.aborted;
  }

  /** Whether it acts for several runs. */
  get isShared(): boolean {
    return this.#works > 1;
  }

  /** Does work in the process, which ends with its last work. From now on, its commits may have these faults. */
  run<T>(commits: CommitFaults, work: () => Promise<T>): Promise<T> {
    this.#commits.add(commits);
    this.#works++;
    return running.run(this, work).finally(() => {
      if (--this.#works === 0) this.#end();
    });
  }

  /** Returns the fault of a commit of these records, at the moment before or after it. */
  onCommit(moment: keyof CommitFaults, records: readonly Appended[]): CommitFault["effect"] | undefined {
    for (const faults of this.#commits) {
      const fault = faults[moment](records);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Acts like SIGINT: the process must end when nothing is in flight any more. */
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

  /** Passes a value of the world to the process, when it runs; a dead process never receives it. */
  async receive<T>(given: Promise<T>): Promise<T> {
    const value = await given;
    await this.running();
    return value;
  }

  /** Resolves when it is not stopped; never if it is dead. */
  async running(): Promise<void> {
    while (this.#thawed !== undefined) await this.#thawed;
    if (!this.#alive) await new Promise<never>(() => {});
  }
}
