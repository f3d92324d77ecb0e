import type { StepProblem } from "./record.ts";
import type { AttemptState } from "./state.ts";

/** What follows for one write from what became of its sendings. */
export type Decided =
  | { readonly do: "begin" }
  | { readonly do: "send-again" | "await-receipt" | "complete" | "judge-refusal"; readonly attempt: number }
  | { readonly do: "stop"; readonly outcome: "unknown" | "failed"; readonly problem: StepProblem };

/** How often a write may be sent anew under one claim, when each sending surely had no effect. */
export const SENDINGS_PER_CLAIM = 5;

/** Decides what a write does next. Pure. Nothing that may have taken effect is ever sent again. */
export function decideAttempts(attempts: readonly AttemptState[], awaitsReceipt: boolean): Decided {
  const attempt = attempts.length - 1;
  const last = attempts[attempt];
  if (last === undefined || last.past) return { do: "begin" };
  if (last.settled !== undefined) return { do: last.settled.verdict === "applied" ? "complete" : "send-again", attempt };
  if (last.receipt !== undefined) return { do: last.receipt.committed ? "complete" : "judge-refusal", attempt };
  if (last.answered === undefined) return { do: "stop", outcome: "unknown", problem: unanswered(last) };
  switch (last.answered.meaning) {
    case "ambiguous":
      return { do: "stop", outcome: "unknown", problem: ambiguous(last) };
    case "acknowledged":
      return { do: awaitsReceipt && last.answered.receiptId !== null ? "await-receipt" : "complete", attempt };
    case "refused":
      return { do: "judge-refusal", attempt };
    case "not-sent":
    case "refused-later":
      return sendAgainOrGiveUp(last, attempt, attempts.filter(({ past }) => !past).length);
  }
}

function sendAgainOrGiveUp(last: AttemptState, attempt: number, sendings: number): Decided {
  if (sendings < SENDINGS_PER_CLAIM) return { do: "send-again", attempt };
  return { do: "stop", outcome: "failed", problem: notAccepted(last, sendings) };
}

function unanswered({ intended, intendedAt }: AttemptState): StepProblem {
  return {
    code: "write.unanswered",
    message: `${intended.operation} was about to be sent at ${new Date(intendedAt).toISOString()}, and no answer was recorded`,
    why: "the process ended in between: the write may have taken effect, so it is not sent again",
  };
}

function ambiguous({ intended, intendedAt, answered }: AttemptState): StepProblem {
  return {
    code: "write.ambiguous",
    message: `${intended.operation}, sent at ${new Date(intendedAt).toISOString()}, has no answer that can be trusted: ${answered?.message ?? "no answer"}`,
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
