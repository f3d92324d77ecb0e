import { type CaseOutcome, type ConformanceCase, isAsExpected } from "./case.ts";

/** Returns the outcome of a runner as a cell of the register. */
export function cellOf(one: ConformanceCase, outcome: CaseOutcome): string {
  if (isAsExpected(one, outcome)) return outcome.end === "refused" ? "the same: refused" : "the same";
  const { end, requests, why } = outcome;
  const sent = JSON.stringify(requests) === JSON.stringify(one.expect.requests) ? "" : `; ${sentBy(requests)}`;
  return `**${end}**${why === undefined ? "" : `: ${why}`}${end === "refused" ? "" : sent}`;
}

function sentBy(requests: readonly string[]): string {
  return requests.length === 0 ? "nothing is sent" : requests.map((each) => `\`${each}\``).join(", ");
}
