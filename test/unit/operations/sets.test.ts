import { describe, expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { JsonObject } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE as profile } from "../../../src/contract/profile.ts";
import type { WriteMeaning } from "../../../src/services/meaning.ts";
import { operationNamed, operations } from "../../../src/operations/operation.ts";
import type { Repeatability } from "../../../src/services/probe.ts";
import { canUndo, type Setter, undoneByNothing } from "../../../src/services/sets.ts";

function setter(name: string, input: JsonObject | undefined): Setter {
  const operation = operationNamed(name);
  if (!operation.writes) throw new TypeError(`${name} reads`);
  return { sets: operation.meaning.sets, input };
}

const HOUSE = { assetType: "Property", id: "H1" };
const IN_VAULT = { vaultId: "V1", assets: [HOUSE] };

test("a write that does not declare what it sets does not compile", () => {
  const settled: Pick<WriteMeaning, "effect" | "readBack" | "probe"> = {
    effect: "absolute",
    readBack: "`ledger.asset.get`",
    probe: { after: () => ({}), judge: () => ({ seen: "nothing" }) },
  };
  // @ts-expect-error: every write must declare what it sets.
  const open: WriteMeaning = settled;
  const declared: WriteMeaning = { ...settled, sets: undoneByNothing("it is a test") };
  expect([open.sets, declared.sets.undoneBy]).toEqual([undefined, "nothing"]);
});

test("each of the 32 writes declares what it sets, and nothing undoes two of them", () => {
  const writes = [...operations.values()].filter((operation) => operation.writes);
  expect(writes).toHaveLength(32);
  const lasting = writes.filter(({ meaning }) => meaning.sets.undoneBy === "nothing").map(({ name }) => name);
  expect(lasting.toSorted()).toEqual(["investor.sales.buy", "ledger.vault.addExistingToken"]);
});

const COLLISIONS: readonly (readonly [string, JsonObject, Repeatability, string, JsonObject | undefined, boolean])[] = [
  ["ledger.token.update", { id: "T1" }, "value", "ledger.token.update", { id: "T1" }, true],
  ["ledger.token.update", { id: "T1" }, "value", "ledger.token.update", { id: "T2" }, false],
  ["ledger.token.update", { id: "T1" }, "value", "ledger.token.update", undefined, true],
  ["ledger.token.update", { id: "T1" }, "value", "ledger.token.update", { items: [{ id: "T2" }, { id: "T1" }] }, true],
  ["ledger.token.update", { id: "T1" }, "value", "ledger.token.setOwners", { id: "T1" }, false],
  ["ledger.token.setOwners", { id: "T1" }, "value", "ledger.token.create", { id: "T1" }, true],
  ["ledger.token.setOwners", { id: "T1" }, "value", "ledger.token.create", { name: "an id that the run chooses" }, false],
  ["ledger.token.setApproval", { tokenIds: ["T1"] }, "value", "ledger.erc1155.setApprovalForAll", {}, true],
  ["ledger.asset.create", { data: { id: "H1" } }, "unique", "ledger.asset.delete", HOUSE, true],
  ["ledger.asset.create", { data: { id: "H1" } }, "unique", "ledger.asset.update", { data: { id: "H1" } }, false],
  ["ledger.asset.put", { data: { id: Decimal.of(17) } }, "value", "ledger.asset.delete", { id: "17" }, true],
  ["ledger.asset.put", { data: { id: Decimal.of(17) } }, "value", "ledger.asset.delete", { id: "18" }, false],
  ["ledger.asset.put", { data: { id: "${{ secrets.ID }}" } }, "value", "ledger.asset.delete", { id: "18" }, true],
  ["ledger.asset.delete", HOUSE, "value", "ledger.asset.create", { data: { id: "H1" } }, true],
  ["ledger.asset.delete", HOUSE, "never", "ledger.asset.put", { data: { id: "H1" } }, true],
  ["ledger.asset.delete", HOUSE, "never", "ledger.asset.delete", HOUSE, false],
  ["ledger.asset.put", { data: { id: "H1" } }, "value", "ledger.transfer.approve", { id: ["R1"] }, true],
  ["ledger.asset.put", { data: { id: "H1" } }, "value", "ledger.transfer.reject", { id: ["R1"] }, false],
  ["ledger.asset.setOwners", { items: [HOUSE] }, "value", "ledger.vault.deposit", IN_VAULT, true],
  ["ledger.asset.setOwners", { items: [{ id: "H2" }] }, "value", "ledger.vault.deposit", IN_VAULT, false],
  ["ledger.vault.updateAssets", IN_VAULT, "value", "ledger.vault.deposit", IN_VAULT, true],
  ["ledger.vault.updateAssets", IN_VAULT, "value", "ledger.vault.withdraw", { items: [IN_VAULT] }, true],
  ["ledger.vault.deposit", IN_VAULT, "never", "ledger.vault.withdraw", IN_VAULT, true],
  ["ledger.vault.deposit", IN_VAULT, "never", "ledger.asset.update", { data: { id: "H1" } }, false],
  ["ledger.vault.setCustodians", { vaultId: "V1" }, "value", "ledger.vault.update", { id: "V1" }, false],
  ["ledger.token.mint", { id: "T1" }, "unique", "ledger.token.burn", { id: "T1" }, true],
  ["ledger.token.mint", { id: "T1" }, "fence", "ledger.vault.withdraw", IN_VAULT, true],
  ["ledger.token.mint", { id: "T1" }, "fence", "ledger.erc1155.safeTransferFrom", { id: "T1" }, false],
  ["ledger.vault.addExistingToken", { id: "V1" }, "value", "ledger.vault.addExistingToken", { id: "V1" }, false],
];

describe("whether a late write undoes a write that was sent after it", () => {
  test.for(COLLISIONS)("%s %j (repeat: %s) arrives after %s %j: %s", ([late, input, again, later, theirs, undoes]) => {
    expect(canUndo(setter(late, input), setter(later, theirs), { again, profile })).toBe(undoes);
  });
});
