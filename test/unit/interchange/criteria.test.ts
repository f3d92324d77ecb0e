import { expect, test } from "vitest";
import { checkDocument, importArazzo } from "../../../src/interchange/check.ts";

function documentOf(path: "token" | "token~1all", more: string): string {
  const parameters = path === "token" ? "{ name: id, in: query, value: GOLD1 }" : "";
  return `arazzo: 1.1.0
info: { title: Criteria, version: 1.0.0 }
sourceDescriptions: [{ name: ledger, url: ledger.openapi.yaml, type: openapi }]
workflows:
  - workflowId: w
    inputs: { type: object, properties: { LEDGER_API_KEY: { type: string, format: password } }, required: [LEDGER_API_KEY] }
    parameters:
      - { name: X-API-KEY, in: header, value: $inputs.LEDGER_API_KEY }
      - { name: actAs, in: query, value: "userId:alice" }
    steps:
      - stepId: s
        operationPath: "{$sourceDescriptions.ledger.url}#/paths/~1${path}/get"
        parameters: [${parameters}]
        ${more}
`;
}

// Returns the expectation that the import makes of a step's criterion, and the codes of the findings.
function readFrom(path: "token" | "token~1all", criterion: string): readonly [string | undefined, readonly string[]] {
  const document = documentOf(path, `successCriteria: [{ ${criterion} }]`);
  const [, asks] = /expect: \[(['"]?)(.*)\1\]/.exec(importArazzo("x.arazzo.yaml", document).text ?? "")?.slice(1) ?? [];
  return [asks, checkDocument("x.arazzo.yaml", document).diagnostics.map(({ code }) => code)];
}

test.for([
  ["$response.body#/symbol == 'GLD'", 'response.symbol == "GLD"', "interchange.stricter"],
  ["!($response.body#/symbol != 'GLD')", '!(response.symbol != "GLD")', "interchange.stricter"],
  ["$response.body#/symbol == $response.body#/name", "response.symbol == response.name", "interchange.stricter"],
  ["$response.body#/symbol != 'GLD'", 'response.symbol != "GLD"', "interchange.lost"],
  ["!($response.body#/symbol == 'GLD')", '!(response.symbol == "GLD")', "interchange.lost"],
  ["!(!($response.body#/symbol != 'GLD'))", '!(!(response.symbol != "GLD"))', "interchange.lost"],
  ["$response.body#/symbol < 'GLD'", 'response.symbol < "GLD"', "interchange.lost"],
  ["!($response.body#/totalSupply == 5)", "!(response.totalSupply == 5)", undefined],
] as const)(
  "a comparison of texts is imported as exact, and a change of its meaning is reported: %s",
  ([condition, asks, code]) => {
    expect(readFrom("token", `condition: "${condition}"`)).toEqual([asks, code === undefined ? [] : [code]]);
  },
);

test.for([
  ["@.symbol", "has(item.symbol)"],
  ["!@.behaviour.burnable", "!has(item.behaviour.burnable)"],
  ["(@.symbol && !(@.name == 'Gold'))", '(has(item.symbol) && !(item.name == "Gold"))'],
  ["@.owners[1]", "item.owners.size() > 1"],
  ["!@.owners[1]", "!(item.owners.size() > 1)"],
  ["@", "true"],
] as const)("a path in a filter checks whether the field exists: %s", ([filter, asks]) => {
  const criterion = `context: $response.body, type: jsonpath, condition: "$.records[?${filter}]"`;
  expect(readFrom("token~1all", criterion)).toEqual([`response.exists(item, ${asks})`, []]);
});

test.for([
  ["$statusCode == 200", []],
  ["$statusCode == 200 || $statusCode == 202", []],
  ["$statusCode < 300", []],
  ["$statusCode == 202", ["interchange.lost"]],
  ["$statusCode > 200 && $statusCode < 300", ["interchange.lost"]],
] as const)("a success status that the contract does not have is reported: %s", ([condition, codes]) => {
  expect(readFrom("token", `condition: "${condition}"`)).toEqual([undefined, codes]);
});

test.for([
  ["token", "/properties/a~1b", 'steps.s.response.properties["a/b"]'],
  ["token", "$.owners[0].entity.userId", "steps.s.response.owners[0].entity.userId"],
  ["token~1all", "/records/0/name", "steps.s.response[0].name"],
] as const)("an output is a place in the answer, also if a selector names it: %s %s", ([path, selector, place]) => {
  const output = `outputs: { o: { context: $response.body, selector: "${selector}", type: jsonpath } }`;
  const use = "parameters: [{ name: id, in: query, value: $steps.s.outputs.o }]";
  const document = `${documentOf(path, output)}      - { stepId: t, operationId: ledger.token.get, ${use} }\n`;
  const { text = "" } = importArazzo("x.arazzo.yaml", document);
  expect(text.replaceAll('\\"', '"')).toContain(`\${{ ${place} }}`);
});

test("a step that must be refused has no output", () => {
  const refused = documentOf(
    "token",
    "successCriteria: [{ condition: $statusCode == 404 }]\n        outputs: { supply: $response.body#/totalSupply }",
  );
  const findings = (output: string): readonly string[] =>
    checkDocument("x.arazzo.yaml", `${refused}    outputs: { value: "${output}" }\n`).diagnostics.map(({ message }) => message);
  expect(findings("$steps.s.outputs.supply")).toEqual(["this step passes only if it is refused, so its answer cannot be read"]);
  expect(findings("$inputs.LEDGER_API_KEY")).not.toContain(
    "this step passes only if it is refused, so its answer cannot be read",
  );
});
