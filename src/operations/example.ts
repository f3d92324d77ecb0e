import type { JsonObject } from "../base/json.ts";
import { resolve } from "../contract/contract.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { inputParameters } from "./input.ts";
import type { Operation } from "./operation.ts";

/** An input that shows how the operation is called; nothing when it takes none. */
export function exampleWith(operation: Operation): { readonly with?: JsonObject } {
  const parameters = inputParameters(operation)
    .filter(({ required }) => required)
    .map(({ name, schema }) => [name, exampleOf(schema)] as const);
  const input = { ...Object.fromEntries(parameters), ...exampleItem(operation) };
  return Object.keys(input).length === 0 ? {} : { with: input as JsonObject };
}

// The contract's example is the body on the wire; a step gives one item of it.
function exampleItem(operation: Operation): object {
  const body = operation.call.exampleBody;
  if (Array.isArray(body)) return (body[0] ?? {}) as object;
  const { wraps } = operation.meaning;
  if (body === undefined || wraps === undefined) return body ?? {};
  const { [wraps]: items, ...shared } = body as Record<string, readonly object[]>;
  return { ...shared, ...items?.[0] };
}

function exampleOf(schema: JsonSchema): unknown {
  const { examples, enum: choices, type } = resolve(schema);
  return examples?.[0] ?? choices?.[0] ?? (type === "integer" || type === "number" ? 1 : "…");
}
