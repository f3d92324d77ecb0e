import { Decimal } from "../../base/numbers/decimal.ts";
import { type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { field, listOf, placedAt, recordsIn, text } from "../../base/json/parts.ts";
import { NEW_OWNER } from "./names.ts";
import type { FirstAsset } from "./receipts.ts";
import type { CalibrationWriter } from "./writer.ts";

const SETTING = ["ledger", "newOwner"];

/**
 * Requests a transfer that names a different new owner in each place that services may use, and approves it. The asset then shows which place counts. The
 * calibrating entity stays an owner, so that it can delete the asset.
 */
export async function findNewOwner(
  writer: CalibrationWriter,
  { assetType, id, self }: Pick<FirstAsset, "assetType" | "id"> & { readonly self: JsonObject },
): Promise<void> {
  const { findings } = writer.asker;
  const [attribute = "userId"] = Object.keys(self).filter((name) => name !== "orgId");
  const owner = (name: string): JsonObject => ({ ...self, [attribute]: `${writer.tag}${name}` });
  const places = [...new Set([findings.profile.ledger.newOwner, ...NEW_OWNER])].filter((place) => place.startsWith("data."));
  const named = places.map((place, at) => ({ place, entity: owner(`Owner${at}`) }));
  const added = owner("Added");
  const inData = named.reduce<JsonObject>((whole, { place, entity }) => placedAt(whole, place.split("."), entity), { data: {} });
  const item = { id: [id], approvers: [self], numRequired: Decimal.of(1), additionalOwners: [added, self], ...inData };
  const requested = await writer.make("ledger.transfer.request", { assetType, items: [item] });
  const list = await writer.read("ledger.transfer.byAsset", { assetId: id });
  const [requestId] = recordsIn(field(list, "records")).flatMap(({ id: each }) => text(each) ?? []);
  if (requested.kind !== "done" || requestId === undefined)
    return findings.leave(SETTING, "no transfer could be requested", requested.evidence);
  const approved = await writer.make("ledger.transfer.approve", { id: [requestId] });
  const asset = await writer.read("ledger.asset.get", { assetType, id });
  const owners = listOf(field(asset, "owners"));
  const isOwner = (entity: JsonObject): boolean => owners.some((each) => jsonEquals(each, entity));
  const taken = named.filter(({ entity }) => isOwner(entity));
  const evidence = [...requested.evidence.slice(0, 1), ...writer.asker.lastExchange()];
  const [only, ...others] = taken;
  if (approved.kind === "done" && only !== undefined && others.length === 0)
    return findings.observe(SETTING, only.place, "the asset then belonged to the entity named there", evidence);
  // If the right place was not tried, a service may take the first of `additionalOwners` instead. So this proves nothing else.
  const isAdded = isOwner(added) && only === undefined;
  const why = isAdded
    ? "additionalOwners alone counted; the service may prefer a place that was not tried"
    : "after the transfer the owners did not show which place counts";
  findings.leave(SETTING, why, evidence);
}
