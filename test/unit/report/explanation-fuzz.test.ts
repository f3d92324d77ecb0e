import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, parseJson, writeJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { firstBroken } from "../../../src/engine/steps/expectations.ts";
import { explain } from "../../../src/expression/explain/explain.ts";
import { Expression, isProblem, type Scope } from "../../../src/expression/expression.ts";
import { encode } from "../../../src/journal/codec.ts";
import type { StepProblem } from "../../../src/protocol/record.ts";
import { problemLines } from "../../../src/report/problem.ts";
import { dangersOf, HOSTILE } from "./hostile.ts";
import { isNightly } from "../../sizes.ts";

const SEED = 20_261_121;

const name = fc.constantFrom("a", "b", "list", "nope", "status");

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -1.5, 2e30, "", "a", "COMMITTED", "x".repeat(1_500), "\u001b[31m\n##[error]"),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const condition = fc.letrec<{ text: string; condition: string; path: string }>((tie) => ({
  path: fc.oneof(
    fc.constantFrom("response", "other", "i"),
    fc.tuple(tie("path"), name).map(([owner, field]) => `${owner}.${field}`),
    fc.tuple(tie("path"), fc.nat(3)).map(([owner, at]) => `${owner}[${at}]`),
  ),
  text: fc.oneof(
    { depthSize: "small" },
    tie("path"),
    fc.constantFrom("1", "0.10", "'a'", "null", "true", "[1, 'a']", "{'a': 1}", "(1 + 2)", "duration('1s')", "'('"),
    fc
      .tuple(tie("text"), fc.constantFrom("+", "-", "*", "/"), tie("text"))
      .map(([left, by, right]) => `(${left}) ${by} (${right})`),
    tie("text").map((text) => `size(${text})`),
    fc.tuple(tie("path"), tie("condition")).map(([list, text]) => `${list}.filter(i, ${text})`),
    fc.tuple(tie("path"), tie("text")).map(([list, text]) => `${list}.map(i, ${text})`),
  ),
  condition: fc.oneof(
    { depthSize: "small" },
    fc
      .tuple(tie("text"), fc.constantFrom("==", "!=", "<", ">=", "in"), tie("text"))
      .map(([left, by, right]) => `${left} ${by} ${right}`),
    fc.tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition")).map((parts) => `(${parts.join(" ")})`),
    tie("condition").map((text) => `!(${text})`),
    fc.tuple(tie("condition"), tie("condition"), tie("condition")).map(([first, yes, no]) => `(${first} ? ${yes} : ${no})`),
    tie("path").map((path) => `has(${path}.a)`),
    fc
      .tuple(tie("path"), fc.constantFrom("all", "exists", "exists_one"), tie("condition"))
      .map(([list, kind, text]) => `${list}.${kind}(i, ${text})`),
    tie("path"),
  ),
})).condition;

function asJson(of: unknown): Json {
  return parseJson(JSON.stringify(of) ?? "null");
}

test("each false condition has an explanation that is short, harmless, and readable from the journal", () => {
  let broken = 0;
  fc.assert(
    fc.property(condition, value, value, (text, response, other) => {
      const parsed = Expression.parse(text);
      fc.pre(!isProblem(parsed));
      const problem = firstBroken([parsed], { response: asJson(response), other: asJson(other) })?.problem;
      if (problem === undefined) return;
      broken += 1;
      const explanation = writeJson(problem.evidence);
      expect(writeJson(parseJson(explanation, LIMITS.recordDepth))).toBe(explanation);
      expect(explanation.length).toBeLessThan(300_000);
      const lines = problemLines(problem);
      expect(lines.length).toBeLessThan(250);
      expect(dangersOf(lines.map((line) => `    ${line}`).join("\n"))).toEqual([]);
      for (const line of lines) expect(line).toMatch(/^(?: {2}\| |expect\.|seen:|to hold:|and:|or:|response:)/);
    }),
    { seed: SEED, numRuns: isNightly ? 1_500 : 400 },
  );
  expect(broken).toBeGreaterThan(300);
});

