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

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The times between a stop of a run and its resume, when nothing worked on it. */
export class Stops {
  readonly #spans: Span[] = [];
  /** When the latest claim began. */
  claimedAt = 0;
  /** When the last record was made; 0: nothing was done yet. */
  #lastAt = 0;

  /** Takes each record of the run. */
  take({ kind, at }: RunRecord): void {
    if (kind === "run.claimed") {
      if (this.#lastAt > 0 && at > this.#lastAt) this.#spans.push({ from: this.#lastAt, to: at });
      this.claimedAt = at;
    }
    this.#lastAt = kind === "run.opened" ? 0 : at;
  }

  /** Returns how long nothing worked on the run within a time, or on a step that has stops of its own. */
  stoppedMs({ from, to }: Span, own: readonly Span[] = []): number {
    let [stopped, until] = [0, from];
    for (const span of [...this.#spans, ...own].toSorted((a, b) => a.from - b.from)) {
      stopped += Math.max(0, Math.min(to, span.to) - Math.max(until, span.from));
      until = Math.max(until, span.to);
    }
    return stopped;
  }
}

/** How long a step took: `durationMs` of work, and beside it the time in which nothing could be done, and in which it was stopped. */
export interface Times {
  /** The time of work, in milliseconds. */
  readonly durationMs: number;
  /** The time in which nothing could be done, in milliseconds. */
  readonly waitedMs: number;
  /** The time between a stop and its resume, in milliseconds. */
  readonly stoppedMs: number;
}

/** When a step began, and how long it took, with all attempts and resumes of it. */
export class StepTimes {
  readonly #stops: Stops;
  #startedAt: number | undefined;
  #endedAt: number | undefined;
  #waitedMs = 0;
  /** When it stopped, until it continues. */
  #stoppedAt: number | undefined;
  #ownStops: Span[] = [];
  /** Of the steps that it holds. */
  #held = { durationMs: 0, waitedMs: 0 };
  /** What of it those that hold it have counted. */
  #counted = { durationMs: 0, waitedMs: 0 };

  constructor(stops: Stops) {
    this.#stops = stops;
  }

  /** Milliseconds since the Unix epoch; `undefined` when it has not begun. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** Takes a record of the step. What was complete and is done again begins again. */
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

  /** Takes how long it waited beside its records. */
  wait(ms: number): void {
    this.#waitedMs += ms;
  }

  /** Takes how much longer a step that it holds took than was known. */
  hold({ durationMs, waitedMs }: Omit<Times, "stoppedMs">): void {
    this.#held.durationMs += durationMs;
    this.#held.waitedMs += waitedMs;
  }

  /** Returns how much longer it took than when this was asked last; nothing before its end. */
  takeNew(): Omit<Times, "stoppedMs"> {
    const { durationMs, waitedMs } = this.total ?? this.#counted;
    const before = this.#counted;
    this.#counted = { durationMs, waitedMs };
    return { durationMs: durationMs - before.durationMs, waitedMs: waitedMs - before.waitedMs };
  }

  /** Begins again, as if nothing had been recorded. */
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
    // Rounds side by side wait at the same time, or while others work.
    const waitedMs = Math.min(this.#waitedMs + this.#held.waitedMs, Math.max(0, leftMs - this.#held.durationMs));
    return { durationMs: leftMs - waitedMs, waitedMs, stoppedMs };
  }
}

function startIn(record: StepRecord): number {
  if (record.kind === "step.completed" || record.kind === "step.stopped") return Math.min(record.startedAt, record.at);
  return record.kind === "attempt.intended" ? Math.min(record.startedAt ?? record.at, record.at) : record.at;
}
