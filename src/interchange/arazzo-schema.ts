// Our own JSON Schema for the shape of an Arazzo document, 1.0 and 1.1. The text of the standard decides, and a test compares the schema with it.

const TEXT = { type: "string" } as const;
const NAMES = { type: "array", items: TEXT };
const NAMED = "^[a-zA-Z0-9.\\-_]+$";

interface Shape {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

/** Returns the schema of an object that may have extensions but no other fields. */
function shape(properties: Shape["properties"], required: readonly string[] = []): Shape & object {
  return { type: "object", properties, required, patternProperties: { "^x-": {} }, additionalProperties: false } as Shape;
}

function listOf(items: object, more: object = {}): object {
  return { type: "array", items, ...more };
}

function mapOf(values: object): object {
  return { type: "object", propertyNames: { pattern: NAMED }, additionalProperties: values };
}

/** Chooses between two schemas by the presence of a field, so that an error is reported for the schema that was meant. */
function having(field: string, then: object, otherwise: object): object {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { required: [field] }, then, else: otherwise };
}

function versions(type: string, allowed: readonly string[]): object {
  return {
    if: { properties: { type: { const: type } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { version: { enum: allowed } } },
  };
}

const EXPRESSION_TYPE = {
  ...shape({ type: { enum: ["jsonpath", "xpath", "jsonpointer"] }, version: TEXT }, ["type", "version"]),
  allOf: [
    versions("jsonpath", ["rfc9535", "draft-goessner-dispatch-jsonpath-00"]),
    versions("xpath", ["xpath-10", "xpath-20", "xpath-30", "xpath-31"]),
    versions("jsonpointer", ["rfc6901"]),
  ],
};

/** Returns the schema of a type, which is given by its name, or with a version. */
function typed(names: readonly string[]): object {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { type: "object" }, then: EXPRESSION_TYPE, else: { enum: names } };
}

const SELECTORS = ["jsonpath", "xpath", "jsonpointer"];
const SELECTOR = shape({ context: TEXT, selector: TEXT, type: typed(SELECTORS) }, ["context", "selector", "type"]);
// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
const OUTPUTS = mapOf({ if: { type: "object" }, then: SELECTOR, else: TEXT });

const CRITERION = {
  ...shape({ context: TEXT, condition: TEXT, type: typed(["simple", "regex", "jsonpath", "xpath"]) }, ["condition"]),
  dependentRequired: { type: ["context"] },
};

const REUSABLE = {
  type: "object",
  properties: { reference: TEXT, value: {} },
  required: ["reference"],
  additionalProperties: false,
};

function orReusable(object: object): object {
  return having("reference", REUSABLE, object);
}

const PLACES = ["path", "query", "header", "cookie", "querystring"];
const PARAMETER_FIELDS = { name: TEXT, in: { enum: PLACES }, value: {} };
const PARAMETER = shape(PARAMETER_FIELDS, ["name", "value"]);
const PARAMETERS = listOf(orReusable(PARAMETER));
const PLACED_PARAMETERS = listOf(orReusable(shape(PARAMETER_FIELDS, ["name", "in", "value"])));

