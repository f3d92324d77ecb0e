import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../src/base/ports.ts";
import type { AttemptIntended } from "../src/protocol/record.ts";

/** What a dead process throws at whatever still runs in it. */
export class Dead extends Error {}

const running = new AsyncLocalStorage<SimulatedProcess>();

/** One process of tokenbook: it can die at any moment, and be stopped and continued. */
export class SimulatedProcess {
  readonly name: string;
  readonly pid: number;
  /** The machine that it runs on. */
  readonly machine: string;
  /** Resolves when nothing runs in it any more, nor ever will. */
  readonly ended: Promise<void>;
  #end: () => void = () => {};
  #hasEnded = false;
  /** Intents that it has reported and whose writes it has not sent. */
  #intended: AttemptIntended[] = [];
  /** Of the write that it sent last. */
  #sent: AttemptIntended | undefined;
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
    return { now: () => time.now(), elapsed: () => time.elapsed(), sleep: (ms, signal) => this.receive(time.sleep(ms, signal)) };
  }

  /** Does all that the process is for. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return running.run(this, work).finally(() => this.#end());
  }

  /** Drops the intents that it reported before it had the run: others recorded them. */
  claims(): void {
    this.#intended = [];
  }

  /** Takes an intent that it has reported. */
  intends(intent: AttemptIntended): void {
    this.#intended.push(intent);
  }

  /** Returns the intent of the write that it sends. Rounds side by side send in the order in which they reported their intents. */
  sends(): AttemptIntended | undefined {
    this.#sent = this.#intended.shift() ?? this.#sent;
    return this.#sent;
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
