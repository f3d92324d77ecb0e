import { isoTime } from "../base/time/date.ts";
import { hadNoEffect } from "../protocol/attempt-state.ts";
import type { AttemptAnswered, AttemptIntended, AttemptSettled, ReceiptRead } from "../protocol/record.ts";
import type { AttemptReport, ReceiptReport } from "./shape.ts";

/** The records about one attempt of a write. */
export interface Attempt {
  /** The record of its intent. */
  readonly intended: AttemptIntended;
  /** When the intent was recorded, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The record of its answer; left out before there is one. */
  answered?: AttemptAnswered;
  /** The record of its final receipt; left out before there is one. */
  receipt?: ReceiptRead;
  /** The record of the verdict that other evidence gave; left out before there is one. */
  settled?: AttemptSettled;
}

/** Adds a record to an attempt. */
export function learn(attempt: Attempt, record: AttemptAnswered | ReceiptRead | AttemptSettled): void {
  if (record.kind === "attempt.answered") attempt.answered = record;
  else if (record.kind === "receipt.read") attempt.receipt = record;
  else attempt.settled = record;
}

/** Returns whether the attempt may have taken effect, or may still do so, without anybody having seen it. */
export function isOpen(attempt: Attempt): boolean {
  const { answered, receipt, settled } = attempt;
  if (settled !== undefined) return settled.verdict === "superseded";
  if (receipt === undefined && answered?.meaning === "acknowledged") return false;
  return receipt?.committed !== true && !hadNoEffect(attempt);
}

/** Returns whether the attempt is known to have taken effect. */
export function hasEffect({ answered, receipt, settled }: Attempt): boolean {
  return (
    settled?.verdict === "applied" ||
    receipt?.committed === true ||
    (answered?.meaning === "acknowledged" && receipt === undefined && settled === undefined)
  );
}

/** Returns the ledger's id of the write, from its receipt or its answer. */
export function transactionOf({ answered, receipt, settled }: Attempt): string | null {
  return (
    textAt(receipt?.receipt, "transactionId") ?? textAt(answered?.payload, "transactionId") ?? settled?.transactionId ?? null
  );
}

/** Returns the receipt of an attempt; null if there is none. */
export function receiptOf({ answered, receipt }: Attempt): ReceiptReport | null {
  const receiptId = answered?.receiptId ?? textAt(receipt?.receipt, "receiptId");
  if (receiptId === null && receipt === undefined) return null;
  return {
    receiptId,
    status: textAt(receipt?.receipt, "status"),
    committed: receipt?.committed ?? null,
    message: textAt(receipt?.receipt, "message"),
  };
}

/** Returns the attempt as reports show it. */
export function attemptReport(attempt: Attempt): AttemptReport {
  const { intended, at, answered, settled } = attempt;
  return {
    attempt: intended.attempt,
    at: isoTime(at),
    operation: intended.operation,
    input: intended.input,
    request: intended.request,
    separable: intended.separable === true,
    baseline: intended.baseline ?? null,
    meaning: answered?.meaning ?? null,
    status: answered?.status ?? null,
    message: answered?.message ?? null,
    receiptId: answered?.receiptId ?? null,
    receipt: receiptOf(attempt),
    settled: settled === undefined ? null : { verdict: settled.verdict, evidence: settled.evidence },
    durationMs: answered?.durationMs ?? null,
  };
}

/** Returns the text under a key of an object; null if there is none. */
export function textAt(value: unknown, key: string): string | null {
  if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return null;
  const found: unknown = (value as Readonly<Record<string, unknown>>)[key];
  return typeof found === "string" ? found : null;
}
