// An approval may hand over an asset that it does not name. A change that it made, or may have made, proves no other write.
import { expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import type { OperationName } from "../../../src/contract/contract.ts";
import { operationNamed } from "../../../src/operations/operation.ts";
import type { Evidence, OtherWrite } from "../../../src/services/probe.ts";

const SINCE = Date.parse("2026-11-21T10:00:00.000Z");
const IN_THAT_SECOND = "2026-11-21T10:00:00.500Z";
const [alice, bob] = [
  { orgId: "org1", userId: "alice" },
  { orgId: "org1", userId: "bob" },
];
const asset = { assetType: "Bond", id: "B1", owners: [bob], updatedBy: alice, updatedAt: IN_THAT_SECOND };
const LAST = { ...asset, transactionId: "t1", transactionTime: IN_THAT_SECOND };

const APPROVAL: OtherWrite = { operation: "ledger.transfer.approve", input: { id: "R1" }, actor: alice, transactions: [] };

function restsOf(name: OperationName, beside: Partial<Evidence>): string | undefined {
  const { meaning } = operationNamed(name);
  if (meaning.effect === "read") throw new Error("it is a write");
  const evidence: Evidence = {
    input: { assetType: "Bond", id: "B1", owners: [bob] },
    before: { "asset.0": { ...asset, owners: [alice] }, "history.0": ["t0"] },
    now: { "asset.0": asset, "history.0": { records: [LAST] } },
    actor: alice,
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
    since: SINCE,
    rivals: [],
    bystanders: [],
    earlier: [],
    isSpent: () => false,
    ...beside,
  };
  const sight = meaning.probe.judge(evidence);
  return sight.seen === "effect" ? sight.rests : sight.seen;
}

test("the change of an asset can come from an earlier approval with an unknown transaction", () => {
  expect(restsOf("ledger.asset.setOwners", {})).toBe("record");
  expect(restsOf("ledger.asset.setOwners", { earlier: [APPROVAL] })).toBe("readings");
  expect(restsOf("ledger.asset.setOwners", { earlier: [{ ...APPROVAL, transactions: ["t9"] }] })).toBe("record");
});

test("the last change of a missing asset can come from a parallel approval, if the history shows no deletion yet", () => {
  const now = (trasactionType: string): Evidence["now"] => ({
    "asset.0": null,
    "history.0": { records: [{ ...LAST, trasactionType }] },
  });
  expect(restsOf("ledger.asset.delete", { now: now("DELETED") })).toBe("record");
  expect(restsOf("ledger.asset.delete", { now: now("UPDATED"), bystanders: [APPROVAL] })).toBe("readings");
});
