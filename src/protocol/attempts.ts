import type { AttemptIntended, StepProblem } from "./record.ts";
import { type AttemptState, undecidedOf } from "./state.ts";

/** What follows for one write from what became of its sendings. */
export type Decided =
  | { readonly do: "begin" }
  | {
      readonly do: "send-again" | "await-receipt" | "complete" | "judge-refusal" /** Look what became of it. */ | "probe";
      readonly attempt: number;
    }
  | { readonly do: "stop"; readonly outcome: "unknown" | "failed"; readonly problem: StepProblem };

/** How often a write may be sent anew under one claim, when no sending can do harm beside another. */
export const SENDINGS_PER_CLAIM = 5;

/** Decides what a write does next under a claim. Pure. Nothing that may take effect a second time is ever sent again. */
export function decideAttempts(
  attempts: readonly AttemptState[],
  { awaitsReceipt, epoch }: { readonly awaitsReceipt: boolean; readonly epoch: number },
): Decided {
  const attempt = attempts.length - 1;
  const last = attempts[attempt];
  if (last === undefined || last.past) return { do: "begin" };
  if (last.settled?.verdict === "applied" || last.settled?.verdict === "unchanged") return { do: "complete", attempt };
  if (last.settled !== undefined) return sendAgainOrGiveUp(attempts, last, epoch);
  // One that was superseded may have arrived in between: then it is the reason for the refusal.
  const refused = { do: mayStillArrive(attempts) ? "probe" : "judge-refusal", attempt } as const;
  if (last.receipt !== undefined) return last.receipt.committed ? { do: "complete", attempt } : refused;
  if (last.answered === undefined) return { do: "probe", attempt };
  switch (last.answered.meaning) {
    case "ambiguous":
      return { do: "probe", attempt };
    case "acknowledged":
      if (!awaitsReceipt) return { do: "complete", attempt };
      // That it was taken is no evidence that it was done.
      return { do: last.answered.receiptId === null ? "probe" : "await-receipt", attempt };
    case "refused":
      return refused;
    case "not-sent":
    case "refused-later":
      return sendAgainOrGiveUp(attempts, last, epoch);
  }
}

/** The baseline of the first sending that may still arrive: what was there before it is what counts. */
export function standingBaseline(
  attempts: readonly AttemptState[],
): Pick<AttemptIntended, "baseline" | "baselineAt"> | undefined {
  return undecidedOf(attempts).find(isSuperseded)?.intended;
}

/** Whether one of the attempts that were superseded, or changed nothing, may still arrive, whatever befell those after it. */
export function mayStillArrive(attempts: readonly AttemptState[]): boolean {
  return undecidedOf(attempts).some((attempt) => isSuperseded(attempt) || attempt.settled?.verdict === "unchanged");
}

function isSuperseded({ settled }: AttemptState): boolean {
  return settled?.verdict === "superseded";
}

function sendAgainOrGiveUp(attempts: readonly AttemptState[], last: AttemptState, epoch: number): Decided {
  const sendings = attempts.filter((each) => each.epoch === epoch).length;
  if (sendings < SENDINGS_PER_CLAIM) return { do: "send-again", attempt: attempts.length - 1 };
  return mayStillArrive(attempts)
    ? { do: "stop", outcome: "unknown", problem: notSeen(last, sendings) }
    : { do: "stop", outcome: "failed", problem: notAccepted(last, sendings) };
}

/** Why nobody knows what became of an attempt. */
export function openProblem({ intended, intendedAt, answered }: AttemptState): StepProblem {
  const at = new Date(intendedAt).toISOString();
  if (answered === undefined) {
    return {
      code: "write.unanswered",
      message: `${intended.operation} was about to be sent at ${at}, and no answer was recorded`,
      why: "the process ended in between: the write may have taken effect, so it is not sent again",
    };
  }
  if (answered.meaning !== "ambiguous") {
    return {
      code: "write.undecided",
      message: `${intended.operation}, sent at ${at}, was answered, and that does not tell what became of it: ${answered.message ?? (answered.receiptId === null ? "it names no receipt" : "its receipt is not decided")}`,
      why: "it, or an earlier sending of it, may have taken effect, so it is not sent again",
    };
  }
  return {
    code: "write.ambiguous",
    message: `${intended.operation}, sent at ${at}, has no answer that can be trusted: ${answered.message ?? "no answer"}`,
    why: "it may have taken effect, or still take effect, so it is not sent again",
  };
}

function notAccepted({ intended, answered }: AttemptState, sendings: number): StepProblem {
  return {
    code: answered?.meaning === "not-sent" ? "service.unreachable" : "service.busy",
    message: `${intended.operation} could not be delivered in ${sendings} tries: ${answered?.message ?? "no answer"}`,
    why: "the service took none of them, so nothing has changed",
  };
}

function notSeen({ intended, answered }: AttemptState, sendings: number): StepProblem {
  return {
    code: "write.ambiguous",
    message: `${intended.operation} was sent ${sendings} times, and no answer can be trusted: ${answered?.message ?? "no answer"}`,
    why: "none of them can be seen, and any of them may still take effect",
  };
}
