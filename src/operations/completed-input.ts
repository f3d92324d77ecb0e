import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import type { Profile } from "../contract/profile.ts";
import { type GivenNames, namesOfItem } from "../services/given-names.ts";
import type { Operation } from "./operation.ts";

/** Returns an input with what the operation adds: chosen ids and our mark. */
export function completedInput(
  operation: Operation,
  input: JsonObject,
  { names, profile }: { readonly names: GivenNames; readonly profile: Profile },
): JsonObject {
  const { complete } = operation.meaning;
  if (complete === undefined) return input;
  const { items } = input;
  if (!Array.isArray(items)) return complete(input, names, profile);
  return {
    ...input,
    items: items.map((item: Json, at) => (isObject(item) ? complete(item, namesOfItem(names, at), profile) : item)),
  };
}
