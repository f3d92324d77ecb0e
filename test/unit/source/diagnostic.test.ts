import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { formatDiagnostic, withinLimit } from "../../../src/source/diagnostic.ts";
import { SourceFile } from "../../../src/source/file.ts";

const finding = { code: "schema.value", message: "it is wrong" } as const;

function shown(text: string, word: string): string {
  const start = text.indexOf(word);
  return formatDiagnostic(new SourceFile("dir/file.yaml", text).diagnose(finding, { start, end: start + word.length }));
}

test("a diagnostic shows place, message, frame, reason and fix", () => {
  const file = new SourceFile("a.yaml", "one: 1\ntwo: 2\nthree: 3\nfour: 4\nfive: 5\n");
  const diagnostic = file.diagnose({ ...finding, why: "because", suggestion: "fix it" }, { start: 21, end: 22 });
  expect(formatDiagnostic(diagnostic).split("\n")).toEqual([
    "a.yaml:3:8 error schema.value",
    "  it is wrong",
    "    1 | one: 1",
    "    2 | two: 2",
    "  > 3 | three: 3",
    "      |        ^",
    "    4 | four: 4",
    "  why: because",
    "  fix: fix it",
  ]);
});

test("a very long line is cut around the mark", () => {
  const lines = shown(`${"x".repeat(500)}WORD${"y".repeat(500)}`, "WORD").split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
  const [text = "", mark = ""] = lines.slice(2);
  expect(text.slice(mark.indexOf("^"), mark.indexOf("^") + 4)).toBe("WORD");
});

test("a long line elsewhere in the file does not change the frame", () => {
  expect(shown(`${"x".repeat(500)}\n\n\n\nWORD`, "WORD")).toContain("> 5 | WORD");
});

test("the mark is below its place even if characters before it are shown as escapes", () => {
  const [text = "", mark = ""] = shown("a: \u202a\u200eC: WORD", "WORD").split("\n").slice(2);
  expect(text).toContain("\\u202a\\u200eC");
  expect(text.slice(mark.indexOf("^"), mark.lastIndexOf("^") + 1)).toBe("WORD");
});

test("a place of many lines has its mark where it begins", () => {
  const text = "a: 1\nb: [\n  1,\n  2,\n]\n";
  const frame = new SourceFile("a.yaml", text).diagnose(finding, { start: 8, end: text.length }).frame;
  expect(frame.match(/\^/g)).toHaveLength(1);
});

test("foreign text cannot control a terminal, and cannot begin a line", () => {
  const file = new SourceFile("a.yaml", "a: \u001b[31m\u202e\n::error::b\n");
  const text = formatDiagnostic(
    file.diagnose(
      { code: "schema.value", message: "x\n::error::message", why: "y\n##vso[task]", suggestion: "z\n::set-output::" },
      { start: 3, end: 9 },
    ),
  );
  expect(text).not.toMatch(/^(?:::|##)/m);
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("\u202e");
});

test("many findings are printed up to a limit, errors first, and a line names the command that shows them all", () => {
  const file = new SourceFile("a.yaml", "x".repeat(500));
  const found = (code: "schema.value" | "playbook.maybe-no-receipt", many: number, from: number) =>
    Array.from({ length: many }, (_, at) => file.diagnose({ code, message: "no" }, { start: from + at, end: from + at + 1 }));
  const checks = [
    { diagnostics: found("playbook.maybe-no-receipt", 100, 0) },
    { diagnostics: found("schema.value", LIMITS.diagnosticsAsText - 1, 100) },
  ];
  const { checks: printed, more } = withinLimit(checks, "tokenbook check --json .");
  expect(printed.map(({ diagnostics }) => diagnostics.length)).toEqual([1, LIMITS.diagnosticsAsText - 1]);
  expect(more).toBe("99 more findings not shown; to see all of them: tokenbook check --json .");
  expect(withinLimit(checks.slice(0, 1), "").more).toBeUndefined();
});
