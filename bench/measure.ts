import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Stopwatch } from "./process.ts";
import type { Runner, Task } from "./runners.ts";
import { type Counts, expectedCounts } from "./scenario.ts";
import type { BenchService } from "./service.ts";

/** The number of requests and files in one run. */
export interface Size {
  readonly requests: number;
  readonly files: number;
}

/** The times and the memory of one runner on one size, a value for each round. */
export interface Series {
  readonly runner: Runner;
  readonly size: Size;
  readonly ms: number[];
  readonly peakMb: number[];
}

/** Runs the runners, and checks that each run did all of its work. */
export class Meter {
  /** What a runner did wrong. If it did something wrong, its times mean nothing. */
  readonly wrong: string[] = [];
  /** The number of runs that did exactly what they were asked to do. */
  right = 0;
  readonly #folder: string;
  readonly #stopwatch: Stopwatch;
  readonly #service: BenchService;

  constructor(folder: string, stopwatch: Stopwatch, service: BenchService) {
    this.#folder = folder;
    this.#stopwatch = stopwatch;
    this.#service = service;
  }

  /** Checks that a runner passes a true expectation and fails a false one, and makes every request. */
  async verify(runner: Runner, requests: number): Promise<boolean> {
    const before = this.wrong.length;
    for (const falsified of [false, true]) await this.#run(runner, { requests, files: 1 }, falsified);
    return this.wrong.length === before;
  }

  /** Adds one run to a series. */
  async measure(series: Series): Promise<void> {
    const { ms, peakMb } = await this.#run(series.runner, series.size, false);
    series.ms.push(ms);
    if (peakMb !== undefined) series.peakMb.push(peakMb);
  }

  async #run(runner: Runner, size: Size, falsified: boolean): Promise<{ ms: number; peakMb: number | undefined }> {
    const task: Task = { ...size, falsified, state: join(this.#folder, "state") };
    await this.#service.asked();
    const ran = await this.#stopwatch.run(runner.command(task));
    const { counts } = await this.#service.asked();
    rmSync(task.state, { recursive: true, force: true });
    const problems = [...exitProblem(ran.exit, falsified), ...countProblem(counts, runner, size)];
    if (problems.length === 0) this.right++;
    else
      this.wrong.push(
        `${runner.name}, ${describe(runner, size, falsified)}: ${problems.join("; ")}\n${ran.output.slice(-1_500)}`,
      );
    return ran;
  }
}

function exitProblem(exit: number | null, falsified: boolean): readonly string[] {
  if (exit !== null && (exit === 0) !== falsified) return [];
  return [falsified ? `a wrong expectation went unnoticed (exit ${exit})` : `it failed (exit ${exit})`];
}

function countProblem(counts: Counts, runner: Runner, { requests, files }: Size): readonly string[] {
  const expected = expectedCounts(runner.chain, requests, files, runner.guards);
  const names = Object.keys(expected) as (keyof Counts)[];
  return names.flatMap((name) =>
    counts[name] === expected[name] ? [] : [`${counts[name]} ${name} requests reached the server, not ${expected[name]}`],
  );
}

function describe(runner: Runner, { requests, files }: Size, falsified: boolean): string {
  return `${runner.chain} chain, ${files} × ${requests}${falsified ? ", falsified" : ""}`;
}

/** Returns the median; `undefined` if there are no values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle];
  return sorted.length % 2 === 1 || high === undefined ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}
