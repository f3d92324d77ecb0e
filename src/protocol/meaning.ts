import type { AnswerMeaning } from "./record.ts";

/** What became of one HTTP exchange, as the protocol sees it. */
export type ExchangeFacts =
  /** The headers never left: DNS, refused, TLS, connect timeout. */
  | { readonly kind: "not-sent" }
  /** They left, and no complete answer came back. */
  | { readonly kind: "no-answer" }
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The body is what the contract promises or, of an error to a write, in the service's own form: what a gateway says proves nothing. */
      readonly trusted: boolean;
      readonly retryAfter: boolean;
    };

/** What an exchange of a write means. The rule that everything rests on: what is not surely a refusal may have taken effect. */
export function meaningOf(facts: ExchangeFacts, refusals: readonly number[]): AnswerMeaning {
  if (facts.kind === "not-sent") return "not-sent";
  if (facts.kind === "no-answer") return "ambiguous";
  const { status, trusted, retryAfter } = facts;
  if (!trusted) return "ambiguous"; // such as the page of a gateway, behind which the service may have done it
  if (isNotNow(status, retryAfter)) return "refused-later";
  if (refusals.includes(status)) return "refused";
  return status >= 200 && status < 300 ? "acknowledged" : "ambiguous";
}

/** Whether an answer says that it is to be asked again later; of a write it holds only in the service's own words. */
export function isNotNow(status: number | null, retryAfter: boolean): boolean {
  return status === 429 || (status === 503 && retryAfter);
}
