import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseJson } from "../../../src/base/json/json.ts";
import type { CrashReport, TriedBoundary } from "../../../src/report/crash/shape.ts";
import { crashJson, crashLines } from "../../../src/report/crash/text.ts";
import { SchemaSet } from "../../../src/schema/validator.ts";

const HOSTILE = "::error::\u001b[31mred\n##vso[task.complete]";

function tried(point: string, more: Partial<TriedBoundary> = {}): TriedBoundary {
  const step = /@(.*)$/s.exec(point)?.[1] ?? null;
  const replay = `tokenbook test --crash-everywhere one.yaml --at ${point} --keep crashed`;
  return { point, step, verdict: "same", missed: false, setTwice: 0, writes: [], differences: [], replay, ...more };
}

function report(boundaries: readonly TriedBoundary[], more: Partial<CrashReport> = {}): CrashReport {
  const numberOf = (verdict: TriedBoundary["verdict"]): number => boundaries.filter((each) => each.verdict === verdict).length;
  return {
    playbook: { file: "one.yaml", name: "One" },
    problem: null,
    boundaries,
    totals: {
      tried: boundaries.length,
      same: numberOf("same"),
      unknown: numberOf("unknown"),
      answerLost: numberOf("answer-lost"),
      different: numberOf("different"),
      missed: boundaries.filter(({ missed }) => missed).length,
      setTwice: boundaries.filter(({ setTwice }) => setTwice > 0).length,
      notTried: 0,
    },
    durationMs: 2_345,
    ...more,
  };
}

const MINT = { step: "mint", operation: "ledger.token.mint" };
const OF_EACH_KIND = report([
  tried("before:run.closed", { missed: true }),
  tried("sent@mint", { verdict: "unknown", writes: [{ ...MINT, tookEffect: true }] }),
  tried("after:attempt.intended@mint", { verdict: "unknown", writes: [{ ...MINT, tookEffect: false }] }),
  tried("sent@set", { setTwice: 1 }),
  tried("sent@buy", { verdict: "answer-lost", differences: ["buy: response is null"] }),
  tried("before:attempt.answered@buy", { verdict: "answer-lost", differences: ["buy: response is null"] }),
  tried("after:attempt.answered@mint", { verdict: "different", differences: ["took effect 1 time too often: mint\nof ONE"] }),
]);

test("the report of a crash test counts each verdict by step, and shows the command that repeats a violation", () => {
  expect(crashLines(OF_EACH_KIND)).toEqual([
    "⚡ One  (one.yaml)",
    "  step            killed  same  unknown  took effect  answer lost  DIFFERENT",
    "  the run itself       1     1        0            0            0          0",
    "  mint                 3     0        2            1            0          1",
    "  set                  1     1        0            0            0          0",
    "  buy                  2     0        0            0            2          0",
    "  ! answer lost: buy: response is null",
    "  ✗ DIFFERENT  killed at after:attempt.answered@mint",
    "      · took effect 1 time too often: mint",
    "      · of ONE",
    "      replay: tokenbook test --crash-everywhere one.yaml --at after:attempt.answered@mint --keep crashed",
    "  ✗ 7 boundaries: 2 same, 2 unknown, 2 failed because an answer was lost, 1 violation; after 1 a value was set twice, which changes nothing; 1 not reached again, because steps that run side by side have no fixed order in 2.3 s",
  ]);
});

test("the report of a crash test shows what was not tested, also after an interrupt", () => {
  const problem = {
    code: "test.not-passed",
    message: "failed at look: there is no token",
    why: null,
    next: "tokenbook run one.yaml",
  };
  expect(crashLines(report([], { problem }))).toEqual([
    "⚡ One  (one.yaml)",
    "  ✗ not tested",
    "    test.not-passed: failed at look: there is no token",
    "    next: tokenbook run one.yaml",
  ]);
  const one = report([tried("sent@mint")]);
  expect(crashLines({ ...one, totals: { ...one.totals, notTried: 13 } }).at(-1)).toBe(
    "  ✓ 1 boundary: 1 same, 0 unknown, no violation; interrupted: 13 not tried in 2.3 s",
  );
});

test("no line of the report of a crash test begins with a foreign text, or is obeyed", () => {
  const hostile = report(
    [
      tried(`sent@mint[${HOSTILE}]`, { verdict: "different", differences: [HOSTILE], replay: HOSTILE }),
      tried(`sent@mint[${HOSTILE}]`, { verdict: "answer-lost", differences: [HOSTILE] }),
    ],
    { playbook: { file: HOSTILE, name: HOSTILE } },
  );
  const problem = { code: "test.not-passed", message: HOSTILE, why: HOSTILE, next: HOSTILE };
  for (const text of [crashLines(hostile), crashLines({ ...hostile, problem })].map((lines) => lines.join("\n"))) {
    expect(text).not.toMatch(/^\s*::/m);
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("##vso[");
  }
});

test("the JSON of a crash test matches its schema, and is ok only if everything was tried and nothing differs", () => {
  const validate = new SchemaSet().validator(JSON.parse(readFileSync("schemas/crash.schema.json", "utf8")) as object);
  const problem = { code: "test.not-passed", message: "no", why: null, next: null };
  const fine = report([tried("sent@mint")]);
  const late = { ...fine, totals: { ...fine.totals, notTried: 1 } };
  for (const [playbooks, ok] of [
    [[fine], true],
    [[fine, OF_EACH_KIND], false],
    [[late], false],
    [[report([], { problem })], false],
  ] as const) {
    const text = crashJson(playbooks);
    expect(validate(parseJson(text))).toEqual([]);
    expect((JSON.parse(text) as { ok: boolean }).ok).toBe(ok);
  }
  for (const field of ['"format"', '"problem"', '"point"', '"tried"', '"tookEffect"']) {
    const stray = crashJson([OF_EACH_KIND]).replace(field, `"stray": 1, ${field}`);
    expect(
      validate(parseJson(stray)).map(({ keyword }) => keyword),
      field,
    ).toEqual(["additionalProperties"]);
  }
});
