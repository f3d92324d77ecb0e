import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import type { Profile } from "../../contract/profile.ts";

/** The id of an asset in the sent data: its attribute has another name for each asset type. */
export function assetIdIn({ data, assetType }: JsonObject, profile: Profile): Json | undefined {
  const primaryKey = profile.ledger.primaryKey[typeof assetType === "string" ? assetType : ""] ?? "id";
  return isObject(data) ? data[primaryKey] : undefined;
}

/** Returns the ids of all assets that a write names, anywhere in its input. */
export function assetIds(input: JsonObject, profile: Profile): readonly Json[] | undefined {
  const { data, id, items, assetType = "" } = input;
  const named = Array.isArray(id) ? (id as readonly Json[]) : id === undefined ? [] : [id];
  const inData = (Array.isArray(data) ? (data as readonly Json[]) : [data ?? null]).map((each) =>
    assetIdIn({ assetType, data: each }, profile),
  );
  const inItems = (Array.isArray(items) ? (items as readonly Json[]) : []).map((item) =>
    isObject(item) ? item["id"] : undefined,
  );
  const ids = [...named, ...inData, ...inItems].filter((each) => each !== undefined);
  return ids.length === 0 ? undefined : ids;
}
