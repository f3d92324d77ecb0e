import type { AttemptAnswered, AttemptIntended, AttemptSettled, ReceiptRead, RunRecord } from "./record.ts";

/** All that is known about one attempt of a write. */
export interface AttemptState {
  readonly intended: AttemptIntended;
  /** When the intent was recorded, in milliseconds since the Unix epoch. */
  readonly intendedAt: number;
  /** The number of the intent among the records of the run. */
  readonly sequence: number;
  /** The claim under which it was sent. */
  readonly epoch: number;
  /** The answer; `undefined` if the process ended before it arrived. */
  answered: (RunRecord & AttemptAnswered) | undefined;
  /** The final receipt, once it has been read. */
  receipt: (RunRecord & ReceiptRead) | undefined;
  /** The outcome by other evidence, where the answer did not show it. */
  settled: AttemptSettled | undefined;
  /** Whether the attempt no longer matters: it had no effect and belongs to an earlier claim. */
  past: boolean;
  /** Whether a released holder may be alive and may still send the attempt, however late. */
  mayStillBeSent: boolean;
}

/** Returns an attempt with nothing but an intent. */
export function newAttempt(intended: RunRecord & AttemptIntended): AttemptState {
  const { at: intendedAt, sequence, epoch } = intended;
  return {
    intended,
    intendedAt,
    sequence,
    epoch,
    answered: undefined,
    receipt: undefined,
    settled: undefined,
    past: false,
    mayStillBeSent: false,
  };
}

/** Returns the attempts after the last absent one: if that one never takes effect, no earlier one does. */
export function undecidedOf(attempts: readonly AttemptState[]): readonly AttemptState[] {
  return attempts.slice(attempts.findLastIndex(({ settled }) => settled?.verdict === "absent") + 1);
}

/** The records of one attempt. */
export interface AttemptFacts {
  /** The record of its intent. */
  readonly intended: AttemptIntended;
  /** The record of its answer. */
  readonly answered?: AttemptAnswered | undefined;
  /** The record of its final receipt. */
  readonly receipt?: ReceiptRead | undefined;
  /** The record of its outcome by other evidence. */
  readonly settled?: AttemptSettled | undefined;
}

/** Whether the service refused the attempt, in its answer or in its receipt. */
export function isRefused({ answered, receipt }: Pick<AttemptFacts, "answered" | "receipt">): boolean {
  return receipt === undefined ? answered?.meaning === "refused" : !receipt.committed;
}

/** Whether the attempt certainly changed nothing. */
export function hadNoEffect(attempt: AttemptFacts): boolean {
  const { intended, answered, settled } = attempt;
  if (settled !== undefined) return settled.verdict === "absent";
  if (answered?.meaning === "not-sent") return true;
  return intended.separable !== true && (isRefused(attempt) || answered?.meaning === "refused-later");
}
