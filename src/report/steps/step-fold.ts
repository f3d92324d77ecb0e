import { isoTime } from "../../base/time/date.ts";
import type { JsonObject } from "../../base/json/json.ts";
import type { RunOutcome, RunRecord, StepCompleted, StepStopped } from "../../protocol/record.ts";
import type { StepHeading } from "../../protocol/heading.ts";
import { keysOf } from "../../protocol/address.ts";
import { type Attempt, attemptReport, hasEffect, isOpen, learn, receiptOf, textAt, transactionOf } from "../attempt.ts";
import type { RowOutcome, StepReport } from "../shape.ts";
import { type StepRecord, StepTimes, type Stops } from "./step-times.ts";

/** The outcome of one step, or of one round of it, which is the fold of its records. */
export class StepFold {
  #heading: StepHeading;
  /** Its id, with its key in a `foreach` (`approvals[bob]`), after the steps that include it. */
  readonly address: string;
  /** When it began and how long it took. */
  readonly times: StepTimes;
  readonly #attempts = new Map<number, Attempt>();
  #begunAt: number | undefined;
  #isRescued = false;
  #isGone = false;
  /** Whether it is a `foreach` over an empty list. */
  #isEmpty = false;
  #endedWith: RunOutcome | undefined;
  /** The row of an ended step, which is kept until another record changes it. */
  #row: StepReport | undefined;
  #ending: (RunRecord & (StepCompleted | StepStopped)) | undefined;

  constructor(heading: StepHeading, stops: Stops, address: string = heading.id) {
    this.times = new StepTimes(stops);
    this.#heading = heading;
    this.address = address;
  }

  /** The heading in the playbook. */
  get heading(): StepHeading {
    return this.#heading;
  }

  /** Updates the heading after somebody has edited the playbook. */
  rewrite(heading: StepHeading): void {
    this.#row = undefined;
    this.#isGone = false;
    this.#heading = heading;
  }

  /** Notes that somebody has removed the step from the playbook. Its effects stay in the report, but any other ending no longer matters. */
  takenOut(): void {
    this.#row = undefined;
    this.#isGone = true;
  }

  /** Whether the step keeps a row after it was removed from the playbook. */
  get leavesSomething(): boolean {
    return this.#ending?.kind === "step.completed" || this.#hasEffect;
  }

  get #hasEffect(): boolean {
    return [...this.#attempts.values()].some(hasEffect);
  }

  /** When its beginning was recorded, in milliseconds since the Unix epoch; `undefined` if there is no such record. */
  get begunAt(): number | undefined {
    return this.#begunAt;
  }

  /** Whether it contains other steps. */
  get isContainer(): boolean {
    return this.heading.kind === "block" || this.heading.kind === "include";
  }

  /** Forgets all records, because the step is done again. */
  forget(): void {
    this.#row = undefined;
    this.#attempts.clear();
    this.#begunAt = undefined;
    this.#ending = undefined;
    this.#isEmpty = false;
    this.#isRescued = false;
    this.times.forget();
  }

  /** Notes that the step, or a step in it, failed, and that a block around it continued with its rescue. */
  rescued(): void {
    this.#row = undefined;
    this.#isRescued = true;
  }

  /** Notes that the list of its `foreach` is empty. */
  heldNothing(): void {
    this.#row = undefined;
    this.#isEmpty = true;
  }

  /** Notes how the run ended while the step was under way; `undefined` while the run continues. */
  endWith(outcome: RunOutcome | undefined): void {
    this.#row = undefined;
    this.#endedWith = outcome;
  }

  /** Takes a record. A record after a stop replaces the stop. */
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

  /** Whether any record about it exists. */
  get hasBegun(): boolean {
    return this.#ending !== undefined || this.#begunAt !== undefined || this.#attempts.size > 0;
  }

  /** Whether it has completed or stopped. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** Whether it has failed, or is a container without an end. */
  get isOpen(): boolean {
    if (this.#ending !== undefined) return this.#ending.outcome === "failed";
    return this.isContainer && this.#begunAt !== undefined;
  }

  /** Its outcome, according to its records. */
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

  /** Returns the row as it is now. */
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

// The engine records balances in this form. A damaged record is refused before it gets here.
function balancesIn(value: JsonObject | undefined): StepReport["balances"] {
  const { balances } = value ?? {};
  return Array.isArray(balances) ? balances : null;
}

// A container ends with the worst outcome of its steps, which is the outcome of the run.
function verdictOf(outcome: RunOutcome | undefined): RowOutcome | undefined {
  return outcome === "failed" || outcome === "unknown" || outcome === "conflict" || outcome === "drift" ? outcome : undefined;
}
