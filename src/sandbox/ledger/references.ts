import type { Json, JsonObject } from "../../base/json/json.ts";
import { compoundKey } from "../ids.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { demand } from "../refusal.ts";
import type { StoredAsset } from "../store/ledger-resources.ts";
import type { LedgerCall } from "./call.ts";

/** Returns the asset with other assets in place of their ids, up to `depth` levels. An id that names no asset stays. */
export function withReferences<T extends Pick<StoredAsset, "assetType" | "data">>(call: LedgerCall, asset: T): T {
  const depth = Number(call.params["depth"] ?? 0);
  const { referenceDepth } = SANDBOX_LIMITS;
  demand(depth <= referenceDepth, "invalid request parameters", `the sandbox resolves ${referenceDepth} levels of references`);
  return new Resolver(call).resolve(asset, depth);
}

/** Resolves the references of one answer, which may contain a limited number of assets. */
class Resolver {
  readonly #call: LedgerCall;
  #left: number = SANDBOX_LIMITS.referencedAssets;

  constructor(call: LedgerCall) {
    this.#call = call;
  }

  resolve<T extends Pick<StoredAsset, "assetType" | "data">>(asset: T, depth: number): T {
    const references = Object.entries(this.#call.settings.references[asset.assetType] ?? {});
    if (depth === 0 || references.length === 0) return asset;
    const resolved = references.flatMap(([field, target]) => {
      const value = Object.hasOwn(asset.data, field) ? asset.data[field] : undefined;
      return value === undefined ? [] : [[field, this.#referenced(target, value, depth)] as const];
    });
    const data: JsonObject = { ...asset.data, ...Object.fromEntries(resolved) };
    return { ...asset, data };
  }

  #referenced(assetType: string, value: Json, depth: number): Json {
    if (Array.isArray(value)) return value.map((each: Json) => this.#referenced(assetType, each, depth));
    const asset = typeof value === "string" ? this.#call.world.get("asset", compoundKey(assetType, value)) : undefined;
    if (asset === undefined) return value;
    demand(this.#left-- > 0, "invalid request parameters", "the references of this depth are too many for one answer");
    return this.resolve(asset, depth - 1) as unknown as Json;
  }
}
