import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseJson } from "../../../src/base/json/json.ts";
import { firstBroken } from "../../../src/engine/steps/expectations.ts";
import { Expression, type Scope } from "../../../src/expression/expression.ts";
import type { StepProblem } from "../../../src/protocol/record.ts";
import { problemLines } from "../../../src/report/problem.ts";

const scope = parseJson(`{
  "response": {
    "id": "LFT1",
    "totalSupply": 999.99,
    "status": "PENDING",
    "active": false,
    "name": "Shares of Loft 12, Lisboa, ground floor",
    "text": "1",
    "holders": [
      { "id": "a", "amount": 5 },
      { "id": "b", "amount": 0 },
      { "id": "c", "amount": -1 },
      { "id": "d", "amount": 3 },
      { "id": "e", "amount": 12345678901234567890.50 }
    ],
    "owners": [{ "orgId": "org1", "userId": "alice" }],
    "many": [{ "id": 1, "k": "x" }, { "id": 2, "k": "y" }, { "id": 3, "k": "x" }, { "id": 4, "k": "z" }],
    "none": null,
    "empty": [],
    "tags": ["house", "lisbon"]
  },
  "steps": { "mint": { "receipt": { "status": "FAILED", "message": "cap reached: 100 of 100 minted" } } },
  "inputs": { "shares": 1000, "words": ["COMMITTED", "PENDINGS"], "at": 1 },
  "actors": { "carol": { "userId": "carol", "orgId": "org1" } }
}`) as Scope;

function problemOf(text: string, of: Scope = scope): StepProblem {
  const problem = firstBroken([Expression.parse(text) as Expression], of)?.problem;
  if (problem === undefined) throw new Error(`this holds: ${text}`);
  return problem;
}

function explained(text: string): string {
  const problem = problemOf(text);
  const lines = problemLines(problem);
  return [problem.code, ...lines.slice(1, lines.indexOf("response:"))].join("\n");
}

// Each example begins with its expression after ">" and ends at an empty line.
const TABLE = readFileSync(new URL("explanations.txt", import.meta.url), "utf8")
  .split("\n\n")
  .filter((block) => block.startsWith("> "))
  .map((block): [string, string] => {
    const [expression = "", ...lines] = block.trimEnd().split("\n");
    return [expression.slice(2), lines.join("\n")];
  });

test.for(TABLE)("explains %s", ([text, lines]) => {
  expect(explained(text)).toBe(lines);
});

test("the table of expressions has 54 entries", () => {
  expect(TABLE).toHaveLength(54);
});

test("an explanation fits 80 columns below its step, except the line of the expression", () => {
  for (const [text] of TABLE) {
    for (const line of problemLines(problemOf(text)).slice(1)) expect(line.length, line).toBeLessThanOrEqual(76);
  }
});

test("the message says why an expression has no value", () => {
  expect(problemOf("response.holders.all(h, h.nope > 0)").message).toBe(
    'this cannot be evaluated: response.holders.all(h, h.nope > 0): h has no field "nope"',
  );
  expect(problemOf("1 / (response.totalSupply - 999.99) > 1").message).toContain("division by zero");
});

test("an explanation ends with the answer", () => {
  const lines = problemLines(problemOf("response.totalSupply == 1000"));
  expect(lines.slice(lines.indexOf("response:"))).toEqual([
    "response:",
    '  | id: "LFT1"',
    "  | totalSupply: 999.99",
    '  | status: "PENDING"',
    "  | active: false",
    '  | name: "Shares of Loft 12, Lisboa, ground floor"',
    '  | text: "1"',
    "  | holders:",
    '  |   [0]: {"id":"a","amount":5}',
    '  |   [1]: {"id":"b","amount":0}',
    '  |   [2]: {"id":"c","amount":-1}',
    '  |   [3]: {"id":"d","amount":3}',
    '  |   [4]: {"id":"e","amount":12345678901234567890.50}',
    '  | owners: [{"orgId":"org1","userId":"alice"}]',
    "  | many:",
    '  |   [0]: {"id":1,"k":"x"}',
    '  |   [1]: {"id":2,"k":"y"}',
    '  |   [2]: {"id":3,"k":"x"}',
    '  |   [3]: {"id":4,"k":"z"}',
    "  | none: null",
    "  | empty: []",
    '  | tags: ["house","lisbon"]',
  ]);
});

test("a long answer is cut, but keeps what the expression names and what failed", () => {
  const holders = Array.from({ length: 200 }, (_, at) => ({
    id: `holder${at}`,
    entity: `userId:user${at}`,
    zone: "eu-west",
    amount: at === 150 ? -1 : at,
  }));
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field${at}`, at]));
  const response = parseJson(
    JSON.stringify({ ...fields, deep: { a: { b: ["x".repeat(90), { c: 7 }] } }, holders, last: "x".repeat(5_000) }),
  );
  const lines = problemLines(problemOf("response.holders.all(h, h.amount >= 0)", { response }));
  const answer = lines.slice(lines.indexOf("response:"));
  expect(answer).toContain("  |   [150]:");
  expect(answer).toContain("  |     amount: -1");
  expect(answer.at(-1)).toBe("  | last: (a text of 5000 characters)");
  expect(answer.length).toBeLessThanOrEqual(32);
  expect(answer.filter((line) => line.includes("… "))).toEqual(["  | … 39 more", "  |   … 150 more", "  |   … 48 more"]);

  const named = problemLines(problemOf("response.field33 == 0 && response.deep.a.b[1].c == 7", { response }));
  expect(named).toContain("  | field33: 33");
});

test("a long number is shown with all its digits", () => {
  const digits = `${"1234567890".repeat(25)}.5`;
  const lines = problemLines(
    problemOf(`response.amount == ${digits.slice(0, -1)}6`, { response: parseJson(`{"amount":${digits}}`) }),
  );
  expect(lines).toContain(`  | └─ response.amount`);
  expect(lines).toContain(`  |      → ${digits}`);
  expect(lines.join(" ").replaceAll("  | ", "")).toContain(`(it is ${digits}: 0.1 less)`);
});

test("an expression of several lines is one line in its tree", () => {
  const lines = problemLines(problemOf("response.active ||\n    response.totalSupply ==\n      1000"));
  expect(lines).toContain("  | └─ response.totalSupply == 1000 → false");
});

test("the explanation finds the answer under both of its names", () => {
  const response = parseJson(JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field${at}`, at]))));
  const lines = problemLines(problemOf("steps.look.response.field43 == 0", { response, steps: { look: { response } } }));
  expect(lines).toContain("  | field43: 43");
});
