import { primaryKeyOf } from "../../contract/profile.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { field, listOf, number } from "../../base/json/parts.ts";
import { readEntity } from "../../base/entity.ts";
import { keyEntityOf, organizationOf } from "../../environment/target.ts";
import type { CalibrationAsker } from "../asker.ts";
import type { CalibrationWriting } from "../service.ts";
import { findRequestWords } from "./approvals.ts";
import { doubtRefusals, findTokenCapabilities, findVaultCapabilities } from "./capabilities.ts";
import { findVaultAssetFields, findVaultFields } from "./fields.ts";
import { findNewOwner } from "./new-owner.ts";
import { decideNames, findReceiptWords } from "./receipts.ts";
import { CalibrationWriter } from "./writer.ts";

/** Returns the writes of a calibration, to announce them before any is sent. */
function plannedWrites(tag: string, assetType: string): readonly string[] {
  return [
    `create the ${assetType} ${tag}Asset, then the same again: the words of receipts`,
    `make three approval requests of the type ${tag}Approval to yourself; accept, reject and cancel one each: their words`,
    `create the token ${tag}Token, then the same again; mint 2 of it over its cap of 1, then 1: what is refused`,
    `create the vault ${tag}Vault with the token ${tag}Share, then the same again; deposit the asset twice: what is refused`,
    `update the vault ${tag}Vault and the data of its asset: the names of fields`,
    `create the ${assetType} ${tag}Moved, request its transfer to made-up owners, and approve it: where the new owner is named`,
    `at the end: burn what was minted, withdraw the asset, delete both assets`,
  ];
}

/** Returns what is removed at the end. */
function removedAtTheEnd(tag: string, assetType: string): readonly string[] {
  return [
    `the ${assetType} ${tag}Asset, perhaps in the vault ${tag}Vault`,
    `the ${assetType} ${tag}Moved`,
    `what was minted of ${tag}Token`,
  ];
}

/** Returns what remains, because the service has no call that removes it. */
function leftBehind(tag: string): readonly string[] {
  return [
    `the tokens ${tag}Token and ${tag}Share, without a supply`,
    `the empty vault ${tag}Vault`,
    `three requests of the type ${tag}Approval`,
    "one transfer request",
  ];
}

/**
 * Announces the writes, makes them, derives findings from them, and removes what can be removed. Returns what remains. Each write is sent once, and is about
 * things that only this calibration knows. So a write whose answer is lost harms nobody and decides nothing.
 */
export async function makeWrites(
  asker: CalibrationAsker,
  assetType: string,
  { tag, as, announce, onBrokenOff }: CalibrationWriting,
): Promise<readonly string[]> {
  announce({ writes: plannedWrites(tag, assetType), stay: leftBehind(tag), removed: removedAtTheEnd(tag, assetType) });
  asker.beginWriting();
  const writer = new CalibrationWriter(asker, tag, as);
  const failure = await asker
    .untilLimit(() => findByWriting(writer, assetType))
    .then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  asker.allowRemoval();
  const notRemoved = await remove(writer, assetType);
  decideNames(writer);
  const left = [
    ...writer.unclear.map((each) => `perhaps, ${each}`),
    ...notRemoved,
    ...(writer.readsReceipts ? leftBehind(tag) : []),
  ];
  if (failure === undefined) return left;
  onBrokenOff(left);
  throw failure.error;
}

async function findByWriting(writer: CalibrationWriter, assetType: string): Promise<void> {
  const { asker, tag, actor } = writer;
  const asset = await findReceiptWords(writer, assetType);
  if (!writer.readsReceipts) {
    const says = "no receipt shows in known words that a write is committed, so nothing more was written";
    return void asker.findings.facts.push({ about: "writes", says });
  }
  const self = entityOf(asset?.asset["createdBy"] as JsonObject | undefined, asker, actor);
  writer.self = self;
  if (self === undefined) {
    const says = "no asset was created, and the entity of the key is not known, so nothing more was written: add --as";
    return void asker.findings.facts.push({ about: "writes", says });
  }
  await findRequestWords(writer, self);
  await findTokenCapabilities(writer, self);
  const place = asset === undefined ? undefined : { assetType, id: asset.id };
  const vaultId = await findVaultCapabilities(writer, { self, asset: place });
  const key = primaryKeyOf(writer.profile.ledger, assetType);
  const moved = `${tag}Moved`;
  const made = await writer.make("ledger.asset.create", { assetType, data: { [key]: moved } });
  doubtRefusals(writer, made);
  if (made.kind === "done") await findNewOwner(writer, { assetType, id: moved, self });
  if (vaultId === undefined) return;
  await findVaultFields(writer, vaultId);
  if (place !== undefined) await findVaultAssetFields(writer, { vaultId, asset: place });
}

function entityOf(createdBy: JsonObject | undefined, asker: CalibrationAsker, as: string | undefined): JsonObject | undefined {
  if (createdBy !== undefined && Object.keys(createdBy).length > 1) return createdBy;
  const named = readEntity(as ?? keyEntityOf(asker.target.ledger) ?? "");
  const orgId = organizationOf(asker.target);
  return named === undefined || orgId === undefined ? undefined : { orgId, [named.attribute]: named.value };
}

// Things that were never created, or are already gone, need not be removed.
async function remove(writer: CalibrationWriter, assetType: string): Promise<readonly string[]> {
  const { tag, self } = writer;
  const [vaultId, first] = [`${tag}Vault`, `${tag}Asset`];
  const held = listOf(field(await writer.read("ledger.vault.assets", { id: vaultId }), "assets"));
  if (held.length > 0 && self !== undefined) {
    const shares = [{ tokenId: `${tag}Share`, payer: self }];
    await writer.make("ledger.vault.withdraw", { vaultId, assets: [{ assetType, id: first, shares }] });
  }
  const token = await writer.read("ledger.token.get", { id: `${tag}Token` });
  const supply = number(field(token, "totalSupply"));
  if (supply !== undefined && supply.compare(Decimal.of(0)) > 0 && self !== undefined)
    await writer.make("ledger.token.burn", { id: `${tag}Token`, from: self, value: supply });
  const left: string[] = [];
  for (const id of [first, `${tag}Moved`]) {
    if ((await writer.read("ledger.asset.get", { assetType, id })) === undefined) continue;
    const { kind } = await writer.make("ledger.asset.delete", { assetType, id: [id] });
    if (kind !== "done") left.push(`the ${assetType} ${id}`);
  }
  return left;
}
