import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import type { Sent, Sight } from "../../../src/services/probe.ts";
import { shareTokenAdded } from "../../../src/services/ledger/probes/vaults.ts";

// Returns what a look shows of a share token that a write should have added to a vault. The token did not exist before.
function seen(now: { readonly token: JsonObject | null; readonly vaultTokenId: readonly string[] }): Sight {
  const sent: Sent = {
    input: { id: "V1", vaultToken: [{ id: "S2", name: "Second" }] },
    actor: { orgId: "org1", userId: "alice" },
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
  };
  const vault = { id: "V1", vaultTokenId: ["S1"] };
  return shareTokenAdded.judge({
    ...sent,
    before: shareTokenAdded.keep?.({ "token.0": null, "vault.0": vault }, sent),
    since: undefined,
    now: { "token.0": now.token, "vault.0": { ...vault, vaultTokenId: [...now.vaultTokenId] } },
    rivals: [],
    bystanders: [],
    isSpent: () => false,
    earlier: [],
  });
}

test("a share token is added only if the token exists and the vault lists it", () => {
  const token = { id: "S2", name: "Second" };
  expect(seen({ token: null, vaultTokenId: ["S1"] })).toEqual({ seen: "nothing" });
  expect(seen({ token, vaultTokenId: ["S1"] })).toMatchObject({ seen: "conflict" });
  expect(seen({ token, vaultTokenId: ["S1", "S2"] })).toMatchObject({ seen: "effect" });
});
