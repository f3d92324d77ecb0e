import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { chainOfSpellings, hostileSecret, mixed, shownOf, SPELLINGS, spelt, WRITTEN } from "../../spellings.ts";

const SHOWN = "${{ secrets.KEY }}";
const hard = 'p@ss/w+rd "quoted" \\ ünï !\'()*~';
const redact = redactor([new Secret("KEY", hard)]);

const withoutBackslash = hostileSecret.map((value) => value.replaceAll("\\", "/"));

test("a secret shows its name wherever it is turned into text", () => {
  const secret = new Secret("KEY", "hidden");
  expect([String(secret), JSON.stringify({ secret })]).toEqual([SHOWN, `{"secret":"${SHOWN}"}`]);
  expect(secret.reveal()).toBe("hidden");
  expect(Object.values(secret)).toEqual(["KEY", undefined]);
});

test.for(WRITTEN)("a secret is masked when it travels as %s", ([name, spell]) => {
  const clean = redact(`before ${spell(hard)} after`);
  expect(shownOf(clean, hard)).toEqual([]);
  if (name in SPELLINGS) expect(clean).toBe(`before ${SHOWN} after`);
  else expect(clean).toMatch(/^before .*\$\{\{ secrets\.KEY \}\}.* after$/s);
});

test("a secret is masked in every spelling of a mixture of writers, and what is around it is not", () => {
  fc.assert(
    fc.property(hostileSecret, chainOfSpellings, (value, chain) => {
      const text = `{"said":"${spelt(chain, value)}"} <b>after</b>`;
      expect(redactor([new Secret("KEY", value)])(text)).toBe(`{"said":"${SHOWN}"} <b>after</b>`);
    }),
    { numRuns: 3_000 },
  );
});

test("a secret is masked when each of its characters is written in another way", () => {
  fc.assert(
    fc.property(withoutBackslash, fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (value, choices) => {
      expect(redactor([new Secret("KEY", value)])(`before ${mixed(value, choices)} after`)).toBe(`before ${SHOWN} after`);
    }),
    { numRuns: 3_000 },
  );
});

test("a secret is masked in the base64 of any text, whatever is around it and however that is written", () => {
  fc.assert(
    fc.property(hostileSecret, fc.string(), fc.string(), chainOfSpellings, (value, before, after, chain) => {
      const text = spelt(chain, Buffer.from(`${before}${value}${after}`).toString("base64"));
      expect(shownOf(redactor([new Secret("KEY", value)])(text), value)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test("what is left of a secret where a text was cut is masked too", () => {
  expect(redact(`before ${hard.slice(0, 12)}…`)).toBe(`before ${SHOWN}…`);
});

test("the parts of an address that is a secret are masked, and its host and plain words are not", () => {
  const address =
    "https://desk-user:pass%2Fw0rd+x@hooks.example.com/services/T0042AAAA/of-the-desk?token=of-the-address&kind=alerting";
  const clean = redactor([new Secret("KEY", address)]);
  const parts = ["desk-user", "pass%2Fw0rd+x", "pass/w0rd+x", "T0042AAAA", "of-the-desk", "of-the-address"];
  for (const part of [address, ...parts, ...parts.map(encodeURIComponent), "/services/T0042AAAA/of-the-desk"])
    expect(clean(`before ${part} after`)).toBe(`before ${SHOWN} after`);
  expect(shownOf(clean(Buffer.from("desk-user:pass/w0rd+x").toString("base64")), "pass/w0rd+x")).toEqual([]);
  expect(clean("hooks.example.com serves alerting services")).toBe("hooks.example.com serves alerting services");
});

test("a text without end in which everything could be an escape is looked through in time", () => {
  for (const part of ["\\", "%25", "&amp;", "\\u005c", "\n", "+", "a"]) {
    const text = part.repeat(50_000);
    expect(redact(`${text}${hard}`).slice(-SHOWN.length)).toBe(SHOWN);
  }
});

test("where two secrets overlap nothing of either is left", () => {
  const both = redactor([new Secret("A", "abcdef"), new Secret("B", "defghi"), new Secret("C", "bc")]);
  expect(both("xx abcdefghi yy")).toBe("xx ${{ secrets.A }} yy");
  expect(both("bc abcdef")).toBe("${{ secrets.C }} ${{ secrets.A }}");
});

test("a secret that is a word of the mask does not garble it", () => {
  expect(redactor([new Secret("KEY", "xyz"), new Secret("WORD", "secrets")])("xyz")).toBe(SHOWN);
});

test("an empty secret, or none, changes nothing", () => {
  expect(redactor([])("text")).toBe("text");
  expect(redactor([new Secret("KEY", "")])("text")).toBe("text");
  expect(redactor([new Secret("KEY", "k")])("a k b")).toBe(`a ${SHOWN} b`);
});

test("no text keeps a secret, whatever surrounds it", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ minLength: 12 }), (before, after, value) => {
      fc.pre(!before.includes(value) && !after.includes(value));
      expect(redactor([new Secret("KEY", value)])(before + value + after)).not.toContain(value);
    }),
  );
});
