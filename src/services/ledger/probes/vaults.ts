import { isObject, type Json, type JsonObject, jsonEquals } from "../../../base/json/json.ts";
import {
  APART,
  type Evidence,
  forEach,
  inNothing,
  type Probe,
  type ProbeRead,
  type Sent,
  type Sight,
  UNREAD,
} from "../../probe.ts";
import { field, listOf, number, recordsIn, without } from "../../../base/json/parts.ts";
import { eachOf, hasFields, includes, isEntity, itemsOf, sameMembers } from "../../probes/compare.ts";
import { isTouchedBeside, missing, naming } from "../../probes/recency.ts";
import {
  changesIn,
  changingAsset,
  effectOfChange,
  effectOfMovement,
  isOfOthers,
  movementsOf,
  movementsRead,
  newChanges,
  newMovements,
  type NewRecord,
} from "./records.ts";
import { makingProbe, type Setting, settingProbe, stampedIn } from "./state.ts";

const vaultRead = (id: Json | undefined): ProbeRead => ({ operation: "ledger.vault.get", input: { id: id ?? "" } });
const contentRead = (id: Json | undefined): ProbeRead => ({ operation: "ledger.vault.assets", input: { id: id ?? "" } });

/** B.6: the vault with the sent id, and its share tokens. */
export const vaultCreated: Probe = makingProbe({
  read: ({ input }) => ({ name: "vault", reads: { vault: vaultRead(input["id"]) } }),
  id: ({ id }) => id,
  isOurId: ({ input, names }) => input["id"] === names.id(),
  isAsSent: (made, { input }) => includes(made, without(input, ["vaultToken"])) && holds(made, shareIdsIn(input)),
  isUnique: ({ profile }) => profile.ledger.capabilities.vaultIdUnique,
});

/** Each new share token exists with the sent id, and belongs to the vault. */
export const shareTokenAdded: Probe = makingProbe({
  split: (sent) => itemsOf(sent).flatMap(eachOf("vaultToken")),
  read: ({ input }) => ({
    name: "token",
    reads: {
      token: { operation: "ledger.token.get", input: { id: field(input["vaultToken"], "id") ?? "" } },
      vault: vaultRead(input["id"]),
    },
  }),
  id: (input) => definitionIn(input)["id"],
  isOurId: () => false,
  isAsSent: (made, { input }, { vault = null }) =>
    includes(made, without(definitionIn(input), ["tokenPermissions", "classification", "behaviour"])) &&
    holds(vault, [definitionIn(input)["id"] ?? null]),
  isUnique: ({ profile }) => profile.ledger.capabilities.tokenIdUnique,
});

function definitionIn({ vaultToken }: JsonObject): JsonObject {
  return isObject(vaultToken) ? vaultToken : {};
}

function shareIdsIn({ vaultToken }: JsonObject): readonly Json[] {
  return recordsIn(vaultToken).map(({ id = null }) => id);
}

function holds(vault: Json, tokenIds: readonly Json[]): boolean {
  const held = listOf(field(vault, "vaultTokenId"));
  return tokenIds.every((id) => held.includes(id));
}

// How to read the vault whose id is in this input, and what a write stamps in it.
function vaultNamedBy(name: "id" | "vaultId"): Pick<Setting, "reads" | "stamped"> {
  return { reads: ({ input }) => ({ vault: vaultRead(input[name]) }), stamped: stampedIn("vault", name) };
}

/** B.6: the existing token is among the share tokens of the vault. */
export const existingTokenAdded: Probe = settingProbe({
  ...vaultNamedBy("id"),
  isSo: ({ vault = null }, { input }) => isObject(vault) && holds(vault, listOf(input["tokenId"])),
});

/** B.6: the vault has the values that were sent. */
export const vaultUpdated: Probe = settingProbe({
  ...vaultNamedBy("id"),
  isSo: ({ vault = null }, { input }, alike) =>
    hasFields(vault, without(input, ["data"]), alike) &&
    (input["data"] === undefined || jsonEquals(field(vault, "data") ?? null, input["data"])),
});

/** B.6: the vault has the custodians that were sent. */
export const custodiansSet: Probe = settingProbe({
  ...vaultNamedBy("vaultId"),
  isSo: ({ vault = null }, { input }, alike) => sameMembers(field(vault, "custodians"), listOf(input["custodians"]), alike),
});

const eachAsset = (sent: Sent): readonly Sent[] => itemsOf(sent).flatMap(eachOf("assets"));

/** B.6: the assets of the vault have the data that was sent. */
export const vaultAssetsUpdated: Probe = settingProbe({
  split: eachAsset,
  reads: ({ input }) => ({ content: contentRead(input["vaultId"]) }),
  isSo: ({ content = null }, sent) => {
    const there = lying(content, sent);
    return there !== undefined && jsonEquals(there["data"] ?? null, field(sent.input["assets"], "data") ?? null);
  },
});

function lying(content: Json, { input: { assets = null } }: Sent): JsonObject | undefined {
  return recordsIn(field(content, "assets")).find(({ identifier = null }) => {
    return field(identifier, "id") === field(assets, "id") && field(identifier, "docDefId") === field(assets, "assetType");
  });
}

// The description does not say that an identifier names the type of the asset as a deposit does.
function mayLie(content: Json, { input: { assets = null } }: Sent): boolean {
  return recordsIn(field(content, "assets")).some(({ identifier = null }) => field(identifier, "id") === field(assets, "id"));
}

/**
 * One asset of a deposit or a withdrawal: its quantities before and now. The records of the asset and its share tokens show what changed in
 * between, and who changed it.
 */
