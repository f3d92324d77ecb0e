import type { AnswerMeaning } from "./record.ts";

/** The outcome of one HTTP exchange, as the protocol sees it. */
export type ExchangeFacts =
  /** The headers never left: DNS failed, the connection was refused or timed out, or TLS failed. */
  | { readonly kind: "not-sent" }
  /** The headers left, but no complete answer came back. */
  | { readonly kind: "no-answer" }
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Whether the body matches the contract or, for an error to a write, the service's own format. An answer of a gateway proves nothing. */
      readonly trusted: boolean;
      readonly retryAfter: boolean;
    };

/** Returns the meaning of the exchange of a write. The central rule: a write may have taken effect unless it was certainly refused. */
export function meaningOf(facts: ExchangeFacts, refusals: readonly number[]): AnswerMeaning {
  if (facts.kind === "not-sent") return "not-sent";
  if (facts.kind === "no-answer") return "ambiguous";
  const { status, trusted, retryAfter } = facts;
  if (!trusted) return "ambiguous"; // for example the page of a gateway; the service behind it may have done the write
  if (isNotNow(status, retryAfter)) return "refused-later";
  if (refusals.includes(status)) return "refused";
  return status >= 200 && status < 300 ? "acknowledged" : "ambiguous";
}

/** Whether an answer asks to try again later. For a write this counts only in the service's own format. */
export function isNotNow(status: number | null, retryAfter: boolean): boolean {
  return status === 429 || (status === 503 && retryAfter);
}
