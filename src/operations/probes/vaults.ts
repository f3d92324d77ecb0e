import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json.ts";
import { forEach, GONE, type Probe, type Sent, UNREAD } from "../probe.ts";
import { eachOf, field, includes, isEntity, itemsOf, listOf, number, recordsIn, sameMembers, without } from "./compare.ts";
import { makingProbe, settingProbe } from "./state.ts";

type Read = { readonly operation: string; readonly input: JsonObject };

const vaultRead = (id: Json | undefined): Read => ({ operation: "ledger.vault.get", input: { id: id ?? "" } });
const contentRead = (id: Json | undefined): Read => ({ operation: "ledger.vault.assets", input: { id: id ?? "" } });

/** B.6: the vault of the id that was sent, with its share tokens. */
export const vaultCreated: Probe = makingProbe({
  read: ({ input }) => ({ name: "vault", reads: { vault: vaultRead(input["id"]) } }),
  isOurId: ({ input, names }) => input["id"] === names.id(),
  isAsSent: (made, { input }) => includes(made, without(input, "vaultToken")) && holds(made, shareIdsIn(input)),
  isUnique: ({ profile }) => profile.ledger.capabilities.vaultIdUnique,
});

/** Each share token that was to be added, under the id that was sent, and among those of the vault. */
export const shareTokenAdded: Probe = makingProbe({
  split: (sent) => itemsOf(sent).flatMap(eachOf("vaultToken")),
  read: ({ input }) => ({
    name: "token",
    reads: {
      token: { operation: "ledger.token.get", input: { id: field(input["vaultToken"], "id") ?? "" } },
      vault: vaultRead(input["id"]),
    },
  }),
  isOurId: () => false,
  isAsSent: (made, { input }, { vault = null }) =>
    includes(made, without(definitionIn(input), "tokenPermissions", "classification", "behaviour")) &&
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

export const existingTokenAdded: Probe = settingProbe({
  reads: ({ input }) => ({ vault: vaultRead(input["id"]) }),
  isSo: ({ vault = null }, { input }) => isObject(vault) && holds(vault, listOf(input["tokenId"])),
});

export const vaultUpdated: Probe = settingProbe({
  reads: ({ input }) => ({ vault: vaultRead(input["id"]) }),
  isSo: ({ vault = null }, { input }) =>
    includes(vault, without(input, "data")) &&
    (input["data"] === undefined || jsonEquals(field(vault, "data") ?? null, input["data"])),
});

export const custodiansSet: Probe = settingProbe({
  reads: ({ input }) => ({ vault: vaultRead(input["vaultId"]) }),
  isSo: ({ vault = null }, { input }) => sameMembers(field(vault, "custodians"), listOf(input["custodians"]), isEntity),
});

export const vaultAssetsUpdated: Probe = settingProbe({
  split: (sent) => itemsOf(sent).flatMap(eachOf("assets")),
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

/** One asset of a deposit or a withdrawal: what lay there of it before, and what lies there now. */
const content: Pick<Probe, "before" | "after" | "keep"> = {
  before: ({ input }) => ({ content: contentRead(input["vaultId"]) }),
  after: ({ input }) => ({ content: contentRead(input["vaultId"]) }),
  keep: ({ content: read = null }, sent) => ({ asset: lying(read, sent) ?? null }),
};

const eachAsset = (sent: Sent): readonly Sent[] => itemsOf(sent).flatMap(eachOf("assets"));

/** The asset lies in the vault, with exactly the shares that were asked for. */
export const deposited: Probe = forEach(eachAsset, {
  ...content,
  judge: (evidence) => {
    const { before, now, input, profile } = evidence;
    if (before === undefined) return UNREAD;
    const there = lying(now["content"] ?? null, evidence);
    if (before["asset"] !== null) return profile.ledger.capabilities.sameVaultDepositRefused ? NEVER : LAY_THERE;
    if (there === undefined) return { seen: "nothing" };
    return sharesMatch(there["shares"], field(input["assets"], "shares"))
      ? { seen: "effect", by: { identifier: there["identifier"] ?? null, shares: there["shares"] ?? null } }
      : { seen: "conflict", why: "the asset lies in the vault, but not with the shares that were asked for" };
  },
});

const NEVER = { seen: "nothing", again: "never" } as const;
const LAY_THERE = { seen: "unclear", why: "the asset lay in the vault before" } as const;

// The vault shows one quantity for each share token, however many receivers there were.
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

/** The asset lay in the vault, and does so no more. */
export const withdrawn: Probe = forEach(eachAsset, {
  ...content,
  judge: (evidence) => {
    const { before, now } = evidence;
    if (before === undefined) return UNREAD;
    if (before["asset"] === null) return { seen: "unclear", why: "the asset did not lie in the vault before" };
    if (now["content"] === null) return GONE;
    if (lying(now["content"] ?? null, evidence) !== undefined) return { seen: "nothing" };
    return { seen: "effect", by: { readBack: "the asset lies in the vault no more" } };
  },
});
