import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import { resolve } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { batchSchema, inputSchema } from "./input.ts";
import type { Operation } from "./operation.ts";

/** An object of the service, as the input of a write names it. */
export interface NamedObject {
  /** The kind in the contract's `x-id`, such as `token` or `vault`; `undefined` if a missing value may name any kind. */
  readonly kind: string | undefined;
  /** The id in the input, or the placeholder of an unknown id. */
  readonly id: Json;
}

/**
 * Returns every object that the input of an operation names. A text for which `isMissing` holds is the placeholder of an unknown value, and
 * counts as an id too.
 */
export function objectsIn(
  operation: Operation,
  input: JsonObject,
  { profile, isMissing }: { readonly profile: Profile; readonly isMissing: (value: Json) => boolean },
): readonly NamedObject[] {
  const schema = Array.isArray(input["items"]) && operation.batches ? batchSchema(operation) : inputSchema(operation);
  return [...namedIn(schema, input, isMissing), ...yieldedOf(operation, input, profile)];
}

function* namedIn(schema: JsonSchema, value: Json, isMissing: (value: Json) => boolean): Generator<NamedObject> {
  const resolved = resolve(schema);
  const kind = resolved["x-id"];
  if (kind !== undefined) {
    if (typeof value === "string") yield { kind, id: value };
    return;
  }
  if (Array.isArray(value)) for (const item of value as readonly Json[]) yield* namedIn(resolved.items ?? {}, item, isMissing);
  else if (isObject(value)) {
    for (const [name, field] of Object.entries(value)) yield* namedIn(resolved.properties?.[name] ?? {}, field, isMissing);
  } else if (isMissing(value) && mayName(resolved)) yield { kind: undefined, id: value };
  for (const branch of [...(resolved.oneOf ?? []), ...(resolved.anyOf ?? [])]) yield* namedIn(branch, value, isMissing);
}

// An object or list that is wholly unknown may name any object.
function mayName({ properties, items, type }: JsonSchema): boolean {
  return properties !== undefined || items !== undefined || type === "object" || type === "array";
}

// A value that a write yields from its own input may be in a field that only the profile knows, such as the id of an asset.
function yieldedOf({ yields }: Operation, input: JsonObject, profile: Profile): readonly NamedObject[] {
  return Object.values(yields).flatMap(({ id: kind, from }) => {
    const given = from({ input, payload: null, found: undefined, profile });
    return [given ?? []].flat().map((id: Json) => ({ kind, id }));
  });
}
