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

test("a request that never left is not sent", () => {
  expect(of({ kind: "not-sent" })).toBe("not-sent");
});

test("a lost connection is ambiguous", () => {
  expect(of({ kind: "no-answer" })).toBe("ambiguous");
});

test.each([400, 401, 403, 404, 409, 422])("status %i in the form of the service is a refusal", (status) => {
  expect(of(answered(status))).toBe("refused");
  expect(of(answered(status, { trusted: false }))).toBe("ambiguous");
});

test.each([301, 302, 307, 308, 408, 410, 418, 500, 502, 503, 504])("status %i is ambiguous", (status) => {
  expect(of(answered(status))).toBe("ambiguous");
});

test("status 429, and 503 with Retry-After, refuse the write for now", () => {
  expect(of(answered(429))).toBe("refused-later");
  expect(of(answered(503, { retryAfter: true }))).toBe("refused-later");
});

test("a success that cannot be read is ambiguous", () => {
  expect(of(answered(200))).toBe("acknowledged");
  expect(of(answered(201))).toBe("acknowledged");
  expect(of(answered(200, { trusted: false }))).toBe("ambiguous");
});

test("the profile decides which status codes are refusals", () => {
  expect(meaningOf(answered(410), [410])).toBe("refused");
  expect(meaningOf(answered(404), [410])).toBe("ambiguous");
});
