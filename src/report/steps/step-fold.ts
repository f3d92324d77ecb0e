import { isoTime } from "../../base/time/date.ts";
import type { JsonObject } from "../../base/json/json.ts";
import type { RunOutcome, RunRecord, StepCompleted, StepStopped } from "../../protocol/record.ts";
import type { StepHeading } from "../../protocol/heading.ts";
import { keysOf } from "../../protocol/address.ts";
import { type Attempt, attemptReport, hasEffect, isOpen, learn, receiptOf, textAt, transactionOf } from "../attempt.ts";
import type { RowOutcome, StepReport } from "../shape.ts";
import { type StepRecord, StepTimes, type Stops } from "./step-times.ts";

/** The outcome of one step, or of one round of it: the fold of its records. */
export class StepFold {
  #heading: StepHeading;
  /** Its id, in a `foreach` its key too: `approvals[bob]`, and before it the steps that include it. */
  readonly address: string;
  /** When it began, and how long it took. */
  readonly times: StepTimes;
  readonly #attempts = new Map<number, Attempt>();
  #begunAt: number | undefined;
  #isRescued = false;
  #isGone = false;
  /** It is a `foreach` over nothing. */
  #isEmpty = false;
  #endedWith: RunOutcome | undefined;
  /** The row of what has ended, until something more is heard of it. */
  #row: StepReport | undefined;
  #ending: (RunRecord & (StepCompleted | StepStopped)) | undefined;

  constructor(heading: StepHeading, stops: Stops, address: string = heading.id) {
    this.times = new StepTimes(stops);
    this.#heading = heading;
    this.address = address;
  }

  /** As the playbook has it. */
  get heading(): StepHeading {
    return this.#heading;
  }

  /** Somebody has edited the playbook. */
  rewrite(heading: StepHeading): void {
    this.#row = undefined;
    this.#isGone = false;
    this.#heading = heading;
  }

  /** Somebody has taken it out of the playbook. What it did stays, and how else it ended is of no matter any more. */
  takenOut(): void {
    this.#row = undefined;
    this.#isGone = true;
  }

  /** Whether something of it stays when it is taken out of the playbook. */
  get leavesSomething(): boolean {
    return this.#ending?.kind === "step.completed" || this.#hasEffect;
  }

  get #hasEffect(): boolean {
    return [...this.#attempts.values()].some(hasEffect);
  }

  /** When its beginning was recorded, in milliseconds since the Unix epoch; `undefined` without such a record. */
  get begunAt(): number | undefined {
    return this.#begunAt;
  }

  /** It holds other steps. */
  get isContainer(): boolean {
    return this.heading.kind === "block" || this.heading.kind === "include";
  }

  /** It is done again, as if nothing had been recorded. */
  forget(): void {
    this.#row = undefined;
    this.#attempts.clear();
    this.#begunAt = undefined;
    this.#ending = undefined;
    this.#isEmpty = false;
    this.#isRescued = false;
    this.times.forget();
  }

  /** It failed, or a step in it did, and a block around it continued with its rescue. */
  rescued(): void {
    this.#row = undefined;
    this.#isRescued = true;
  }

  /** The list of its `foreach` is empty. */
  heldNothing(): void {
    this.#row = undefined;
    this.#isEmpty = true;
  }

  /** How the run ended while it was under way; `undefined` while the run continues. */
  endWith(outcome: RunOutcome | undefined): void {
    this.#row = undefined;
    this.#endedWith = outcome;
  }

  /** Takes a record; one that comes after a stop takes the stop's place. */
  take(record: StepRecord): void {
    this.#row = undefined;
    this.times.take(record);
    if (record.kind === "step.completed" || record.kind === "step.stopped") {
      this.#ending = record;
      return;
    }
    this.#ending = undefined;
    if (record.kind === "step.begun") {
      this.#begunAt = record.at;
      return;
    }
    if (record.kind === "attempt.intended") {
      this.#attempts.set(record.attempt, { intended: record, at: record.at });
      return;
    }
    const attempt = this.#attempts.get(record.attempt);
    if (attempt !== undefined) learn(attempt, record);
  }

  /** Whether anything of it was recorded. */
  get hasBegun(): boolean {
    return this.#ending !== undefined || this.#begunAt !== undefined || this.#attempts.size > 0;
  }

  /** Whether it is complete or has stopped. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** Whether it has failed, or holds steps and has no end. */
  get isOpen(): boolean {
    if (this.#ending !== undefined) return this.#ending.outcome === "failed";
    return this.isContainer && this.#begunAt !== undefined;
  }

  /** Its outcome, as far as its records show it. */
  get outcome(): RowOutcome {
    if (this.#isGone && this.#ending?.kind !== "step.completed" && this.#hasEffect) return "changed";
    if (this.#ending !== undefined) {
      const { outcome } = this.#ending;
      if (this.#isEmpty && outcome === "ok") return "skipped"; // nothing was done
      return this.#isRescued && outcome === "failed" ? "rescued" : outcome;
    }
    if (this.#begunAt !== undefined) return this.#isRescued ? "rescued" : (verdictOf(this.#endedWith) ?? "pending");
    const attempts = [...this.#attempts.values()];
    if (attempts.length === 0) return "not-run";
    return attempts.some(isOpen) ? "unknown" : "pending";
  }

  /** The row as it is now. */
  report(): StepReport {
    if (this.#ending === undefined) return this.#asRow();
    return (this.#row ??= this.#asRow());
  }

  #asRow(): StepReport {
    const attempts = [...this.#attempts.values()];
    const last = attempts.at(-1);
    const ending = this.#ending;
    const completed = ending?.kind === "step.completed" ? ending : undefined;
    const { startedAt, total: times } = this.times;
    const keys = keysOf(this.address);
    return {
      step: this.address,
      id: this.heading.id,
      kind: this.heading.kind ?? "call",
      ...(keys.length === 0 ? {} : { key: keys.join(", ") }),
      name: this.heading.name,
      uses: this.heading.uses,
      file: this.heading.file ?? null,
      line: this.heading.line,
      depth: this.heading.depth ?? 0,
      actor: last?.intended.actor ?? ending?.actor ?? null,
      as: last?.intended.as ?? ending?.as ?? null,
      outcome: this.outcome,
      transactionId: textAt(completed?.value, "transactionId") ?? (last === undefined ? null : transactionOf(last)),
      receipt: last === undefined ? null : receiptOf(last),
      attempts: attempts.map(attemptReport),
      requests: attempts.length > 0 ? attempts.length : (ending?.requests ?? 0),
      startedAt: startedAt === undefined ? null : isoTime(startedAt),
      durationMs: times?.durationMs ?? null,
      waitedMs: times?.waitedMs ?? null,
      stoppedMs: times?.stoppedMs ?? null,
      response: completed?.value["response"] ?? null,
      refusal: textAt(completed?.value, "refusal"),
      problem: ending?.kind === "step.stopped" && !this.#isGone ? ending.problem : null,
      warning: completed?.warning ?? null,
      comparison: ending?.comparison ?? null,
      balances: balancesIn(completed?.value),
      held: completed?.held ?? null,
    };
  }
}

// The engine records them so; a record that somebody has damaged is refused before it comes here.
function balancesIn(value: JsonObject | undefined): StepReport["balances"] {
  const { balances } = value ?? {};
  return Array.isArray(balances) ? balances : null;
}

// What holds other steps ends as the worst of them.
function verdictOf(outcome: RunOutcome | undefined): RowOutcome | undefined {
  return outcome === "failed" || outcome === "unknown" || outcome === "conflict" || outcome === "drift" ? outcome : undefined;
}
