import type { AttemptAnswered, AttemptIntended, AttemptSettled, ReceiptRead, RunRecord } from "./record.ts";

/** All that is known about an attempt of a write. */
export interface AttemptState {
  readonly intended: AttemptIntended;
  /** In milliseconds since the Unix epoch. */
  readonly intendedAt: number;
  /** The place of its intent in the journal. */
  readonly sequence: number;
  /** The claim under which it was sent. */
  readonly epoch: number;
  /** `undefined` when the process ended before an answer came. */
  answered: (RunRecord & AttemptAnswered) | undefined;
  /** The final receipt, once it was read. */
  receipt: ReceiptRead | undefined;
  /** What evidence showed, when the answer did not say it. */
  settled: AttemptSettled | undefined;
  /** Whether it no longer matters: it had no effect and belongs to an earlier claim. */
  past: boolean;
  /** Whether a released holder may be alive and still send it, however late. */
  mayStillBeSent: boolean;
}

/** Returns an attempt that is only intended. */
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

/** Returns the attempts of a write after the last absent one: if that one never takes effect, no earlier one does. */
export function undecidedOf(attempts: readonly AttemptState[]): readonly AttemptState[] {
  return attempts.slice(attempts.findLastIndex(({ settled }) => settled?.verdict === "absent") + 1);
}

/** What records say of one attempt. */
export interface AttemptFacts {
  /** The record of its intent. */
  readonly intended: AttemptIntended;
  /** The record of its answer. */
  readonly answered?: AttemptAnswered | undefined;
  /** The record of its final receipt. */
  readonly receipt?: ReceiptRead | undefined;
  /** The record of what other evidence decided. */
  readonly settled?: AttemptSettled | undefined;
}

/** Whether the service said that it does not carry out the attempt: in its answer, or in its receipt. */
export function isRefused({ answered, receipt }: Pick<AttemptFacts, "answered" | "receipt">): boolean {
  return receipt === undefined ? answered?.meaning === "refused" : !receipt.committed;
}

/** Whether it is beyond doubt that the attempt changed nothing. */
export function hadNoEffect(attempt: AttemptFacts): boolean {
  const { intended, answered, settled } = attempt;
  if (settled !== undefined) return settled.verdict === "absent";
  if (answered?.meaning === "not-sent") return true;
  return intended.separable !== true && (isRefused(attempt) || answered?.meaning === "refused-later");
}
