import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { field as fieldOf, recordsIn } from "../../base/json/parts.ts";
import { FIELDS } from "./names.ts";
import { settingAt, withSetting } from "../finding.ts";
import { namesFor, NOBODYS_PARAMETER } from "../spellings.ts";
import type { CalibrationWriter } from "./writer.ts";

const UPDATE = ["ledger", "fields", "vaultUpdate"];
const ASSETS = ["ledger", "fields", "vaultAssets"];

/** Finds the field names of a vault's update. A name is right if the vault then shows the new value. */
export async function findVaultFields(writer: CalibrationWriter, vaultId: string): Promise<void> {
  const { findings } = writer.asker;
  const idName = await findIdName(writer, vaultId);
  const ID = [...UPDATE, "id"];
  const values: Readonly<Record<"name" | "description" | "data", Json>> = {
    name: `${writer.tag}Named`,
    description: `${writer.tag}Described`,
    data: { of: writer.tag },
  };
  for (const [field, value] of Object.entries(values)) {
    const setting = [...UPDATE, field];
    for (const name of namesFor(writer.asker, setting, FIELDS[field as keyof typeof values])) {
      if (name === idName || isTaken(writer, setting, name)) continue;
      const profile = withSetting(withSetting(writer.profile, ID, idName), setting, name);
      const outcome = await writer.make("ledger.vault.update", { id: vaultId, [field]: value }, { profile });
      const vault = outcome.kind === "done" ? await writer.read("ledger.vault.get", { id: vaultId }) : undefined;
      if (!isObject(vault) || !jsonEquals(vault[field] ?? null, value)) continue;
      const { evidence } = outcome;
      findings.observe(ID, idName, "an update under this name changed the vault", evidence);
      findings.observe(setting, name, `the vault shows the ${field} that was sent under this name`, evidence);
      break;
    }
    if (!findings.isDecided(setting)) findings.leave(setting, "no known name made the vault take the new value");
  }
}

function isTaken(writer: CalibrationWriter, setting: readonly string[], name: string): boolean {
  const { findings } = writer.asker;
  return ["name", "description", "data"].some((field) => {
    const other = [...UPDATE, field];
    return other.join() !== setting.join() && findings.isDecided(other) && settingAt(findings.profile, other) === name;
  });
}

// If unknown names are refused, an update that changes nothing is accepted only under the right name.
async function findIdName(writer: CalibrationWriter, vaultId: string): Promise<string> {
  const ID = [...UPDATE, "id"];
  const names = namesFor(writer.asker, ID, FIELDS.id);
  const [present = "id"] = names;
  const isAccepted = async (name: string): Promise<boolean> =>
    (await writer.make("ledger.vault.update", { id: vaultId }, { profile: withSetting(writer.profile, ID, name) })).kind ===
    "done";
  if (await isAccepted(present)) return present;
  if (await isAccepted(NOBODYS_PARAMETER)) return present;
  for (const name of names.slice(1)) if (await isAccepted(name)) return name;
  return present;
}

/** Alternative names for the fields in an update of a vault's assets. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  vaultId: ["vaultId", "id", "vault", "vault_id"],
  assets: ["assets", "items", "contents", "holdings"],
  assetType: ["assetType", "type", "kind", "docDefId", "asset_type"],
  id: ["id", "assetId", "asset", "asset_id"],
  data: ["data", "details", "metadata", "value", "properties"],
};

/** Finds the field names for updating assets of a vault, if one of them differs from the profile. */
export async function findVaultAssetFields(
  writer: CalibrationWriter,
  { vaultId, asset }: { readonly vaultId: string; readonly asset: { readonly assetType: string; readonly id: string } },
): Promise<void> {
  const { findings } = writer.asker;
  const present = findings.profile.ledger.fields.vaultAssets as Readonly<Record<string, string>>;
  const others = Object.entries(OTHER_NAMES).flatMap(([field, names]) =>
    names
      .filter((name) => !Object.values(present).includes(name) || (field === "vaultId" && name === "id"))
      .map((name) => ({ ...present, [field]: name })),
  );
  for (const [at, names] of [present, ...others].entries()) {
    const data = { of: `${writer.tag}${at}` };
    const input: JsonObject = { vaultId, assets: [{ ...asset, data }] };
    const outcome = await writer.make("ledger.vault.updateAssets", input, {
      profile: withSetting(writer.profile, ASSETS, names),
    });
    const held = outcome.kind === "done" ? await writer.read("ledger.vault.assets", { id: vaultId }) : undefined;
    const isSeen = recordsIn(fieldOf(held, "assets")).some((each) => jsonEquals(each["data"] ?? null, data));
    if (!isSeen) continue;
    for (const [field, found] of Object.entries(names)) {
      findings.observe([...ASSETS, field], found, "an update with these names changed the asset's data", outcome.evidence);
    }
    return;
  }
  for (const field of Object.keys(present))
    findings.leave([...ASSETS, field], "no update with known names changed the asset's data");
}
