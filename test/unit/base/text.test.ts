import { expect, test } from "vitest";
import { dangersOf, INVISIBLE, READABLE } from "../report/hostile.ts";
import { count, didYouMean, quoted, sanitise } from "../../../src/base/text/text.ts";

test("escape sequences, control characters and direction overrides are shown as escapes", () => {
  expect(sanitise("\u001b[31mred\u0007 \u009b2J \u202eabc\u2066\r")).toBe(
    "\\u001b[31mred\\u0007 \\u009b2J \\u202eabc\\u2066\\u000d",
  );
  expect(sanitise("\u001b]52;c;aGk=\u0007")).not.toContain("\u001b");
  expect(sanitise("ünïcode\ttab\nline")).toBe("ünïcode\ttab\nline");
});

test("invisible characters are shown as escapes, but for those that emoji and scripts need", () => {
  expect(sanitise("a\u200bb\ufeff\u00ad\u2060\u180e\u3164 \u{e0041}")).toBe(
    String.raw`a\u200bb\ufeff\u00ad\u2060\u180e\u3164 \udb40\udc41`,
  );
  for (const text of READABLE) expect(sanitise(text)).toBe(text);
  // Two amounts that look alike, a row of selectors that hides a message, and a joiner that joins nothing.
  expect(sanitise("1\ufe0f00")).toBe(String.raw`1\ufe0f00`);
  expect(sanitise("❤\ufe0f\ufe0f\u{e0101}")).toBe(`❤\ufe0f${String.raw`\ufe0f\udb40\udd01`}`);
  expect(sanitise("pay\u200dee")).toBe(String.raw`pay\u200dee`);
  for (const text of INVISIBLE) expect(dangersOf(sanitise(text))).toEqual([]);
  expect(JSON.parse(sanitise(JSON.stringify(INVISIBLE)))).toEqual(INVISIBLE);
});

test("a similar name is suggested, and a very different one is not", () => {
  const names = ["ledger.token.mint", "ledger.token.burn", "investor.sales.list"];
  expect(didYouMean("ledger.token.mnt", names)).toBe("ledger.token.mint");
  expect(didYouMean("LEDGER.TOKEN.BURN", names)).toBe("ledger.token.burn");
  expect(didYouMean("POST /token", names)).toBeUndefined();
  expect(didYouMean("x", [])).toBeUndefined();
  for (const [name, other] of [
    ["c", "a"],
    ["foo", "ok"],
    ["tags", "as"],
  ] as const)
    expect(didYouMean(name, [other])).toBeUndefined();
  for (const [name, other] of [
    ["naem", "name"],
    ["ID", "id"],
    ["use", "uses"],
  ] as const)
    expect(didYouMean(name, [other])).toBe(other);
});

test("a name of a million characters gets no suggestion", () => {
  expect(
    didYouMean(
      "x".repeat(1_000_000),
      Array.from({ length: 1_000 }, (_, at) => `name${at}`),
    ),
  ).toBeUndefined();
});

test("nouns agree with their number", () => {
  expect([count(0, "step"), count(1, "step"), count(2, "step")]).toEqual(["0 steps", "1 step", "2 steps"]);
});

test("a word is quoted if a shell would change it", () => {
  expect(["mint", "playbooks/a.yaml", "my book.yaml", "pay[$(id)]", "it's"].map(quoted)).toEqual([
    "mint",
    "playbooks/a.yaml",
    "'my book.yaml'",
    "'pay[$(id)]'",
    String.raw`'it'\''s'`,
  ]);
});
