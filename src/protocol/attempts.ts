import { isoTime } from "../base/time/date.ts";
import { pauseWords } from "../base/time/http-date.ts";
import { serviceOf } from "../services/services.ts";
import type { AttemptIntended, StepProblem } from "./record.ts";
import { type AttemptFacts, type AttemptState, hadNoEffect, isRefused, undecidedOf } from "./attempt-state.ts";

/** The next action for a write, given the outcomes of its attempts. */
export type Decided =
  | { readonly do: "begin" }
  | {
      readonly do: "send-again" | "await-receipt" | "complete" | "judge-refusal" | "probe";
      readonly attempt: number;
    }
  | { readonly do: "stop"; readonly outcome: "unknown" | "failed"; readonly problem: StepProblem };

/** How often a write may be sent under one claim, if its attempts do no harm to each other. */
export const ATTEMPTS_PER_CLAIM = 5;

/** Decides the next action for a write under a claim. Pure. A write that may take effect a second time is never sent again. */
export function decideAttempts(
  attempts: readonly AttemptState[],
  { awaitsReceipt, epoch }: { readonly awaitsReceipt: boolean; readonly epoch: number },
): Decided {
  const attempt = attempts.length - 1;
  const last = attempts[attempt];
  if (last === undefined || last.past) return { do: "begin" };
  if (last.settled?.verdict === "applied" || last.settled?.verdict === "unchanged") return { do: "complete", attempt };
  const isSeparable = last.intended.separable === true;
  if (last.settled?.verdict === "absent" && isRefused(last)) return { do: "judge-refusal", attempt };
  if (last.settled !== undefined) return sendAgainOrGiveUp(attempts, last, epoch);
  // A superseded attempt may have arrived in the meantime and caused the refusal. Of several items, some may have been done.
  const refused = { do: isSeparable || mayStillArrive(attempts) ? "probe" : "judge-refusal", attempt } as const;
  if (last.receipt !== undefined) return last.receipt.committed ? { do: "complete", attempt } : refused;
  if (last.answered === undefined) return { do: "probe", attempt };
  switch (last.answered.meaning) {
    case "ambiguous":
      return { do: "probe", attempt };
    case "acknowledged":
      if (!awaitsReceipt) return { do: "complete", attempt };
      // An accepted write is not yet a completed one.
      return { do: last.answered.receiptId === null ? "probe" : "await-receipt", attempt };
    case "refused":
      return refused;
    case "refused-later":
      return isSeparable ? { do: "probe", attempt } : sendAgainOrGiveUp(attempts, last, epoch);
    case "not-sent":
      return sendAgainOrGiveUp(attempts, last, epoch);
  }
}

/** Returns the baseline of the first attempt that may still arrive. A later baseline may already show the effect of that attempt. */
export function standingBaseline(
  attempts: readonly AttemptState[],
): Pick<AttemptIntended, "baseline" | "baselineAt"> | undefined {
  return undecidedOf(attempts).find(isSuperseded)?.intended;
}

/** Returns the attempts that may still arrive, whatever the outcome of later ones: those that were superseded or changed nothing. */
export function lateAttempts(attempts: readonly AttemptState[]): readonly AttemptState[] {
  return undecidedOf(attempts).filter((attempt) => isSuperseded(attempt) || attempt.settled?.verdict === "unchanged");
}

/** Whether an attempt may still arrive, whatever the outcome of later ones. */
export function mayStillArrive(attempts: readonly AttemptState[]): boolean {
  return lateAttempts(attempts).length > 0;
}

/** Whether an attempt is known to have taken effect. An attempt whose receipt was never read, or that was superseded, may still take effect later. */
export function hasTakenEffect({ intended, answered, receipt, settled }: AttemptState): boolean {
  if (settled !== undefined) return settled.verdict === "applied";
  if (receipt !== undefined) return receipt.committed;
  return answered?.meaning === "acknowledged" && !mayHaveReceipt(intended);
}

/** Whether the service may give receipts for a write. If so, its acknowledgement means only that it was accepted, even without a receipt id. */
export function mayHaveReceipt({ operation }: Pick<AttemptIntended, "operation">): boolean {
  const service = serviceOf(operation);
  // An operation that this version does not know may have receipts.
  return service === undefined || service.receipts !== undefined;
}

