import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
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
const ONBOARDING = "playbooks/onboarding/property-sale.yaml";
const ORIGINALS = globSync(["playbooks/**/*.yaml", "test/correct/*.yaml"])
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, "utf8");
    return { path, text: path === ONBOARDING ? text.replace("inputs:\n", INPUTS) : text };
  });
// FUZZ_RUNS=10000 checks ten times as many.
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1_000);
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

// A place is a fraction of the text, so that it stays valid when a failure shrinks the changes before it.
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

test(`${RUNS} damaged playbooks are checked without a throw (seed ${SEED})`, { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.constantFrom(...ORIGINALS), fc.array(mutation, { minLength: 1, maxLength: 4 }), (original, mutations) => {
      const text = mutations.reduce((spoiled, mutate) => mutate(spoiled), original.text);
      const path = `${dirname(original.path)}/spoiled.yaml`;
      const { playbook, diagnostics } = checkPlaybook(path, text, realFiles);
      expect(playbook === undefined).toBe(diagnostics.some(({ file, severity }) => file === path && severity === "error"));
      const lines = text.split("\n").length;
      for (const diagnostic of diagnostics.filter(({ file }) => file === path)) {
        expect(diagnostic.line).toBeLessThanOrEqual(lines);
        expect(formatDiagnostic(diagnostic)).not.toContain("\u0000");
        expect(formatDiagnostic(diagnostic)).not.toMatch(/undefined|\[object/);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
