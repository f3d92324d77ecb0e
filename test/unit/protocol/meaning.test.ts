import { expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import { type ExchangeFacts, meaningOf } from "../../../src/protocol/meaning.ts";

const answered = (status: number, more: Partial<Extract<ExchangeFacts, { kind: "answered" }>> = {}): ExchangeFacts => ({
  kind: "answered",
  status,
  trusted: true,
  retryAfter: false,
  ...more,
});
const of = (facts: ExchangeFacts): string => meaningOf(facts, DEFAULT_PROFILE.refusals);

test("headers that never left make a write safe to send again", () => {
  expect(of({ kind: "not-sent" })).toBe("not-sent");
});

test("a lost connection is ambiguous", () => {
  expect(of({ kind: "no-answer" })).toBe("ambiguous");
});

test.each([400, 401, 403, 404, 409, 422])("%i in the service's own words is a refusal", (status) => {
  expect(of(answered(status))).toBe("refused");
  expect(of(answered(status, { trusted: false }))).toBe("ambiguous");
});

test.each([301, 302, 307, 308, 408, 410, 418, 500, 502, 503, 504])("%i may have taken effect", (status) => {
  expect(of(answered(status))).toBe("ambiguous");
});

test("429, and 503 with Retry-After, mean not now", () => {
  expect(of(answered(429))).toBe("refused-later");
  expect(of(answered(503, { retryAfter: true }))).toBe("refused-later");
});

test("a success that cannot be read is no success", () => {
  expect(of(answered(200))).toBe("acknowledged");
  expect(of(answered(201))).toBe("acknowledged");
  expect(of(answered(200, { trusted: false }))).toBe("ambiguous");
});

test("which codes are refusals is the profile's to say", () => {
  expect(meaningOf(answered(410), [410])).toBe("refused");
  expect(meaningOf(answered(404), [410])).toBe("ambiguous");
});