/** Returns the latest service time at which anything was learnt about an attempt; `undefined` if the service gave no time. */
export function learntAt({ answered, receipt, settled }: AttemptState): number | undefined {
  const times = [answered, receipt, settled].flatMap((record) => record?.serviceAt ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function isSuperseded({ settled }: AttemptState): boolean {
  return settled?.verdict === "superseded";
}

function sendAgainOrGiveUp(attempts: readonly AttemptState[], last: AttemptState, epoch: number): Decided {
  const sent = attempts.filter((each) => each.epoch === epoch).length;
  if (sent < ATTEMPTS_PER_CLAIM) return { do: "send-again", attempt: attempts.length - 1 };
  return mayStillArrive(attempts)
    ? { do: "stop", outcome: "unknown", problem: notSeen(last, sent) }
    : { do: "stop", outcome: "failed", problem: notAccepted(last, sent) };
}

/** Whether the service has refused every attempt that may have taken effect, so that none can be in flight any more. */
export function areRefused(attempts: readonly AttemptState[]): boolean {
  return undecidedOf(attempts).every((each) => isRefused(each) || hadNoEffect(each));
}

/** Returns the service's message when it refused an attempt. */
export function refusalMessage({ answered, receipt }: Pick<AttemptFacts, "answered" | "receipt">): string {
  if (receipt === undefined) return answered?.message ?? "";
  const said = receipt.receipt["message"];
  return typeof said === "string" ? said : "the receipt says FAILED";
}

/** Explains why the outcome of an attempt is unknown. */
export function openProblem(attempt: AttemptState): StepProblem {
  const { intended, intendedAt, answered } = attempt;
  const at = isoTime(intendedAt);
  if (answered === undefined) {
    return {
      code: "write.unanswered",
      message: `${intended.operation} was about to be sent at ${at}, but no answer was recorded`,
      why: "the process ended in between: the write may have taken effect, so it is not sent again",
    };
  }
  if (isRefused(attempt) && intended.separable === true) {
    return {
      code: "write.undecided",
      message: `${intended.operation}, sent at ${at}, was refused: ${refusalMessage(attempt)}`,
      why: "it has several items, and the service may have carried out some of them: the environment does not declare the capability `batchIsOneTransaction`",
    };
  }
  if (answered.meaning !== "ambiguous") {
    return {
      code: "write.undecided",
      message: `${intended.operation}, sent at ${at}, was answered, but the answer does not show its outcome: ${answered.message ?? (answered.receiptId === null ? "it names no receipt" : "its receipt is not decided")}`,
      why: "this attempt or an earlier one may have taken effect, so it is not sent again",
    };
  }
  return {
    code: "write.ambiguous",
    message: `${intended.operation}, sent at ${at}, has no answer that can be trusted: ${answered.message ?? "no answer"}`,
    why: "it may have taken effect or may still do so, so it is not sent again",
  };
}

function notAccepted({ intended, answered }: AttemptState, sent: number): StepProblem {
  if (answered?.meaning !== "not-sent" && answered?.meaning !== "refused-later") {
    return {
      code: "service.no-answer",
      message: `${intended.operation} was sent ${sent} times, and no answer can be trusted: ${answered?.message ?? "no answer"}`,
      why: "none of the attempts has taken effect, and none can any more, so nothing has changed",
    };
  }
  return {
    code: answered.meaning === "not-sent" ? "service.unreachable" : "service.busy",
    message: `${intended.operation} could not be delivered in ${sent} attempts: ${answered.message ?? "no answer"}`,
    why: `the service accepted none of them, so nothing has changed${pauseWords(answered)}`,
  };
}

function notSeen({ intended, answered }: AttemptState, sent: number): StepProblem {
  return {
    code: "write.ambiguous",
    message: `${intended.operation} was sent ${sent} times, and no answer can be trusted: ${answered?.message ?? "no answer"}`,
    why: "no trace of any attempt is visible, and each may still take effect",
  };
}
