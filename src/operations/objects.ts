import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { resolve } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { batchSchema, inputSchema } from "./input.ts";
import { assetIdIn } from "../services/ledger/asset-ids.ts";
import type { Operation } from "./operation.ts";

/** An object of the service, as the input of a write names it. */
export interface NamedObject {
  /** In the words of the contract's `x-id`: `token`, `vault`; `undefined` where a value is missing that may name any. */
  readonly kind: string | undefined;
  readonly id: Json;
}

/** Returns every object that the input of an operation names. Texts that `isMissing` says hold the place of what nobody knows yet come back as ids too. */
export function objectsIn(
  operation: Operation,
  input: JsonObject,
  { profile, isMissing = () => false }: { readonly profile: Profile; readonly isMissing?: (value: Json) => boolean },
): readonly NamedObject[] {
  const schema = Array.isArray(input["items"]) && operation.batches ? batchSchema(operation) : inputSchema(operation);
  return [...namedIn(schema, input, isMissing), ...assetsOf(operation, input, profile)];
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

// A whole object or list whose value is missing may name any object.
function mayName({ properties, items, type }: JsonSchema): boolean {
  return properties !== undefined || items !== undefined || type === "object" || type === "array";
}

// The attribute of an asset that names it has a name of its own for each type.
function assetsOf({ name }: Operation, input: JsonObject, profile: Profile): readonly NamedObject[] {
  if (!name.startsWith("ledger.asset.")) return [];
  const id = assetIdIn(input, profile);
  return id === undefined ? [] : [{ kind: "asset", id }];
}
