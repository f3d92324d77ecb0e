import { ENTITY_PATTERN } from "../../base/entity.ts";
import { NUMERAL_PATTERN } from "../../base/numbers/decimal.ts";
import { mapValues } from "../../base/maps.ts";
import { present } from "../../base/present.ts";
import { contract, resolve } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import { inputFrame, inputPartFrame, playbookFrame, stepFrame } from "./frame.ts";
import type { Keyword } from "./keyword.ts";
import { DOING, inputsWith, SECRET, secretsWith } from "./playbook.ts";
import { STEP } from "./step.ts";
import type { Playbook } from "../model.ts";
import { withSchema } from "../steps/call-input.ts";

// An editor must accept more than a check: any value may be an expression, and a number may be quoted.
const EXPRESSION = { type: "string", pattern: "\\$\\{\\{[\\s\\S]*\\}\\}", description: "An expression: ${{ … }}." };
const INPUT_PART = { $ref: "#/$defs/InputPart" };
const NUMERAL = `${NUMERAL_PATTERN}|${EXPRESSION.pattern}`;

/** A playbook that an editor must know, with its name. */
export interface KnownPlaybook {
  /** Its name in steps, such as `tokenbook/mint.yaml`. */
  readonly uses: string;
  /** The checked playbook. */
  readonly playbook: Playbook;
}

/**
 * Returns the JSON Schema of a playbook, for editors: the frame of the language, with the input of each operation and of each playbook in
 * the library.
 */
export function playbookSchema(shipped: readonly KnownPlaybook[]): object {
  const definitions = mapValues(contract.$defs, editable);
  const entity = { anyOf: [definitions["Entity"], { type: "string", pattern: ENTITY_PATTERN }] };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://tokenbook.dev/schemas/playbook.schema.json",
    title: "tokenbook playbook",
    ...playbookFrame,
    properties: {
      ...playbookFrame.properties,
      inputs: inputsWith(inputFrame(INPUT_PART)).schema,
      secrets: secretsWith(SECRET).schema,
      steps: ofSteps(playbookFrame.properties["steps"]),
    },
    anyOf: DOING.map((field) => ({ required: [field] })),
    $defs: {
      InputPart: inputPartFrame(INPUT_PART),
      ...definitions,
      Entity: entity,
      Expression: EXPRESSION,
      step: stepSchema(shipped),
    },
  };
}

function stepSchema(shipped: readonly KnownPlaybook[]): object {
  const all = [...operations.values()];
  return {
    ...stepFrame,
    properties: {
      ...mapValues<Keyword, object>(STEP, (keyword) => inEditor(keyword, all)),
      uses: {
        description: "The operation to call, or the path of a playbook to run.",
        anyOf: [namesOf(all), playbooksOf(shipped), { type: "string", pattern: PATH }],
      },
    },
    allOf: [
      ...all.map((operation) => usedWith(operation.name, inputOf(operation))),
      ...shipped.map((known) => usedWith(known.uses, inputsOf(known))),
    ],
  };
}

function inEditor({ schema, inside, each }: Keyword, all: readonly Operation[]): object {
  if (each?.() === STEP) return ofSteps(schema);
  return inside?.()["read"]?.names === "read" ? withReads(schema, all) : schema;
}

function usedWith(uses: string, input: object): object {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { properties: { uses: { const: uses } }, required: ["uses"] }, then: { properties: { with: input } } };
}

function playbooksOf(shipped: readonly KnownPlaybook[]): object {
  return { enum: shipped.map(({ uses }) => uses), enumDescriptions: shipped.map(({ playbook }) => playbook.name) };
}

// Their types are left to the check, which knows entities and exact bounds.
function inputsOf({ playbook: { inputs, description = "" } }: KnownPlaybook): object {
  return {
    type: "object",
    description,
    properties: Object.fromEntries(inputs.map((input) => [input.name, { description: input.description ?? "" }])),
    required: inputs.filter((input) => input.default === undefined).map(({ name }) => name),
    additionalProperties: false,
  };
}

function ofSteps(frame: object | undefined): object {
  return { ...frame, items: { $ref: "#/$defs/step" } };
}

const PATH = "(?:^\\.{0,2}/|\\.ya?ml$)";

function namesOf(all: readonly Operation[]): object {
  return { enum: all.map(({ name }) => name), enumDescriptions: all.map(({ call }) => call.summary) };
}

function withReads(frame: object, all: readonly Operation[]): object {
  const { properties } = frame as { readonly properties: Readonly<Record<string, object>> };
  const reads = namesOf(all.filter(({ writes }) => !writes));
  return { ...frame, properties: { ...properties, read: { ...properties["read"], ...reads } } };
}

function inputOf(operation: Operation): object {
  const one = { ...editable(withSchema(operation, false)), description: operation.call.description };
  if (!operation.batches) return one;
  return { anyOf: [one, editable(withSchema(operation, true))] };
}

function editable(schema: JsonSchema): object {
  if (schema.$ref !== undefined) return { $ref: schema.$ref.replace("contract#", "#"), ...describe(schema) };
  const { type } = resolve(schema);
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return editableChoice(schema);
  switch (type) {
    case "object":
      return { anyOf: [editableObject(schema), { $ref: "#/$defs/Expression" }], ...describe(schema) };
    case "array":
      return { anyOf: [{ ...schema, items: editable(schema.items ?? {}) }, { $ref: "#/$defs/Expression" }], ...describe(schema) };
    case "number":
    case "integer":
      return { anyOf: [schema, { type: "string", pattern: NUMERAL }], ...describe(schema) };
    case "boolean":
      return { anyOf: [schema, { $ref: "#/$defs/Expression" }], ...describe(schema) };
    default:
      return schema.enum === undefined && schema.pattern === undefined
        ? schema
        : { anyOf: [schema, { $ref: "#/$defs/Expression" }], ...describe(schema) };
  }
}

function editableChoice(schema: JsonSchema): object {
  const branches = (schema.oneOf ?? schema.anyOf ?? []).map(editable);
  return { anyOf: branches, ...describe(schema) };
}

function editableObject(schema: JsonSchema): object {
  const { properties = {}, additionalProperties } = schema;
  return {
    ...schema,
    properties: mapValues(properties, editable),
    ...(typeof additionalProperties === "object" ? { additionalProperties: editable(additionalProperties) } : {}),
  };
}

function describe({ description }: JsonSchema): { readonly description?: string } {
  return present({ description });
}
