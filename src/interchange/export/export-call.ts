import { readEntity } from "../../base/entity.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { resolve } from "../../contract/contract.ts";
import { DEFAULT_PROFILE } from "../../contract/profile.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { completedInput } from "../../operations/completed-input.ts";
import { inputParameters } from "../../operations/input.ts";
import { buildRequest } from "../../operations/request.ts";
import { fieldSchema, itemSchema, numeralWanted } from "../../playbook/expressions/compile-template.ts";
import { isEntity } from "../../playbook/steps/entity-attributes.ts";
import { withSchema } from "../../playbook/steps/call-input.ts";
import type { Named } from "../expressions/evaluate.ts";
import type { Exporting } from "../exporting.ts";
import { ORGANIZATION } from "./export-inputs.ts";
import { AnswerPlace, Hidden, named, type OutStep } from "./export-step.ts";
import { isMap, Joined, type WrittenValue, type ValueMap } from "../value.ts";

/** The request of a call, without its key. */
export interface ExportedRequest {
  /** The parameters with their places in the request. Parameters without a value are left out. */
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly value: WrittenValue }[];
  /** The body of the request; undefined if it has none. */
  readonly body: WrittenValue | undefined;
  /** What later steps can use besides the answer. */
  readonly yields: Named;
  /** The completed input. */
  readonly input: ValueMap;
  /** Whether the run's mark is left out. */
  readonly unmarked: boolean;
}

const MARK = "\uE002mark";

/** Builds the request of a call as the engine does, with expressions in place of values that only a run knows. */
export function sentBy(step: OutStep, given: ValueMap, { inputs, words }: Pick<Exporting, "inputs" | "words">): ExportedRequest {
  const { operation } = step;
  const hidden = new Hidden();
  const schema = withSchema(operation, operation.batches && given["items"] !== undefined);
  const names = {
    id: (part = "") => hidden.hide(new Joined([words.of(`${step.id}${part}`, step.id), inputs.runKey])),
    mark: MARK,
  };
  const plain = hidden.hideIn(fitting(schema, given, { [ORGANIZATION]: inputs.organization })) as JsonObject;
  const marked = completedInput(operation, plain, { names, profile: DEFAULT_PROFILE });
  const input = withoutMark(marked) as JsonObject;
  const { body } = buildRequest(operation, input, { profile: DEFAULT_PROFILE, actingEntity: undefined });
  const placed = inputParameters(operation).flatMap(({ name, in: place }) => {
    const value = input[name];
    return value === undefined || value === null ? [] : [{ name, in: place, value: hidden.show(value) }];
  });
  return {
    parameters: placed,
    body: body === undefined ? undefined : hidden.show(body),
    yields: yieldsOf(step, input, hidden),
    input: hidden.show(input) as ValueMap,
    unmarked: JSON.stringify(marked) !== JSON.stringify(input),
  };
}

// Values are read as in a playbook: a quoted numeral is a number where the schema wants one, and `userId:alice` is an entity.
// An entity without an organization belongs to the organization of the environment.
function fitting(schema: JsonSchema | undefined, value: WrittenValue, ofEnvironment: ValueMap): WrittenValue {
  if (typeof value === "string") {
    const entity = isEntity(schema) ? readEntity(value) : undefined;
    if (entity === undefined) return numeralWanted(schema, value) ?? value;
    return { ...ofEnvironment, [entity.attribute]: entity.value };
  }
  if (Array.isArray(value)) return value.map((item: WrittenValue) => fitting(itemSchema(schema), item, ofEnvironment));
  if (!isMap(value)) return value;
  const fields = Object.entries(value).map(
    ([name, field]) => [name, fitting(fieldSchema(schema, name), field, ofEnvironment)] as const,
  );
  return { ...(isEntity(schema) && fields.length > 0 ? ofEnvironment : {}), ...Object.fromEntries(fields) };
}

// Arazzo has no marks of runs, and nothing that could look for one.
function withoutMark(value: Json): Json {
  if (typeof value === "string") return value.replace(new RegExp(`\\s*\\[${MARK}(?:#\\d+)?\\]$`), "");
  if (Array.isArray(value)) return value.map((item: Json) => withoutMark(item));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => typeof field !== "string" || !field.startsWith(MARK));
  const kept = fields.map(([name, field]) => [name, withoutMark(field)] as const);
  return Object.fromEntries(kept.filter(([name, field]) => !isEmptied(value, name, field)));
}

function isEmptied(before: JsonObject, name: string, after: Json): boolean {
  if (after === "") return before[name] !== "";
  const given = before[name];
  return isObject(after) && Object.keys(after).length === 0 && isObject(given) && Object.keys(given).length > 0;
}

const PAYLOAD_DEPTH = 3;

function yieldsOf(step: OutStep, input: JsonObject, hidden: Hidden): Named {
  const { operation } = step;
  const response = operation.call.response;
  const { envelope } = operation.service;
  const payload = envelope === undefined ? response : response && envelope.payloadOf(response);
  const written = {
    input,
    payload: hiddenPayload(payload, { step, path: envelope === undefined ? [] : ["response"] }, hidden),
    found: undefined,
    profile: DEFAULT_PROFILE,
  };
  return named((name) => {
    const value = operation.yields[name]?.from(written);
    return value === undefined ? undefined : hidden.show(value);
  });
}

// Returns an answer in which each text is a placeholder for its place.
function hiddenPayload(schema: JsonSchema | undefined, at: { step: OutStep; path: readonly string[] }, hidden: Hidden): Json {
  const { properties = {} } = schema === undefined ? {} : resolve(schema);
  if (at.path.length > PAYLOAD_DEPTH) return null;
  const fields = Object.entries(properties).map(([name, field]) => {
    const inner = { step: at.step, path: [...at.path, name] };
    const isText = resolve(field).type === "string";
    return [
      name,
      isText ? hidden.hide(new AnswerPlace(inner.step, inner.path, false)) : hiddenPayload(field, inner, hidden),
    ] as const;
  });
  return Object.fromEntries(fields);
}
