import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import type { LedgerProfile } from "../../contract/profile.ts";
import { isOwnRefusal } from "../errors.ts";
import type { CalibrationFindings } from "../finding.ts";
import type { CalibrationWriter, WriteOutcome } from "./writer.ts";

type Capability = keyof LedgerProfile["capabilities"];

const settingOf = (capability: Capability): readonly string[] => ["ledger", "capabilities", capability];

/** Creates a token twice, and mints more than its cap. */
export async function findTokenCapabilities(writer: CalibrationWriter, self: JsonObject): Promise<void> {
  const id = `${writer.tag}Token`;
  const read = (): Promise<Json | undefined> => writer.read("ledger.token.get", { id });
  const behaviour = { decimal: Decimal.of(0), maxMintQuantity: Decimal.of(1), transferable: true, burnable: true };
  const token = (description: string): JsonObject => ({ id, name: id, symbol: "TBC", description, behaviour });
  const made = await writer.make("ledger.token.create", token("first"));
  const { findings } = writer.asker;
  if (made.kind !== "done" || !isObject(await read())) {
    for (const each of ["tokenIdUnique", "overMintRefused"] as const)
      findings.leave(settingOf(each), "no token could be made", made.evidence);
    return;
  }
  const again = await writer.make("ledger.token.create", token("second"));
  judge(findings, "tokenIdUnique", again, {
    isUnchanged: field(await read(), "description") === "first",
    what: "a second creation of a token with the same id",
  });
  const before = await read();
  const over = await writer.make("ledger.token.mint", { id, to: self, value: Decimal.of(2) });
  const isUnchanged = jsonEquals(supply(await read()), supply(before));
  // A service may also refuse the mint because this entity may not mint at all.
  const within = over.kind === "refused" ? await writer.make("ledger.token.mint", { id, to: self, value: Decimal.of(1) }) : over;
  if (over.kind === "refused" && within.kind !== "done")
    findings.leave(
      settingOf("overMintRefused"),
      "a mint of no more than maxMintQuantity is not accepted either",
      within.evidence,
    );
  else judge(findings, "overMintRefused", over, { isUnchanged, what: "a mint of more than maxMintQuantity" });
  if (over.kind === "done" && !isUnchanged) await writer.make("ledger.token.burn", { id, from: self, value: Decimal.of(2) });
}

/** Creates a vault twice, and deposits an asset twice. Returns the id of the vault with the asset in it. */
export async function findVaultCapabilities(
  writer: CalibrationWriter,
  { self, asset }: { readonly self: JsonObject; readonly asset: { readonly assetType: string; readonly id: string } | undefined },
): Promise<string | undefined> {
  const { findings } = writer.asker;
  const id = `${writer.tag}Vault`;
  const read = (): Promise<Json | undefined> => writer.read("ledger.vault.get", { id });
  const share = { id: `${writer.tag}Share`, name: "Share", symbol: "TBS", behaviour: { burnable: true } };
  const made = await writer.make("ledger.vault.create", { id, name: "first", vaultToken: [share] });
  const vault = await read();
  if (made.kind !== "done" || !isObject(vault)) {
    for (const each of ["vaultIdUnique", "sameVaultDepositRefused"] as const)
      findings.leave(settingOf(each), "no vault could be made", made.evidence);
    return undefined;
  }
  const again = await writer.make("ledger.vault.create", { id, name: "second" });
  judge(findings, "vaultIdUnique", again, {
    isUnchanged: field(await read(), "name") === "first",
    what: "a second creation of a vault with the same id",
  });
  if (asset === undefined) return id;
  const deposit = {
    vaultId: id,
    assets: [{ ...asset, shares: [{ tokenId: share.id, quantity: Decimal.of(1), receiver: self }] }],
  };
  // A vault that was created again may have lost its token.
  if (again.kind !== "refused") await writer.make("ledger.vault.addExistingToken", { id, tokenId: [share.id] });
  const shareToken = async (): Promise<Json | undefined> => writer.read("ledger.token.get", { id: share.id });
  const first = await writer.make("ledger.vault.deposit", deposit);
  const held = await shareToken();
  if (first.kind !== "done" || !isObject(held)) {
    findings.leave(settingOf("sameVaultDepositRefused"), "no asset could be deposited", first.evidence);
    return id;
  }
  const second = await writer.make("ledger.vault.deposit", deposit);
  const now = await shareToken();
  const isUnchanged = jsonEquals(supply(now), supply(held));
  judge(findings, "sameVaultDepositRefused", second, {
    isUnchanged,
    what: "a second deposit of the same asset into the same vault",
  });
  return id;
}

/** Takes back that a repeated write is refused, if the service then refuses everything. */
export function doubtRefusals({ asker: { findings } }: CalibrationWriter, later: WriteOutcome): void {
  if (later.kind === "done") return;
  for (const capability of Object.keys(findings.profile.ledger.capabilities) as Capability[]) {
    const setting = settingOf(capability);
    if (findings.isDecided(setting) && findings.profile.ledger.capabilities[capability])
      findings.contradict(
        setting,
        "a later write was not accepted either, so the refusal may have had another reason",
        later.evidence,
      );
  }
}

const supply = (token: Json | undefined): Json => field(token, "totalSupply") ?? null;

// It counts as refused only if the service itself refuses and nothing changed, and as accepted only if the service confirms it. Anything else decides nothing:
// a refusal from a gateway does not show what the service would have done.
function judge(
  findings: CalibrationFindings,
  capability: Capability,
  outcome: WriteOutcome,
  { isUnchanged, what }: { readonly isUnchanged: boolean; readonly what: string },
): void {
  const setting = settingOf(capability);
  const { evidence } = outcome;
  const isForeign = outcome.kind === "refused" && outcome.atOnce && !isOwnRefusal(outcome.answer, findings.profile);
  if (isForeign)
    return findings.leave(
      setting,
      `a gateway may have refused ${what}; if the service did, declare the form of its errors (ledger.errors)`,
      evidence,
    );
  if (outcome.kind === "refused" && isUnchanged)
    return findings.observe(setting, true, `${what} is refused, and changes nothing`, evidence);
  if (outcome.kind === "done") return findings.observe(setting, false, `${what} is accepted`, evidence);
  findings.leave(setting, `the outcome of ${what} is not clear`, evidence);
}