const content: Pick<Probe, "before" | "after" | "keep"> = {
  before: ({ input }) => ({ content: contentRead(input["vaultId"]) }),
  after: ({ input }) => ({
    content: contentRead(input["vaultId"]),
    history: historyRead(input["assets"]),
    ...Object.fromEntries(
      shareTokensOf(input).map((tokenId, at) => [`shares${at}`, { ...movementsRead(tokenId), optional: true }]),
    ),
  }),
  keep: ({ content: read = null }, sent) => ({ asset: lying(read, sent) ?? null }),
};

function historyRead(asset: Json | undefined): ProbeRead {
  return {
    operation: "ledger.asset.history",
    input: { assetType: field(asset, "assetType") ?? "", id: field(asset, "id") ?? "" },
    optional: true,
  };
}

function shareTokensOf({ assets }: JsonObject): readonly Json[] {
  return [...new Set(recordsIn(field(assets, "shares")).map(({ tokenId = null }) => tokenId))];
}

/** Returns the record of this write: the asset has another holder, or its shares were minted or burnt. */
function recorded(evidence: Evidence, type: "MINT" | "BURN", by: JsonObject): Sight | undefined {
  const { now, input, actor } = evidence;
  const thing = field(input["assets"], "id") ?? null;
  const mayChange = changingAsset(thing);
  if (actor === undefined || isTouchedBeside(evidence, mayChange)) return undefined;
  const change = newChanges(evidence, changesIn(now["history"]), mayChange).find((each) => isEntity(each.by, actor));
  if (change !== undefined) return effectOfChange(change, by);
  const movement = shareTokensOf(input)
    .flatMap((tokenId, at) => {
      if (isTouchedBeside(evidence, naming(tokenId))) return [];
      return newMovements(evidence, movementsOf(now[`shares${at}`], tokenId), tokenId);
    })
    .find((each) => each.type === type && isEntity(each.by, actor));
  return movement === undefined ? undefined : effectOfMovement(movement, by);
}

// Returns whether a record of somebody else shows that the effect is theirs.
function isDoneByOthers(evidence: Evidence, type: "MINT" | "BURN"): boolean {
  const { now, input } = evidence;
  const isTheirs = (record: NewRecord): boolean => isOfOthers(evidence, record);
  const movements = shareTokensOf(input).flatMap((tokenId, at) => movementsOf(now[`shares${at}`], tokenId));
  return changesIn(now["history"]).some(isTheirs) || movements.filter((each) => each.type === type).some(isTheirs);
}

// Another write may have moved the asset back.
function unmoved(evidence: Evidence): Sight {
  return missing(evidence, changingAsset(field(evidence.input["assets"], "id") ?? null));
}

const OTHERS: Sight = { seen: "unclear", why: "someone else has moved the asset or its shares meanwhile" };

/** The asset is in the vault, with exactly the sent shares. */
export const deposited: Probe = forEach(eachAsset, {
  ...content,
  judge: (evidence) => {
    const { before, now, input, profile } = evidence;
    const there = lying(now["content"] ?? null, evidence);
    const isAsSent = there !== undefined && sharesMatch(there["shares"], field(input["assets"], "shares"));
    const by = { identifier: there?.["identifier"] ?? null, shares: there?.["shares"] ?? null };
    const record = recorded(evidence, "MINT", by);
    if (isAsSent && record !== undefined) return record;
    if (there === undefined && mayLie(now["content"] ?? null, evidence)) return OTHERWISE_NAMED;
    if (before === undefined) return UNREAD;
    if (before["asset"] !== null) return profile.ledger.capabilities.sameVaultDepositRefused ? NEVER : LAY_THERE;
    if (there === undefined) return record === undefined ? unmoved(evidence) : APART;
    if (isDoneByOthers(evidence, "MINT")) return OTHERS;
    return isAsSent
      ? { seen: "effect", by, rests: "readings" }
      : {
          seen: "conflict",
          why: "the asset is in the vault, but with other shares than were sent",
          rests: "readings",
        };
  },
});

const NEVER = { seen: "nothing", again: "never" } as const;
const OTHERWISE_NAMED = { seen: "unclear", why: "the vault holds an asset of this id under another name of its type" } as const;
const LAY_THERE = { seen: "unclear", why: "the asset was in the vault before" } as const;

// The vault shows one quantity for each share token, even with several receivers.
function sharesMatch(there: Json | undefined, asked: Json | undefined): boolean {
  const shown = recordsIn(there);
  const wanted = Map.groupBy(recordsIn(asked), ({ tokenId = null }) => tokenId);
  return (
    shown.length === wanted.size &&
    shown.every(({ tokenId = null, quantity }) => {
      const left = (wanted.get(tokenId) ?? []).reduce((rest, each) => {
        const amount = number(each["quantity"]);
        return amount === undefined ? rest : rest?.minus(amount);
      }, number(quantity));
      return left?.isZero() === true;
    })
  );
}

/** The asset is no longer in the vault, and a record shows who took it out. */
export const withdrawn: Probe = forEach(eachAsset, {
  ...content,
  judge: (evidence) => {
    const { before, now } = evidence;
    if (now["content"] === null) return inNothing(before?.["asset"]);
    const isThere = mayLie(now["content"] ?? null, evidence);
    const by = { readBack: "the asset lies in the vault no more" };
    const record = recorded(evidence, "BURN", by);
    if (record !== undefined) return isThere ? APART : record;
    if (before === undefined) return UNREAD;
    if (before["asset"] === null) return { seen: "unclear", why: "the asset was not in the vault before" };
    if (isThere) return unmoved(evidence);
    if (isDoneByOthers(evidence, "BURN")) return OTHERS;
    return { seen: "effect", by, rests: "readings" };
  },
});
