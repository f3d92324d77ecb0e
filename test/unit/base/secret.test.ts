import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { chainOfSpellings, hostileSecret, mixed, shownOf, SPELLINGS, spelt, WRITTEN } from "../../spellings.ts";

const SHOWN = "${{ secrets.KEY }}";
const hard = 'p@ss/w+rd "quoted" \\ ünï !\'()*~';
const redact = redactor([new Secret("KEY", hard)]);

const withoutBackslash = hostileSecret.map((value) => value.replaceAll("\\", "/"));

test("a secret shows only its name when it becomes text", () => {
  const secret = new Secret("KEY", "hidden");
  expect([String(secret), JSON.stringify({ secret })]).toEqual([SHOWN, `{"secret":"${SHOWN}"}`]);
  expect(secret.reveal()).toBe("hidden");
  expect(Object.values(secret)).toEqual(["KEY", undefined]);
});

test.for(WRITTEN)("a secret is masked when it is written as %s", ([name, spell]) => {
  const clean = redact(`before ${spell(hard)} after`);
  expect(shownOf(clean, hard)).toEqual([]);
  if (name in SPELLINGS) expect(clean).toBe(`before ${SHOWN} after`);
  else expect(clean).toMatch(/^before .*\$\{\{ secrets\.KEY \}\}.* after$/s);
});

test("a secret is masked when several writers encode it one after another, and the text around it is not", () => {
  fc.assert(
    fc.property(hostileSecret, chainOfSpellings, (value, chain) => {
      const text = `{"said":"${spelt(chain, value)}"} <b>after</b>`;
      expect(redactor([new Secret("KEY", value)])(text)).toBe(`{"said":"${SHOWN}"} <b>after</b>`);
    }),
    { numRuns: 3_000 },
  );
});

test("a secret is masked when each of its characters is encoded differently", () => {
  fc.assert(
    fc.property(withoutBackslash, fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (value, choices) => {
      expect(redactor([new Secret("KEY", value)])(`before ${mixed(value, choices)} after`)).toBe(`before ${SHOWN} after`);
    }),
    { numRuns: 3_000 },
  );
});

test("a secret is masked in the base64 of any text that contains it, however the base64 is encoded", () => {
  fc.assert(
    fc.property(hostileSecret, fc.string(), fc.string(), chainOfSpellings, (value, before, after, chain) => {
      const text = spelt(chain, Buffer.from(`${before}${value}${after}`).toString("base64"));
      expect(shownOf(redactor([new Secret("KEY", value)])(text), value)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test("a secret is masked in small letters and in capitals, as in the name of a header; a plain word is not", () => {
  const key = "5F0c-Ab7E/Key+One";
  const clean = redactor([new Secret("KEY", key), new Secret("WORD", "Sandboxes")]);
  for (const spelling of [key.toLowerCase(), key.toUpperCase()])
    for (const text of [spelling, encodeURIComponent(spelling), JSON.stringify(spelling).slice(1, -1)])
      expect(clean(`before ${text} after`)).toBe(`before ${SHOWN} after`);
  expect(clean("SANDBOXES are sandboxes")).toBe("${{ secrets.WORD }} are sandboxes");
});

test("the beginning of a secret is masked where a text was cut", () => {
  expect(redact(`before ${hard.slice(0, 12)}…`)).toBe(`before ${SHOWN}…`);
});

test("the parts of a secret address are masked, and its host and plain words are not", () => {
  const address =
    "https://desk-user:pass%2Fw0rd+x@hooks.example.com/services/T0042AAAA/of-the-desk?token=of-the-address&kind=alerting";
  const clean = redactor([new Secret("KEY", address)]);
  const parts = ["desk-user", "pass%2Fw0rd+x", "pass/w0rd+x", "T0042AAAA", "of-the-desk", "of-the-address"];
  for (const part of [address, ...parts, ...parts.map(encodeURIComponent), "/services/T0042AAAA/of-the-desk"])
    expect(clean(`before ${part} after`)).toBe(`before ${SHOWN} after`);
  expect(shownOf(clean(Buffer.from("desk-user:pass/w0rd+x").toString("base64")), "pass/w0rd+x")).toEqual([]);
  expect(clean("hooks.example.com serves alerting services")).toBe("hooks.example.com serves alerting services");
});

test("a long text that is full of possible escapes is searched in time", () => {
  for (const part of ["\\", "%25", "&amp;", "\\u005c", "\n", "+", "a"]) {
    const text = part.repeat(50_000);
    expect(redact(`${text}${hard}`).slice(-SHOWN.length)).toBe(SHOWN);
  }
});

test("two secrets that overlap are both masked completely", () => {
  const both = redactor([new Secret("A", "abcdef"), new Secret("B", "defghi"), new Secret("C", "bc")]);
  expect(both("xx abcdefghi yy")).toBe("xx ${{ secrets.A }} yy");
  expect(both("bc abcdef")).toBe("${{ secrets.C }} ${{ secrets.A }}");
});

test("a secret that is a word of the mask does not change the mask", () => {
  expect(redactor([new Secret("KEY", "xyz"), new Secret("WORD", "secrets")])("xyz")).toBe(SHOWN);
});

test("a text does not change without a secret, or with an empty one", () => {
  expect(redactor([])("text")).toBe("text");
  expect(redactor([new Secret("KEY", "")])("text")).toBe("text");
  expect(redactor([new Secret("KEY", "k")])("a k b")).toBe(`a ${SHOWN} b`);
});

test("no text shows a secret, whatever surrounds it", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ minLength: 12 }), (before, after, value) => {
      fc.pre(!before.includes(value) && !after.includes(value));
      expect(redactor([new Secret("KEY", value)])(before + value + after)).not.toContain(value);
    }),
  );
});
