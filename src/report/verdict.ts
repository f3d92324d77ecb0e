import { settledText } from "./settled.ts";
import type { AttemptReport, ReceiptReport, StepReport } from "./shape.ts";

/** The outcome of one attempt of a write, and the evidence for it. */
export interface WriteVerdict {
  /** The outcome in one or two words. */
  readonly word: "acknowledged" | "applied" | "absent" | "superseded" | "unchanged" | "refused" | "not sent" | "unknown";
  /** The evidence in one sentence, which contains text from the service. */
  readonly by: string;
}

/** Returns what the guarantee says about one attempt. */
export function verdictOf(attempt: AttemptReport, step: StepReport): WriteVerdict {
  const { settled, meaning, message, receipt, separable } = attempt;
  const isLast = attempt === step.attempts.at(-1);
  if (settled !== null) {
    const again = settled.verdict === "applied" || settled.verdict === "unchanged" || isLast ? "" : "; sent again";
    return { word: settled.verdict, by: `${settledText(settled, attempt.operation)}${again}` };
  }
  const answer = answerText(attempt);
  if (separable && (receipt?.committed === false || meaning?.startsWith("refused") === true))
    return {
      word: "unknown",
      by: `${receipt === null ? answer : receiptText(receipt)}; some of its items may have taken effect`,
    };
  switch (meaning) {
    case "acknowledged":
      if (receipt === null || receipt.committed === null) return { word: "acknowledged", by: `${answer}; no receipt was read` };
      return { word: receipt.committed ? "acknowledged" : "refused", by: receiptText(receipt) };
    case "refused":
      return { word: "refused", by: `${answer}: no effect` };
    case "refused-later":
      return { word: "refused", by: `${answer}: not now, no effect${isLast ? "" : "; sent again"}` };
    case "not-sent":
      return { word: "not sent", by: `${message ?? answer}: no effect${isLast ? "" : "; sent again"}` };
    case "ambiguous":
    case null:
      return { word: "unknown", by: message ?? answer };
  }
}

function receiptText({ receiptId, status, message }: ReceiptReport): string {
  return [`receipt ${status ?? ""}`, receiptId, message === null || message === "" ? null : `“${message}”`]
    .filter((part) => part !== null)
    .join(" ");
}

function answerText({ meaning, status, message }: AttemptReport): string {
  if (meaning === null) return "no answer was recorded";
  return message ?? (status === null ? "no answer came" : `HTTP ${status}`);
}
