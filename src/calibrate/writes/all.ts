import type { JsonObject } from "../../base/json.ts";
import { readEntity } from "../../base/entity.ts";
import { keyEntityOf, organizationOf } from "../../environment/target.ts";
import type { Asker } from "../asker.ts";
import { findRequestWords } from "./approvals.ts";
import { findTokenCapabilities, findVaultCapabilities } from "./capabilities.ts";
import { findVaultAssetFields, findVaultFields } from "./fields.ts";
import { findNewOwner } from "./new-owner.ts";
import { findReceiptWords } from "./receipts.ts";
import { CalibrationWriter } from "./writer.ts";

/** The writes of a calibration, as they are announced before any is sent. */
export function plannedWrites(tag: string, assetType: string): readonly string[] {
  return [
    `create the ${assetType} ${tag}Asset, then the same again: the words of receipts`,
    `make three approval requests of the type ${tag}Approval to yourself; accept, reject and cancel one each: their words`,
    `create the token ${tag}Token, then the same again; mint 2 of it over its cap of 1: what is refused`,
    `create the vault ${tag}Vault with the token ${tag}Share, then the same again; deposit the asset twice: what is refused`,
    `update the vault ${tag}Vault and the data of its asset: the names of fields`,
    `create the ${assetType} ${tag}Moved, request its transfer to made-up owners, and approve it: where the new owner is named`,
    `at the end: burn what was minted, withdraw the asset, delete both assets`,
  ];
}

/** What stays behind: the service has no call that removes it. */
export function leftBehind(tag: string): readonly string[] {
  return [
    `the tokens ${tag}Token and ${tag}Share, without a supply`,
    `the empty vault ${tag}Vault`,
    `three decided requests of the type ${tag}Approval`,
    "one decided transfer request",
  ];
}

/** Makes the writes, finds what they show, and removes what can be removed. Returns what could not be removed although it should. */
export async function makeWrites(
  asker: Asker,
  given: { readonly tag: string; readonly assetType: string; readonly as: string | undefined },
): Promise<readonly string[]> {
  const { tag, assetType } = given;
  const writer = new CalibrationWriter(asker, tag, given.as);
  const asset = await findReceiptWords(writer, assetType);
  const self = entityOf(asset?.asset["createdBy"] as JsonObject | undefined, asker, given.as);
  if (self === undefined) {
    asker.findings.facts.push({
      about: "writes",
      says: "no asset was made, and nobody says as whom the key acts, so no more was written: add --as",
    });
    return remove(writer, { assetType, assets: [`${tag}Asset`], vault: undefined });
  }
  await findRequestWords(writer, self);
  await findTokenCapabilities(writer, self);
  const place = asset === undefined ? undefined : { assetType, id: asset.id };
  const vault = await findVaultCapabilities(writer, { self, asset: place });
  if (vault !== undefined) await findVaultFields(writer, vault.id);
  if (vault !== undefined && place !== undefined) await findVaultAssetFields(writer, { vaultId: vault.id, asset: place });
  const key = writer.profile.ledger.primaryKey[assetType] ?? "id";
  const moved = `${tag}Moved`;
  const made = await writer.make("ledger.asset.create", { assetType, data: { [key]: moved } });
  if (made.kind === "done") await findNewOwner(writer, { assetType, id: moved, self });
  return remove(writer, {
    assetType,
    assets: [`${tag}Asset`, moved],
    vault: vault === undefined ? undefined : { ...vault, self },
  });
}

function entityOf(createdBy: JsonObject | undefined, asker: Asker, as: string | undefined): JsonObject | undefined {
  if (createdBy !== undefined && Object.keys(createdBy).length > 1) return createdBy;
  const named = readEntity(as ?? keyEntityOf(asker.target.ledger) ?? "");
  const orgId = organizationOf(asker.target);
  return named === undefined || orgId === undefined ? undefined : { orgId, [named.attribute]: named.value };
}

interface Removal {
  readonly assetType: string;
  readonly assets: readonly string[];
  readonly vault: { readonly id: string; readonly tokenId: string; readonly self: JsonObject } | undefined;
}

// What was never made, or has gone already, is not there to be removed.
async function remove(writer: CalibrationWriter, { assetType, assets, vault }: Removal): Promise<readonly string[]> {
  const [first = ""] = assets;
  if (vault !== undefined) {
    const shares = [{ tokenId: vault.tokenId, payer: vault.self }];
    await writer.make("ledger.vault.withdraw", { vaultId: vault.id, assets: [{ assetType, id: first, shares }] });
  }
  const left: string[] = [];
  for (const id of assets) {
    if ((await writer.read("ledger.asset.get", { assetType, id })) === undefined) continue;
    const { kind } = await writer.make("ledger.asset.delete", { assetType, id: [id] });
    if (kind !== "done") left.push(`the ${assetType} ${id}`);
  }
  return left;
}
