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
      /** The body could be read as what the contract promises, or, for a refusal, as JSON or text. */
      readonly readable: boolean;
      readonly retryAfter: boolean;
    };

/** What an exchange of a write means. The rule that everything rests on: what is not surely a refusal may have taken effect. */
export function meaningOf(facts: ExchangeFacts, refusals: readonly number[]): AnswerMeaning {
  if (facts.kind === "not-sent") return "not-sent";
  if (facts.kind === "no-answer") return "ambiguous";
  const { status, readable, retryAfter } = facts;
  if (!readable) return "ambiguous"; // such as the page of a gateway, behind which the service may have done it
  if (isNotNow(status, retryAfter)) return "refused-later";
  if (refusals.includes(status)) return "refused";
  return status >= 200 && status < 300 ? "acknowledged" : "ambiguous";
}

/** Whether an answer says that it is to be asked again later; of a write it holds only in the service's own words. */
export function isNotNow(status: number | null, retryAfter: boolean): boolean {
  return status === 429 || (status === 503 && retryAfter);
}
