import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { checkDocument, importArazzo } from "../../../src/interchange/check.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";

const HEAD = `arazzo: 1.0.1
info: { title: T, version: "1" }
sourceDescriptions: [{ name: ledger, url: a.yaml, type: openapi }]
`;
const CALL = 'operationPath: "{$sourceDescriptions.ledger.url}#/paths/~1token/get"';

function workflow(id: string, steps: readonly string[], more = ""): string {
  return `  - workflowId: ${id}\n${more}    steps:\n${steps.map((step) => `      - ${step}\n`).join("")}`;
}

function problemsOf(text: string): readonly string[] {
  const { playbook, diagnostics } = checkDocument("x.arazzo.yaml", text);
  expect(playbook).toBeUndefined();
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

const step = (id: string, more: string): string => `{ stepId: ${id}, ${CALL}, ${more} }`;

test("workflows that run each other in a circle are refused, and the error shows the circle", () => {
  const text = `${HEAD}workflows:\n${workflow("a", ["{ stepId: s, workflowId: b }"])}${workflow("b", ["{ stepId: s, workflowId: c }"])}${workflow("c", ["{ stepId: s, workflowId: b }"])}`;
  expect(problemsOf(text)).toEqual(["the workflows run one another in a circle: a → b → c → b"]);
});

test("a document with too many steps for a playbook is refused", () => {
  const wide = Array.from({ length: 30 }, (_, at) => at);
  const levels = ["w1", "w2", "w3", "w4"].map((id, at) =>
    workflow(
      id,
      wide.map((each) => (at === 3 ? step(`s${each}`, "parameters: []") : `{ stepId: s${each}, workflowId: w${at + 2} }`)),
    ),
  );
  const [first = ""] = problemsOf(`${HEAD}workflows:\n${levels.join("")}`);
  expect(first).toContain(`more than ${LIMITS.steps} steps`);
});

test("schemas that refer to each other in a circle are refused", () => {
  const inputs = '    inputs: { $ref: "#/components/inputs/a" }\n';
  const components = 'components: { inputs: { a: { $ref: "#/components/inputs/b" }, b: { $ref: "#/components/inputs/a" } } }\n';
  const text = `${HEAD}workflows:\n${workflow("a", [step("s", "parameters: []")], inputs)}${components}`;
  expect(problemsOf(text)[0]).toMatch(/leads nowhere/);
});

test.for([
  ["brackets without end", `"${"(".repeat(5_000)}"`, /brackets inside one another/],
  ["a condition without end", `"$statusCode == 200${" && 1 == 1".repeat(2_000)}"`, /a condition of \d+ characters/],
  ["an expression that is none", '"$nothing.at.all == 1"', /is no runtime expression/],
  ["a text without end", `"'aaaa"`, /cannot be read/],
] as const)("%s are refused with one clear error", ([, condition, says]) => {
  const text = `${HEAD}workflows:\n${workflow("a", [step("s", `successCriteria: [{ condition: ${condition} }]`)])}`;
  const found = problemsOf(text);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(says);
});

test("a document of ten megabytes is refused because of its size", () => {
  expect(problemsOf(`${HEAD}# ${"a".repeat(10_000_000)}\n`)).toHaveLength(1);
});

const LIVE = "LIVE-KEY-0123456789";
const SECRET_INPUT = "    inputs: { type: object, properties: { K: { type: string, format: password } } }\n";
const KEY = "{ name: X-API-KEY, in: header, value: $inputs.K }";

// Decision 202 gives the reason.
test.for([
  [
    "in place of a component's value",
    `components: { parameters: { key: ${KEY} } }\nworkflows:\n${workflow("a", [
      step(
        "s",
        `parameters: [{ reference: $components.parameters.key, value: ${LIVE} }, { name: nothing, in: query, value: 1 }]`,
      ),
    ])}`,
  ],
  ...["query", "cookie", "header"].map((place) => [
    `as a parameter in ${place}`,
    `workflows:\n${workflow("a", [step("s", `parameters: [{ name: anything, in: ${place}, value: ${LIVE} }]`)])}`,
  ]),
  [
    "for the secret input of a workflow that a step runs",
    `workflows:\n${workflow("inner", [step("s", `parameters: [{ name: id, in: query, value: $inputs.K }]`)], SECRET_INPUT)}${workflow("outer", [`{ stepId: go, workflowId: inner, parameters: [{ name: K, value: ${LIVE} }] }`])}`,
  ],
  [
    "as the default of a secret input",
    `workflows:\n${workflow("a", [step("s", `parameters: [${KEY}, { name: nothing, in: query, value: 1 }]`)], SECRET_INPUT.replace("password", `password, default: ${LIVE}`))}`,
  ],
  [
    "as the default of the secret input of a workflow that a step runs",
    `workflows:\n${workflow("inner", [step("s", `parameters: [{ name: id, in: query, value: $inputs.K }]`)], SECRET_INPUT.replace("password", `password, default: ${LIVE}`))}${workflow("outer", ["{ stepId: go, workflowId: inner }"])}`,
  ],
  ["in a body", `workflows:\n${workflow("a", [step("s", `requestBody: { payload: { type: ${LIVE} } }`)])}`],
  ["with a dollar", `workflows:\n${workflow("a", [step("s", `parameters: [{ name: id, in: query, value: $${LIVE} }]`)])}`],
  ["in a comment", `workflows:\n${workflow("a", [`${step("s", "onFailure: [{ name: x, type: goto, stepId: s }]")} # ${LIVE}`])}`],
  [
    "where the text cannot be read",
    `workflows:\n${workflow("a", [`{ stepId: s, parameters: [{ name: X-API-KEY, in: header, value: ${LIVE}`])}`,
  ],
] as const)("a key that is written %s is never shown or copied", ([, rest]) => {
  const text = `${HEAD}${rest}`;
  const found = checkDocument("x.arazzo.yaml", text).diagnostics.map(formatDiagnostic).join("\n");
  expect(found).not.toBe("");
  expect(`${found}${importArazzo("x.arazzo.yaml", text).text ?? ""}`).not.toContain(LIVE.slice(5));
});

test("a key that is written in a header is never shown", () => {
  const key = "sk-live-4242424242424242";
  const parameters = `parameters: [{ name: X-API-KEY, in: header, value: ${key} }, { name: nothing, in: query, value: 1 }]`;
  const text = `${HEAD}workflows:\n${workflow("a", [step("s", parameters)])}`;
  const shown = checkDocument("x.arazzo.yaml", text).diagnostics.map(formatDiagnostic).join("\n");
  expect(shown).toContain("a key is written in this document");
  expect(shown).not.toContain("4242");
});
