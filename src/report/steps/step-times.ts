import type {
  AttemptAnswered,
  AttemptIntended,
  AttemptSettled,
  ReceiptRead,
  RunRecord,
  StepBegun,
  StepCompleted,
  StepStopped,
} from "../../protocol/record.ts";

/** A record about one step. */
export type StepRecord = RunRecord &
  (StepBegun | AttemptIntended | AttemptAnswered | ReceiptRead | AttemptSettled | StepCompleted | StepStopped);

interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The times between a stop of a run and its resume, in which no process worked on it. */
export class Stops {
  readonly #spans: TimeSpan[] = [];
  /** When the latest claim began. */
  claimedAt = 0;
  /** When the last record was made; 0 before the first one. */
  #lastAt = 0;

  /** Takes each record of the run. */
  take({ kind, at }: RunRecord): void {
    if (kind === "run.claimed") {
      if (this.#lastAt > 0 && at > this.#lastAt) this.#spans.push({ from: this.#lastAt, to: at });
      this.claimedAt = at;
    }
    this.#lastAt = kind === "run.opened" ? 0 : at;
  }

  /** Returns how long no process worked on the run within a time span. `own` adds the stops of a single step. */
  stoppedMs({ from, to }: TimeSpan, own: readonly TimeSpan[] = []): number {
    let [stopped, until] = [0, from];
    for (const span of [...this.#spans, ...own].toSorted((a, b) => a.from - b.from)) {
      stopped += Math.max(0, Math.min(to, span.to) - Math.max(until, span.from));
      until = Math.max(until, span.to);
    }
    return stopped;
  }
}

/** How long a step took: `durationMs` of work, besides the time in which nothing could be done and the time in which it was stopped. */
export interface Times {
  /** The time of work, in milliseconds. */
  readonly durationMs: number;
  /** The time in which nothing could be done, in milliseconds. */
  readonly waitedMs: number;
  /** The time between a stop and its resume, in milliseconds. */
  readonly stoppedMs: number;
}

/** When a step began and how long it took, including all its attempts and resumes. */
export class StepTimes {
  readonly #stops: Stops;
  #startedAt: number | undefined;
  #endedAt: number | undefined;
  #waitedMs = 0;
  /** When it stopped. Unset when it continues. */
  #stoppedAt: number | undefined;
  #ownStops: TimeSpan[] = [];
  /** The times of the steps inside it. */
  #held = { durationMs: 0, waitedMs: 0 };
  /** The part of its times that the containers around it have already counted. */
  #counted = { durationMs: 0, waitedMs: 0 };

  constructor(stops: Stops) {
    this.#stops = stops;
  }

  /** Milliseconds since the Unix epoch; `undefined` if it has not begun. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** Takes a record of the step. If the step was complete and is done again, its times begin again. */
  take(record: StepRecord): void {
    if (this.#endedAt !== undefined && this.#stoppedAt === undefined) this.forget();
    const startedAt = startIn(record);
    if (this.#stoppedAt !== undefined) {
      const begunAgainAt = "startedAt" in record && record.startedAt > this.#stoppedAt ? record.startedAt : this.#stops.claimedAt;
      this.#ownStops.push({ from: this.#stoppedAt, to: begunAgainAt });
    }
    this.#startedAt = Math.min(startedAt, this.#startedAt ?? startedAt);
    if ("waitedMs" in record) this.#waitedMs += record.waitedMs ?? 0;
    this.#stoppedAt = record.kind === "step.stopped" ? record.at : undefined;
    this.#endedAt = record.kind === "step.stopped" || record.kind === "step.completed" ? record.at : undefined;
  }

  /** Adds waiting time that is not in its records. */
  wait(ms: number): void {
    this.#waitedMs += ms;
  }

  /** Adds the further time that a step inside it took. */
  hold({ durationMs, waitedMs }: Omit<Times, "stoppedMs">): void {
    this.#held.durationMs += durationMs;
    this.#held.waitedMs += waitedMs;
  }

  /** Returns how much longer it took since the last call; zero before its end. */
  takeNew(): Omit<Times, "stoppedMs"> {
    const { durationMs, waitedMs } = this.total ?? this.#counted;
    const before = this.#counted;
    this.#counted = { durationMs, waitedMs };
    return { durationMs: durationMs - before.durationMs, waitedMs: waitedMs - before.waitedMs };
  }

  /** Forgets all times, because the step is done again. */
  forget(): void {
    this.#startedAt = undefined;
    this.#endedAt = undefined;
    this.#stoppedAt = undefined;
    this.#waitedMs = 0;
    this.#ownStops = [];
    this.#held = { durationMs: 0, waitedMs: 0 };
    this.#counted = { durationMs: 0, waitedMs: 0 };
  }

  /** How long it took; `undefined` before its end. */
  get total(): Times | undefined {
    if (this.#startedAt === undefined || this.#endedAt === undefined) return undefined;
    const span = { from: this.#startedAt, to: this.#endedAt };
    const stoppedMs = this.#stops.stoppedMs(span, this.#ownStops);
    const leftMs = Math.max(0, span.to - span.from - stoppedMs);
    // Parallel rounds may wait at the same time, or while others work.
    const waitedMs = Math.min(this.#waitedMs + this.#held.waitedMs, Math.max(0, leftMs - this.#held.durationMs));
    return { durationMs: leftMs - waitedMs, waitedMs, stoppedMs };
  }
}

function startIn(record: StepRecord): number {
  if (record.kind === "step.completed" || record.kind === "step.stopped") return Math.min(record.startedAt, record.at);
  return record.kind === "attempt.intended" ? Math.min(record.startedAt ?? record.at, record.at) : record.at;
}
