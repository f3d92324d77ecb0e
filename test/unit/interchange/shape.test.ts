import { expect, test } from "vitest";
import { readArazzo } from "../../../src/interchange/arazzo-document.ts";

const CALL = { stepId: "one", operationId: "ledger.token.get" };
const MESSAGE = { stepId: "one", operationId: "made", action: "send" };
const RUNS = { stepId: "one", workflowId: "other" };

function withSteps(...steps: readonly object[]): object {
  return {
    arazzo: "1.1.0",
    info: { title: "T", version: "1" },
    sourceDescriptions: [{ name: "api", url: "https://example.com/openapi.yaml", type: "openapi" }],
    workflows: [{ workflowId: "main", steps }],
  };
}

const step = (more: object): object => withSteps({ ...CALL, ...more });
const message = (more: object): object => withSteps({ ...MESSAGE, ...more });
const output = (selector: object): object => step({ outputs: { id: selector } });
const limit = { name: "limit", in: "query", value: 10 };

// Equivalents of the documents with which the standard's repository tests a schema.
const ACCEPTED: Readonly<Record<string, object>> = {
  "a step with operationId": step({}),
  "a step with operationPath": withSteps({ stepId: "one", operationPath: "any text" }),
  "a $self without fragment": { ...step({}), $self: "https://example.com/a.yaml" },
  "an extension anywhere": { ...step({ "x-note": 1 }), "x-more": {} },
  "version 1.0": { ...step({}), arazzo: "1.0.1" },
  "criteria of success": step({ successCriteria: [{ condition: "$statusCode == 200" }] }),
  "an XPath with its version": step({
    successCriteria: [{ context: "$response.body", condition: "/a", type: { type: "xpath", version: "xpath-31" } }],
  }),
  "a parameter with its place": step({ parameters: [limit] }),
  "a reusable parameter": step({ parameters: [{ reference: "$components.parameters.limit", value: 20 }] }),
  "a query string": step({ parameters: [{ name: "q", in: "querystring", value: "a={$inputs.a}" }] }),
  "a selector as value": step({
    parameters: [{ ...limit, value: { context: "$inputs.user", selector: "$.id", type: "jsonpath" } }],
  }),
  "a selector as output": output({ context: "$response.body", selector: "/a", type: "jsonpointer" }),
  "a replacement by a selector": step({
    requestBody: {
      replacements: [
        { target: "/a", value: { context: "$inputs.a", selector: "$.b", type: { type: "jsonpath", version: "rfc9535" } } },
      ],
    },
  }),
  "a message": message({}),
  "a message on a channel": withSteps({ stepId: "one", channelPath: "orders", action: "receive" }),
  "a message that is received by its correlation": message({ action: "receive", correlationId: "a" }),
  "a message after others": message({ dependsOn: ["two", "$workflows.w.steps.s", "$sourceDescriptions.d.w.steps.s"] }),
  "a step that runs a workflow": withSteps(RUNS),
  "a workflow with parameters without a place": withSteps({ ...RUNS, parameters: [{ name: "a", value: 1 }] }),
  "a workflow with a body": withSteps({ ...RUNS, requestBody: { payload: {} } }),
};

const REFUSED: Readonly<Record<string, object>> = {
  "a list": [1],
  "version 2": { ...step({}), arazzo: "2" },
  "a number as version": { ...step({}), arazzo: 2 },
  "a $self with fragment": { ...step({}), $self: "https://example.com/a.yaml#/b" },
  "no target": withSteps({ stepId: "one" }),
  "two targets": step({ operationPath: "a" }),
  "a channel without action": withSteps({ stepId: "one", channelPath: "orders" }),
  "an operation and a channel": message({ channelPath: "orders" }),
  "an unknown action": message({ action: "shout" }),
  "a correlation of a sent message": message({ correlationId: "a" }),
  "no place of a parameter": step({ parameters: [{ name: "limit", value: 10 }] }),
  "no place of a message's parameter": message({ parameters: [{ name: "limit", value: 10 }] }),
  "no value of a parameter": step({ parameters: [{ name: "q", in: "querystring" }] }),
  "a parameter twice": step({ parameters: [limit, limit] }),
  "a parameter of a workflow twice": withSteps({
    ...RUNS,
    parameters: [
      { name: "a", value: 1 },
      { name: "a", value: 1 },
    ],
  }),
  "no criteria": step({ successCriteria: [] }),
  "no criteria of a workflow": withSteps({ ...RUNS, successCriteria: [] }),
  "a criterion with a type and no context": step({ successCriteria: [{ condition: "$[0]", type: "jsonpath" }] }),
  "a selector without type": output({ context: "$response.body", selector: "$.a" }),
  "a version of another type": output({
    context: "$response.body",
    selector: "$.a",
    type: { type: "xpath", version: "rfc9535" },
  }),
  "an unknown type of target": step({
    requestBody: { replacements: [{ target: "$.a", targetSelectorType: "jmespath", value: 1 }] },
  }),
  "a workflow and an operation": withSteps({ ...RUNS, operationId: "a" }),
  "a workflow and an action": withSteps({ ...RUNS, action: "send" }),
  "a workflow and a channel": withSteps({ ...RUNS, channelPath: "a" }),
  "nothing to wait for": message({ dependsOn: [] }),
  "the same to wait for twice": message({ dependsOn: ["a", "a"] }),
  "a step to wait for by another expression": message({ dependsOn: ["$steps.a"] }),
};

const problemsIn = (document: object): readonly string[] =>
  readArazzo("x.arazzo.yaml", JSON.stringify(document, undefined, 1)).findings.all.map(({ message: text }) => text);

test.for(Object.keys(ACCEPTED))("a document with a valid shape is accepted: %s", (name) => {
  expect(problemsIn(ACCEPTED[name] ?? {})).toEqual([]);
});

test.for(Object.keys(REFUSED))("a document with an invalid shape is refused: %s", (name) => {
  expect(problemsIn(REFUSED[name] ?? {})).not.toEqual([]);
});
