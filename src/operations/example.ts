import { type Json, type JsonObject, writeJson } from "../base/json/json.ts";
import { inputParameters } from "./input.ts";
import type { Operation } from "./operation.ts";

/** Returns an example input of the operation; empty if it has no input. Its numbers are JavaScript numbers, so that YAML can write them. */
export function exampleInput(operation: Operation): JsonObject {
  const input = operation.meaning.example ?? { ...exampleParameters(operation), ...exampleItem(operation) };
  return JSON.parse(writeJson(input)) as JsonObject;
}

function exampleParameters(operation: Operation): JsonObject {
  const given = inputParameters(operation).flatMap(({ name, schema: { examples } }) =>
    examples === undefined ? [] : [[name, examples[0] as Json] as const],
  );
  return Object.fromEntries(given);
}

// The contract's example is the request body; a step gives one item of it.
function exampleItem({ call: { exampleBody: body }, meaning: { wraps } }: Operation): object {
  if (Array.isArray(body)) return (body[0] ?? {}) as object;
  if (body === undefined || wraps === undefined) return body ?? {};
  const { [wraps]: items, ...shared } = body as Record<string, readonly object[]>;
  return { ...shared, ...items?.[0] };
}