test("the explanations of deep, wide and long conditions are as short", () => {
  const wide = Array.from({ length: 10_000 }, (_, at) => ({ at, text: "x".repeat(at % 50) }));
  let deep: unknown = 1;
  for (let level = 0; level < 150; level++) deep = level % 2 === 0 ? [deep] : { deep };
  const scope: Scope = { response: asJson({ wide, deep, long: "x".repeat(1_000_000) }) };
  for (const text of [
    "response.wide.all(w, response.wide[0].at > w.at)",
    "response.wide.exists(w, w.at == -1)",
    "response == {}",
    "response.deep == response.wide",
    `response.long == '${"x".repeat(5_000)}'`,
    "{'proto': response.long} == response",
    Array.from({ length: 170 }, (_, at) => `response.wide[${at}].at == -1`).join(" || "),
    `${"!(".repeat(11)}response.wide.size() == ${"1 + ".repeat(30)} 1${")".repeat(11)}`,
  ]) {
    const parsed = Expression.parse(text);
    if (isProblem(parsed)) throw new SyntaxError(`${parsed.message}: ${text}`);
    const explanation = writeJson(explain(parsed, scope));
    expect(explanation.length).toBeLessThan(300_000);
    expect(writeJson(parseJson(explanation, LIMITS.recordDepth))).toBe(explanation);
    expect(problemLines({ code: "c", message: "m", evidence: parseJson(explanation, LIMITS.recordDepth) }).length).toBeLessThan(
      150,
    );
  }
});

test("no explanation of a hostile answer or journal contains a text that a terminal obeys", () => {
  for (const text of HOSTILE) {
    const scope: Scope = { response: { status: text, [text]: [text, text], list: [{ a: text, message: text }] } };
    const problems = [
      "response.status == 'Y'",
      "response == {'a': 1}",
      "response.list.all(i, i.a == 'b')",
      "response.nope == 1",
    ].map((expression) => firstBroken([Expression.parse(expression) as Expression], scope)?.problem);
    const node = { expression: text, state: text, why: text, summary: text, value: text };
    const items = { says: text, shown: [{ at: text, condition: { ...node, parts: [node] } }, text], more: true };
    const hints = [
      { subject: text, must: text, item: text, remark: text, message: text, changes: [{ sign: text, path: text }] },
      text,
    ];
    const evidence = { expression: text, tree: { ...node, parts: [node, null, { items }], items }, hints, response: text };
    for (const problem of [...problems, { code: "c", message: text, evidence } satisfies StepProblem]) {
      const lines = problem === undefined ? [] : problemLines(problem);
      expect(lines.length).toBeGreaterThan(1);
      expect(dangersOf(lines.map((line) => `    ${line}`).join("\n"))).toEqual([]);
    }
  }
});

test("a secret at the cut of a long text is masked as a whole", () => {
  const secret = "k-7f3a9c1b5d2e8f60-9b1d4c7a";
  const redact = redactor([new Secret("KEY", secret)]);
  for (const length of [0, 30, 60, 200, 960, 980, 1_000, 5_000]) {
    const text = `${"y".repeat(length)}${secret}${"z".repeat(40)}`;
    const scope: Scope = { response: { text, list: [text, text], object: { [text]: null }, [text]: text } };
    for (const expression of [
      `response.text == '${"y".repeat(length)}k-7f'`,
      "response.list == ['a']",
      "response.object == {}",
      "response.list.all(i, i == 'a')",
      "response.nope == 1",
      "'a' in response.list",
    ]) {
      const problem = firstBroken([Expression.parse(expression) as Expression], scope)?.problem;
      if (problem === undefined) throw new Error(expression);
      const { clean } = encode({ kind: "step.stopped", step: "s", outcome: "failed", problem, startedAt: 0 }, redact);
      expect(writeJson(clean)).not.toMatch(/7f3a9c|2e8f60|4c7a/);
    }
  }
});
