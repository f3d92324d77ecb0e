import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redactor, Secret } from "../../../src/base/secret.ts";

const SHOWN = "${{ secrets.KEY }}";
const hard = 'p@ss/w+rd "quoted" \\ ünï !\'()*~';
const redact = redactor([new Secret("KEY", hard)]);

test("a secret shows its name wherever it is turned into text", () => {
  const secret = new Secret("KEY", "hidden");
  expect([String(secret), JSON.stringify({ secret })]).toEqual([SHOWN, `{"secret":"${SHOWN}"}`]);
  expect(secret.reveal()).toBe("hidden");
  expect(Object.values(secret)).toEqual(["KEY", undefined]);
});

test.for<[string, string]>([
  ["plain", hard],
  ["inside JSON", JSON.stringify(hard).slice(1, -1)],
  ["inside JSON that is told inside of JSON", JSON.stringify(JSON.stringify(hard).slice(1, -1)).slice(1, -1)],
  ["inside JSON with escaped slashes", JSON.stringify(hard).slice(1, -1).replaceAll("/", "\\/")],
  ["percent-encoded", encodeURIComponent(hard)],
  ["percent-encoded in small letters", encodeURIComponent(hard).replaceAll(/%../g, (code) => code.toLowerCase())],
  ["as a form field", new URLSearchParams({ x: hard }).toString().slice(2)],
  ["base64", Buffer.from(hard).toString("base64")],
  ["base64 for URLs", Buffer.from(hard).toString("base64url")],
])("a secret is masked when it travels %s", ([, spelling]) => {
  expect(redact(`before ${spelling} after`)).toMatch(/^before \$\{\{ secrets\.KEY \}\}=* after$/);
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
});

test("no text keeps a secret, whatever surrounds it", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ minLength: 12 }), (before, after, value) => {
      fc.pre(!before.includes(value) && !after.includes(value));
      expect(redactor([new Secret("KEY", value)])(before + value + after)).not.toContain(value);
    }),
  );
});
