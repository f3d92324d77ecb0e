import { expect, test } from "vitest";
import { checkDocument, importArazzo } from "../../../src/interchange/check.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { onNew, withTokenbook } from "../../interchange/both-ways.ts";
import { temporaryFolder } from "../../stories/world.ts";

// Decision 212 gives the reason.
const HEAD = `arazzo: 1.0.1
info: { title: Jumps, version: 1.0.0 }
sourceDescriptions: [{ name: ledger, url: ledger.openapi.yaml, type: openapi }]
workflows:
  - workflowId: w
    inputs: { type: object, properties: { LEDGER_API_KEY: { type: string, format: password } }, required: [LEDGER_API_KEY] }
    parameters:
      - { name: X-API-KEY, in: header, value: $inputs.LEDGER_API_KEY }
      - { name: actAs, in: query, value: "userId:alice" }
    steps:
`;

function step(id: string, method: string, more: string): string {
  return `      - { stepId: ${id}, operationPath: "{$sourceDescriptions.ledger.url}#/paths/${method}", ${more} }\n`;
}

const OK = "successCriteria: [{ condition: $statusCode == 200 }]";
const IF_EMPTY = "criteria: [{ condition: $response.body#/totalCount == 0 }]";

function look(id: string, more: string): string {
  return step(id, "~1asset~1stats/get", more === "" ? OK : `${OK}, ${more}`);
}

function create(id: string, more = ""): string {
  const body = `{ contentType: application/json, payload: { assetType: Property, data: { id: ${id} } } }`;
  return step(`make${id}`, "~1asset/post", `requestBody: ${body}${more}`);
}

test.for([
  ["the end of the other branch", "{ name: done, type: end }", ["A1", "A2"]],
  ["a jump of the other branch", "{ name: done, type: goto, stepId: makeA2 }", ["A1", "A2"]],
  [
    "a jump with criteria about an answer that is not there",
    "{ name: done, type: end, criteria: [{ condition: $response.body#/totalCount >= 0 }] }",
    ["A1", "A2"],
  ],
] as const)("a step that was skipped by a jump does not jump: %s", async ([, action, made]) => {
  const text = `${HEAD}${look("look", `onSuccess: [{ name: empty, type: goto, stepId: makeA1, ${IF_EMPTY} }]`)}${look(
    "full",
    `onSuccess: [${action}]`,
  )}${create("A1")}${create("A2")}`;
  await onNew(async (served) => {
    const { code, output, commits } = await withTokenbook({ file: "x.arazzo.yaml", text, folder: temporaryFolder() }, served);
    expect(code, output).toBe(0);
    expect(made.filter((id) => commits.some((commit) => commit.includes(`"${id}"`)))).toEqual(made);
  });
});

test("a step that runs takes the first action with fulfilled criteria", async () => {
  const either = "criteria: [{ condition: $response.body#/totalCount == 0 || $response.body#/totalCount == 7 }]";
  const actions = `onSuccess: [{ name: never, type: end, criteria: [{ condition: $response.body#/totalCount == 9 }] }, { name: over, type: goto, stepId: makeA2, ${either} }]`;
  const text = `${HEAD}${look("look", actions)}${create("A1")}${create("A2", ", onSuccess: [{ name: done, type: end }]")}${create("A3")}`;
  expect(importArazzo("x.arazzo.yaml", text).text).toMatch(/!\(!\(.*== 9\) && \(.*== 0 \|\| .*== 7\)\)/);
  await onNew(async (served) => {
    const { code, output, commits } = await withTokenbook({ file: "x.arazzo.yaml", text, folder: temporaryFolder() }, served);
    expect(code, output).toBe(0);
    expect(["A1", "A2", "A3"].filter((id) => commits.some((commit) => commit.includes(`"${id}"`)))).toEqual(["A2"]);
  });
});

const GUARD = "onSuccess: [{ name: skip, type: goto, stepId: after }], onFailure: [{ name: make, type: goto, stepId: makeA1 }]";
const IS_THERE = "successCriteria: [{ condition: $statusCode == 200 }, { condition: $response.body#/totalCount == 1 }]";

function guard(before: string, actionsOfWrite: string): string {
  return `${HEAD}${before}${step("guard", "~1asset~1stats/get", `${IS_THERE}, ${GUARD}`)}${create("A1", actionsOfWrite)}${look("after", "")}${look("last", "")}`;
}

test.for([
  ["nothing jumps", "", "", "taken"],
  ["a jump over the read alone", look("force", "onSuccess: [{ name: force, type: goto, stepId: makeA1 }]"), "", "refused"],
  ["a jump over all of it", look("leave", "onSuccess: [{ name: leave, type: goto, stepId: after }]"), "", "refused"],
  ["the write ends the workflow, which it does only where it is sent", "", ", onSuccess: [{ name: done, type: end }]", "refused"],
] as const)(
  "a read before a write becomes its `ensure` only if nothing else decides about the write: %s",
  ([, before, after, what]) => {
    const { text } = importArazzo("x.arazzo.yaml", guard(before, after));
    const found = checkDocument("x.arazzo.yaml", guard(before, after)).diagnostics.map(formatDiagnostic).join("\n");
    expect(text?.includes("ensure:") ?? false).toBe(what === "taken");
    expect(found.includes("a jump after a failure cannot be translated")).toBe(what === "refused");
  },
);
