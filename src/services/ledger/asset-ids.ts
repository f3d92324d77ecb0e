import type { Json, JsonObject } from "../../base/json/json.ts";
import { field, listOf } from "../../base/json/parts.ts";
import { primaryKeyOf, type Profile } from "../../contract/profile.ts";

/** Returns the id of an asset in the sent data. The attribute that is the id differs between asset types. */
export function assetIdIn({ data, assetType }: JsonObject, profile: Profile): Json | undefined {
  const primaryKey = primaryKeyOf(profile.ledger, typeof assetType === "string" ? assetType : "");
  return field(data, primaryKey);
}

/** Returns the ids of all assets that a write names, anywhere in its input. */
export function assetIds(input: JsonObject, profile: Profile): readonly Json[] | undefined {
  const { data = null, id, items, assetType = "" } = input;
  const inData = [data].flat().map((each: Json) => assetIdIn({ assetType, data: each }, profile));
  const inItems = listOf(items).map((item) => field(item, "id"));
  const ids = [...[id].flat(), ...inData, ...inItems].filter((each) => each !== undefined);
  return ids.length === 0 ? undefined : ids;
}
