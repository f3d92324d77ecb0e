import { resolve } from "../contract/contract.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { invariant } from "../base/failure.ts";
import type { Operation } from "./operation.ts";

// The engine sets these on every call, and a playbook cannot. Neither can it set the parameter that selects a page.
const ENGINE_PARAMETERS: ReadonlySet<string> = new Set(["async", "onBehalfOf"]);

/** The parameters that a playbook may give. */
export function inputParameters({ call, service }: Operation): Operation["call"]["parameters"] {
  return call.parameters.filter(({ name, profile = name }) =>
    [name, profile].every((each) => !ENGINE_PARAMETERS.has(each) && each !== service.paging.parameter),
  );
}

/** Returns the schema of `with` for one item, which combines the parameters, the body's fields and the fields of the item. */
export function inputSchema(operation: Operation): JsonSchema {
  const parameters = parametersSchema(operation);
  return merge([parameters, ...bodySchemas(operation), { properties: operation.meaning.inputs ?? {} }]);
}

/** Returns the schema of `with` for a deliberate batch: `items`, and the fields that all items share. */
export function batchSchema(operation: Operation): JsonSchema {
  const shared = [parametersSchema(operation), ...(operation.meaning.wraps === undefined ? [] : [bodyWithoutList(operation)])];
  const items: JsonSchema = { type: "array", minItems: 1, items: itemSchema(operation) };
  return merge([...shared, { properties: { items }, required: ["items"] }]);
}

/** Returns the schema of one item of a list body. */
export function itemSchema(operation: Operation): JsonSchema {
  const { body } = operation.call;
  invariant(body !== undefined, `${operation.name} has no body`);
  const list = operation.meaning.wraps === undefined ? body : resolve(body).properties?.[operation.meaning.wraps];
  invariant(list?.items !== undefined, `${operation.name} has no list of items`);
  return list.items;
}

// With an empty id, or an id of dots only, the path would name something else.
const IN_PATH: JsonSchema = { pattern: "[^.]" };

function parametersSchema(operation: Operation): JsonSchema {
  const parameters = inputParameters(operation);
  return {
    properties: Object.fromEntries(
      parameters.map(({ name, in: place, schema, description }) => [
        name,
        { ...(place === "path" ? IN_PATH : {}), ...schema, description },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function bodySchemas(operation: Operation): JsonSchema[] {
  const { body } = operation.call;
  if (body === undefined) return [];
  if (!operation.batches) return [resolve(body)];
  const item = resolve(itemSchema(operation));
  return operation.meaning.wraps === undefined ? [item] : [bodyWithoutList(operation), item];
}

function bodyWithoutList(operation: Operation): JsonSchema {
  const { body } = operation.call;
  invariant(body !== undefined, `${operation.name} has no body`);
  const { properties = {}, required = [] } = resolve(body);
  const { wraps } = operation.meaning;
  return {
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== wraps)),
    required: required.filter((name) => name !== wraps),
  };
}

function merge(schemas: readonly JsonSchema[]): JsonSchema {
  return {
    type: "object",
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties ?? {})) as Record<string, JsonSchema>,
    required: [...new Set(schemas.flatMap(({ required }) => required ?? []))],
    additionalProperties: false,
  };
}

/** Returns the schema of `steps.ID.response`: the payload without its envelope, with all pages joined. */
export function responseSchema(operation: Operation): JsonSchema | undefined {
  const { call, service } = operation;
  const payload = call.response === undefined ? undefined : payloadSchema(operation, call.response);
  if (payload === undefined || call.paging === undefined || service.paging.gives === "the answer") return payload;
  const list = resolve(payload).properties?.[call.paging.items];
  return list === undefined ? undefined : { ...list, type: "array" }; // null is read as an empty list
}

/** Returns the schema of an answer without its envelope. */
export function payloadSchema({ service: { envelope } }: Operation, response: JsonSchema): JsonSchema | undefined {
  return envelope === undefined ? response : envelope.payloadOf(response);
}