const ACTION = { name: TEXT, workflowId: TEXT, stepId: TEXT, criteria: listOf(CRITERION), parameters: PARAMETERS };
const TARGETED = {
  if: { properties: { type: { const: "goto" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: having("stepId", { properties: { workflowId: false } }, { required: ["workflowId"] }),
};
const SUCCESS_ACTION = { ...shape({ ...ACTION, type: { enum: ["end", "goto"] } }, ["name", "type"]), ...TARGETED };
const RETRIED = { retryAfter: { type: "number", minimum: 0 }, retryLimit: { type: "integer", minimum: 0 } };
const FAILURE_ACTION = {
  ...shape({ ...ACTION, ...RETRIED, type: { enum: ["end", "goto", "retry"] } }, ["name", "type"]),
  ...TARGETED,
};

const REPLACEMENT = shape({ target: TEXT, targetSelectorType: typed(SELECTORS), value: {} }, ["target", "value"]);
const BODY = shape({ contentType: TEXT, payload: {}, replacements: listOf(REPLACEMENT) });

const PREREQUISITE = {
  pattern: "^(?:[^$].*|\\$workflows\\.[^.]+\\.steps\\.[^.]+|\\$sourceDescriptions\\.[^.]+\\.[^.]+\\.steps\\.[^.]+)$",
};

const STEP_FIELDS = {
  stepId: TEXT,
  description: TEXT,
  timeout: { type: "integer" },
  dependsOn: { ...NAMES, minItems: 1, items: { ...TEXT, ...PREREQUISITE } },
  parameters: PLACED_PARAMETERS,
  requestBody: BODY,
  successCriteria: listOf(CRITERION, { minItems: 1 }),
  onSuccess: listOf(orReusable(SUCCESS_ACTION)),
  onFailure: listOf(orReusable(FAILURE_ACTION)),
  outputs: OUTPUTS,
};

/** Returns the schema of a step that names what it calls in one field, or in one of two. */
function step(more: Shape["properties"], [first, second]: readonly string[], required: readonly string[] = []): object {
  const object = shape({ ...STEP_FIELDS, ...more }, ["stepId", ...required]);
  if (first === undefined) return object;
  if (second === undefined) return { ...object, required: [...object.required, first] };
  return { ...object, ...having(first, { properties: { [second]: false } }, { required: [second] }) };
}

const CALLED = { operationId: TEXT, operationPath: TEXT };
const MESSAGE = {
  operationId: TEXT,
  channelPath: TEXT,
  action: { enum: ["send", "receive"] },
  correlationId: { type: ["string", "number", "boolean", "object", "array"] },
};
const RECEIVES = {
  if: { required: ["correlationId"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { action: { const: "receive" } } },
};
const MESSAGE_STEP = { allOf: [step(MESSAGE, ["operationId", "channelPath"], ["action"]), RECEIVES] };
const CALL_STEP = step(CALLED, ["operationId", "operationPath"]);
const WORKFLOW_STEP = step({ workflowId: TEXT, parameters: PARAMETERS }, ["workflowId"]);
const STEP = having("workflowId", WORKFLOW_STEP, having("action", MESSAGE_STEP, having("channelPath", MESSAGE_STEP, CALL_STEP)));

const ACTIONS = {
  successActions: listOf(orReusable(SUCCESS_ACTION)),
  failureActions: listOf(orReusable(FAILURE_ACTION)),
};
const WORKFLOW = shape(
  {
    workflowId: TEXT,
    summary: TEXT,
    description: TEXT,
    inputs: { type: ["object", "boolean"] },
    dependsOn: NAMES,
    steps: listOf(STEP, { minItems: 1 }),
    ...ACTIONS,
    outputs: OUTPUTS,
    parameters: PARAMETERS,
  },
  ["workflowId", "steps"],
);

const SOURCE = shape(
  { name: { ...TEXT, pattern: "^[A-Za-z0-9_\\-]+$" }, url: TEXT, type: { enum: ["openapi", "arazzo", "asyncapi"] } },
  ["name", "url"],
);

/** The JSON Schema of an Arazzo document. */
export const ARAZZO: object = shape(
  {
    arazzo: {
      ...TEXT,
      pattern: "^1\\.[01]\\.\\d+(?:-.+)?$",
      description: "tokenbook reads Arazzo 1.0 and 1.1",
      examples: ["1.0.1"],
    },
    $self: { ...TEXT, pattern: "^[^#]*$", description: "it names the document as a whole" },
    info: shape({ title: TEXT, summary: TEXT, description: TEXT, version: TEXT }, ["title", "version"]),
    sourceDescriptions: listOf(SOURCE, { minItems: 1 }),
    workflows: listOf(WORKFLOW, { minItems: 1 }),
    components: shape({
      inputs: mapOf({ type: ["object", "boolean"] }),
      parameters: mapOf(PARAMETER),
      successActions: mapOf(SUCCESS_ACTION),
      failureActions: mapOf(FAILURE_ACTION),
    }),
  },
  ["arazzo", "info", "sourceDescriptions", "workflows"],
);
