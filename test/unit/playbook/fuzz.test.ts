import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { realFiles } from "./helper.ts";

const INPUTS = `inputs:
  from: { type: date, minimum: 2026-01-01, default: "2026-03-01T12:00:00Z" }
  holders:
    type: list
    unique: holder
    items: { type: object, properties: { holder: { type: entity }, amount: { type: decimal, minimum: "0.01" } } }
    default: [{ holder: "userId:alice", amount: "1.50" }]
  prices: { type: file, default: test/unit/playbook/data/prices.yaml, schema: test/faulty/data/prices.schema.json }
  table:
    type: file
    format: csv
    schema: { type: array, items: { type: object, properties: { a: { $ref: "#/$defs/a" } } }, $defs: { a: { type: number, multipleOf: 0.01 } } }
`;
const ORIGINAL = readFileSync("playbooks/onboarding/property-sale.yaml", "utf8").replace("inputs:\n", INPUTS);
const SEED = 20_260_401;
const SCRAPS = [
  "[",
  "]",
  "{",
  "}",
  '"',
  "'",
  "${{",
  "}}",
  ": ",
  "- ",
  "\n",
  "\t",
  "#",
  "&a ",
  "*a",
  "!x ",
  "|",
  ">",
  "%",
  "\u0000",
  "\ufeff",
  "\r\n",
  "?",
  "0x1",
  "1e999",
  "${{ steps }}",
  "${{ steps.token.id }}",
  "${{ 1 / 0 }}",
  "response.",
  "has(",
  "__proto__: 1\n",
  "in",
  "true",
  "null",
  "~",
  "9".repeat(1_100),
  "((((",
  "a.map(b, ",
];

// A place is a fraction of the text, so that a failure shrinks whatever came before it.
const place = fc.nat({ max: 999_999 }).map((at) => at / 1_000_000);
type Mutation = (text: string) => string;
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  place.map((at) => onLines((lines, line) => lines.toSpliced(line, 1), at)),
  place.map((at) => onLines((lines, line) => lines.toSpliced(line, 0, lines[line] ?? ""), at)),
  fc.tuple(place, place).map(([at, other]) => onLines((lines, line) => swap(lines, line, Math.floor(other * lines.length)), at)),
  fc.tuple(place, fc.string({ unit: "binary", minLength: 1, maxLength: 1 })).map(([at, char]) => splice(at, 1, char)),
  fc.tuple(place, fc.nat({ max: 30 })).map(([at, length]) => splice(at, length, "")),
  fc.tuple(place, fc.constantFrom(...SCRAPS)).map(([at, scrap]) => splice(at, 0, scrap)),
  fc.tuple(place, fc.constantFrom(...SCRAPS)).map(([at, scrap]) => splice(at, scrap.length, scrap)),
);

function onLines(change: (lines: readonly string[], line: number) => readonly string[], at: number): Mutation {
  return (text) => {
    const lines = text.split("\n");
    return change(lines, Math.floor(at * lines.length)).join("\n");
  };
}

function swap(lines: readonly string[], one: number, other: number): readonly string[] {
  return lines.with(one, lines[other] ?? "").with(other, lines[one] ?? "");
}

function splice(at: number, length: number, insert: string): Mutation {
  return (text) => {
    const start = Math.floor(at * text.length);
    return text.slice(0, start) + insert + text.slice(start + length);
  };
}

test(`2,000 spoiled playbooks are checked without a throw, each within a second (seed ${SEED})`, { timeout: 120_000 }, () => {
  // What is compiled once is no part of what a spoiled text costs.
  expect(checkPlaybook("right.yaml", ORIGINAL, realFiles).playbook).toBeDefined();
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      const text = mutations.reduce((spoiled, mutate) => mutate(spoiled), ORIGINAL);
      const start = performance.now();
      const { playbook, diagnostics } = checkPlaybook("spoiled.yaml", text, realFiles);
      expect(performance.now() - start).toBeLessThan(1_000);
      expect(playbook === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
      const lines = text.split("\n").length;
      for (const diagnostic of diagnostics) {
        expect(diagnostic.line).toBeLessThanOrEqual(lines);
        expect(formatDiagnostic(diagnostic)).not.toContain("\u0000");
        expect(formatDiagnostic(diagnostic)).not.toMatch(/undefined|\[object/);
      }
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});
