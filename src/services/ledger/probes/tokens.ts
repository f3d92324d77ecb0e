import { isObject, type Json, type JsonObject, jsonEquals } from "../../../base/json/json.ts";
import type { Probe, ProbeRead, Sent } from "../../probe.ts";
import { field, listOf, recordsIn, without } from "../../../base/json/parts.ts";
import { eachOf, hasFields, includes, isEntity, itemsOf, sameMembers } from "../../probes/compare.ts";
import { makingProbe, type Setting, settingProbe, stampedIn } from "./state.ts";

/** Returns the read of the token that a write names. */
export function tokenReads({ input }: Sent): { readonly token: ProbeRead } {
  return { token: { operation: "ledger.token.get", input: { id: input["id"] ?? "" } } };
}

const ofToken: Pick<Setting, "reads" | "stamped"> = { reads: tokenReads, stamped: stampedIn("token", "id") };

/** B.4: the token with the sent id. The service does not show the fields of its units. */
export const tokenCreated: Probe = makingProbe({
  read: (sent) => ({ name: "token", reads: tokenReads(sent) }),
  id: ({ id }) => id,
  isOurId: ({ input, names }) => input["id"] === names.id(),
  isAsSent: (made, { input }) => includes(made, without(input, ["nftFields"])),
  isUnique: ({ profile }) => profile.ledger.capabilities.tokenIdUnique,
});

/** B.4: the token has the values that were sent. */
export const tokenUpdated: Probe = settingProbe({
  ...ofToken,
  isSo: ({ token: shown = null }, { input }, alike) => input["nftFields"] === undefined && hasFields(shown, input, alike),
});

/** B.4: the token has the permissions that were sent. */
export const tokenPermissionsSet: Probe = settingProbe({
  ...ofToken,
  isSo: ({ token: shown = null }, { input }, alike) =>
    sameMembers(
      field(shown, "tokenPermissions"),
      listOf(input["permissions"]),
      (there, asked) =>
        isObject(field(asked, "entity")) &&
        alike(field(there, "entity"), field(asked, "entity")) &&
        sameMembers(field(there, "roles"), listOf(field(asked, "roles")), jsonEquals),
    ),
});

/** B.4: the token has the owners that were sent. */
export const tokenOwnersSet: Probe = settingProbe({
  ...ofToken,
  isSo: ({ token: shown = null }, { input }, alike) =>
    sameMembers(field(shown, "owners"), listOf(input["owners"]), (there, asked) => alike(field(there, "entity"), asked)),
});

/** The operators are set, or removed, in the actor's account of each token. */
export const tokenApprovalSet: Probe = settingProbe({
  split: (sent) => itemsOf(sent).flatMap(eachOf("tokenIds")),
  reads: ({ input, actor }) => ({ accounts: accountsOf(input["tokenIds"], ({ entity }) => isEntity(entity, actor)) }),
  stamped: ({ accounts = null }, sent) => ({ record: ownAccount(accounts, sent), thing: sent.input["tokenIds"] ?? null }),
  isSo: ({ accounts = null }, { input, actor }, alike) => {
    if (actor === undefined) return false;
    const approved = listOf(ownAccount(accounts, { actor })?.["approvedEntities"]);
    const isListed = (operator: Json): boolean => approved.some((each) => alike(each, operator));
    return listOf(input["operators"]).every((operator) => isListed(operator) === (input["approved"] === true));
  },
});

function ownAccount(accounts: Json, { actor }: Pick<Sent, "actor">): JsonObject | undefined {
  return recordsIn(accounts).find(({ entity }) => isEntity(entity, actor));
}

/** B.5: the operator may manage everything of the actor, or no longer may. */
export const approvalForAllSet: Probe = settingProbe({
  reads: ({ input, actor }) =>
    actor === undefined
      ? {}
      : {
          approval: {
            operation: "ledger.erc1155.isApprovedForAll",
            input: { owner: actor, operator: input["operator"] ?? {} },
          },
        },
  isSo: ({ approval = null }, { input }) => {
    const approved = field(approval, "approved");
    // The service answers with a text or a boolean.
    return approved === input["approved"] || approved === JSON.stringify(input["approved"]);
  },
});

/** Returns the read of some accounts of a token. */
export function accountsOf(tokenId: Json | undefined, keeps: (account: JsonObject) => boolean): ProbeRead {
  return { operation: "ledger.account.list", input: { tokenId: tokenId ?? "" }, keeps };
}
