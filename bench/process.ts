import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** One run of a command. */
export interface Ran {
  /** `null` if a signal or the timeout ended the command. */
  readonly exit: number | null;
  readonly ms: number;
  /** The peak memory in MB; `undefined` if it cannot be measured. */
  readonly peakMb: number | undefined;
  /** The CPU time; `undefined` if it cannot be measured. */
  readonly cpuMs: number | undefined;
  /** What it printed. */
  readonly output: string;
}

const TIMEOUT_MS = 600_000;
const TIME = "/usr/bin/time";
const WEIGHT = "%M %U %S";

/** Starts commands one after the other, each a new process, and measures them. */
export class Stopwatch {
  readonly #folder: string;
  readonly #variables: NodeJS.ProcessEnv;
  readonly #canWeigh: boolean;
  readonly #timeoutMs: number;
  #running: number | undefined;

  /** Runs commands in this folder. Adds these variables to those of this process. */
  constructor(folder: string, variables: NodeJS.ProcessEnv, timeoutMs: number = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    this.#folder = folder;
    this.#variables = { ...process.env, ...variables };
    this.#canWeigh = spawnSync(TIME, ["-q", "-f", WEIGHT, "true"]).status === 0;
  }

  async run(command: readonly string[]): Promise<Ran> {
    const [output, peak] = [join(this.#folder, "output.txt"), join(this.#folder, "peak.txt")];
    // A small parent starts the command, because the kernel counts the memory that a process had before it became the command.
    const weighed = this.#canWeigh ? [TIME, "-q", "-f", WEIGHT, "-o", peak, ...command] : command;
    const descriptor = openSync(output, "w");
    try {
      const measured = await this.#start(weighed, descriptor);
      const weight = this.#canWeigh ? readFileSync(peak, "utf8").split(" ").map(Number) : [];
      const [kilobytes, userSeconds = 0, systemSeconds = 0] = weight;
      return {
        ...measured,
        peakMb: kilobytes === undefined ? undefined : kilobytes / 1024,
        cpuMs: kilobytes === undefined ? undefined : (userSeconds + systemSeconds) * 1_000,
        output: readFileSync(output, "utf8"),
      };
    } finally {
      closeSync(descriptor);
      rmSync(peak, { force: true });
    }
  }

  /** Ends the running command. */
  stop(): void {
    if (this.#running !== undefined) process.kill(-this.#running, "SIGKILL");
  }

  /** Kills the command, but not the parent that measures it. */
  kill(): void {
    const running = this.#running;
    if (running === undefined) return;
    const children = this.#canWeigh ? readFileSync(`/proc/${running}/task/${running}/children`, "utf8").trim() : String(running);
    for (const pid of children.split(" ")) process.kill(Number(pid), "SIGKILL");
  }

  #start([file = "", ...args]: readonly string[], output: number): Promise<{ exit: number | null; ms: number }> {
    return new Promise((done, failed) => {
      const began = performance.now();
      // The command and the parent that measures it are in a process group of their own, so that both end together.
      const child = spawn(file, args, {
        cwd: this.#folder,
        env: this.#variables,
        detached: true,
        stdio: ["ignore", output, output],
      });
      this.#running = child.pid;
      const timer = setTimeout(() => this.stop(), this.#timeoutMs);
      child.on("error", failed);
      child.on("exit", (exit) => {
        const ms = performance.now() - began;
        clearTimeout(timer);
        this.#running = undefined;
        done({ exit, ms });
      });
    });
  }
}
