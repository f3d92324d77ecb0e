import { expect, test } from "vitest";
import { parseJson } from "../../../src/base/json/json.ts";
import type { Json, JsonObject } from "../../../src/base/json/json.ts";
import { completedInput } from "../../../src/operations/completed-input.ts";
import type { GivenNames } from "../../../src/services/given-names.ts";
import { DEFAULT_PROFILE, profileWith } from "../../../src/contract/profile.ts";
import { validatorOf } from "../../../src/contract/validators.ts";
import { inputSchema } from "../../../src/operations/input.ts";
import { operationNamed } from "../../../src/operations/operation.ts";

const names = { id: (part?: string): string => `chosen${part ?? ""}`, mark: "run1.step1" };

function complete(name: string, input: string, profile = DEFAULT_PROFILE): JsonObject {
  const { meaning } = operationNamed(name);
  return meaning.complete?.(parseJson(input) as JsonObject, names, profile) ?? {};
}

test("tokenbook chooses an id only if the playbook has none", () => {
  expect(complete("ledger.token.create", '{"name":"n"}')).toEqual({ id: "chosen", name: "n" });
  expect(complete("ledger.token.create", '{"id":"mine","name":"n"}')).toMatchObject({ id: "mine" });
  expect(complete("ledger.vault.create", '{"vaultToken":[{"name":"a"},{"id":"mine"},{"name":"c"}]}')).toMatchObject({
    id: "chosen",
    vaultToken: [{ id: "chosenshare0", name: "a" }, { id: "mine" }, { id: "chosenshare2", name: "c" }],
  });
});

test("tokenbook adds its mark to the data of the playbook, and finds it again", () => {
  const input = complete("ledger.transfer.request", '{"data":{"reason":"sale"},"newOwner":{"userId":"bob"},"id":["A1"]}');
  expect(input).toEqual({
    id: ["A1"],
    data: { reason: "sale", metadata: { newOwner: { userId: "bob" } }, tokenbook: "run1.step1" },
  });
  const { discovery } = operationNamed("ledger.transfer.request").meaning;
  expect(discovery?.matches(input, "run1.step1")).toBe(true);
  expect(discovery?.matches(input, "run1.step2")).toBe(false);
  expect(complete("ledger.approval.accept", '{"comment":"fine"}')).toEqual({ comment: "fine [run1.step1]" });
  expect(complete("ledger.approval.accept", "{}")).toEqual({ comment: "[run1.step1]" });
});

test("a completed input fits the contract, and is the same each time", () => {
  const text = '{"assetType":"P","id":["A1"],"approvers":[{"userId":"a"}],"numRequired":1,"newOwner":{"userId":"b"}}';
  const input = complete("ledger.transfer.request", text);
  expect(validatorOf(inputSchema(operationNamed("ledger.transfer.request")))(input)).toEqual([]);
  expect(complete("ledger.transfer.request", text)).toEqual(input);
});

test("the yields of a write come from its input, its answer and what a read found", () => {
  const written = {
    input: { vaultToken: [{ id: "S1" }, { id: "S2" }], id: "V1" },
    payload: { transactionId: "tx" },
    found: undefined,
    profile: DEFAULT_PROFILE,
  };
  const { yields } = operationNamed("ledger.vault.create");
  expect(Object.entries(yields).map(([name, { from }]) => [name, from(written)])).toEqual([
    ["transactionId", "tx"],
    ["id", "V1"],
    ["tokenIds", ["S1", "S2"]],
  ]);
  expect(operationNamed("ledger.transfer.request").yields["id"]?.from({ ...written, found: { id: "R1" } })).toBe("R1");
  const { transactionId } = operationNamed("ledger.token.mint").yields;
  expect(transactionId?.from({ ...written, payload: null })).toBeUndefined();
  // An empty id would hide the one of the receipt.
  expect(transactionId?.from({ ...written, payload: { transactionId: "" } })).toBeUndefined();
});

test("the new owner is put where the profile has it", () => {
  const input = '{"id":["A1"],"data":{"reason":"sale"},"additionalOwners":[{"userId":"ann"}],"newOwner":{"userId":"bob"}}';
  const at = (newOwner: string): JsonObject => complete("ledger.transfer.request", input, profileWith({ ledger: { newOwner } }));
  expect(at("data.to")).toMatchObject({ data: { reason: "sale", to: { userId: "bob" } }, additionalOwners: [{ userId: "ann" }] });
  expect(at("additionalOwners")).toMatchObject({ additionalOwners: [{ userId: "bob" }, { userId: "ann" }] });
  expect(at("data.to")).not.toHaveProperty("newOwner");
});

test("the id of an asset is in the field that is the primary key of its type", () => {
  const { yields } = operationNamed("ledger.asset.create");
  const profile = profileWith({ ledger: { primaryKey: { Bond: "Isin" } } });
  const idOf = (assetType: string) =>
    yields["id"]?.from({ input: { assetType, data: { id: "X", Isin: "PT1" } }, payload: null, found: undefined, profile });
  expect([idOf("Bond"), idOf("Property")]).toEqual(["PT1", "X"]);
});

test("each share token of a batch of vaults has its own id, and small batches keep the ids of earlier versions", () => {
  const vaults = (count: number): Json[] =>
    Array.from({ length: count }, () => ({ vaultToken: Array.from({ length: 12 }, () => ({})) }));
  const given: GivenNames = { id: (part = "") => `v${part}`, mark: "" };
  const sent = completedInput(
    operationNamed("ledger.vault.create"),
    { items: vaults(12) },
    { names: given, profile: DEFAULT_PROFILE },
  );
  const ids = (sent["items"] as readonly JsonObject[]).map((vault) =>
    (vault["vaultToken"] as readonly JsonObject[]).map(({ id }) => id),
  );
  expect(new Set(ids.flat()).size).toBe(144);
  for (const id of ids.flat()) expect(id).toMatch(/^[a-z0-9]+$/);
  expect([ids[0]?.[11], ids[1]?.[1], ids[10]?.[1]]).toEqual(["vshare110", "vshare11", "vshare1item10"]);
});
