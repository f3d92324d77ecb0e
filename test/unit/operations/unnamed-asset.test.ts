// An approval may hand over an asset that it does not name. What it left in the second of the readings before a write proves no other write.
import { expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import { operationNamed } from "../../../src/operations/operation.ts";
import type { Evidence, OtherWrite } from "../../../src/services/probe.ts";

const SINCE = Date.parse("2026-11-21T10:00:00.000Z");
const IN_THAT_SECOND = "2026-11-21T10:00:00.500Z";
const [alice, bob] = [
  { orgId: "org1", userId: "alice" },
  { orgId: "org1", userId: "bob" },
];
const asset = { assetType: "Bond", id: "B1", owners: [bob], updatedBy: alice, updatedAt: IN_THAT_SECOND };

function restsOf(earlier: readonly OtherWrite[]): string | undefined {
  const { meaning } = operationNamed("ledger.asset.setOwners");
  if (meaning.effect === "read") throw new Error("it is a write");
  const evidence: Evidence = {
    input: { assetType: "Bond", id: "B1", owners: [bob] },
    before: { "asset.0": { ...asset, owners: [alice] }, "history.0": ["t0"] },
    now: { "asset.0": asset, "history.0": { records: [{ ...asset, transactionId: "t1", transactionTime: IN_THAT_SECOND }] } },
    actor: alice,
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
    since: SINCE,
    rivals: [],
    bystanders: [],
    earlier,
    isSpent: () => false,
  };
  const sight = meaning.probe.judge(evidence);
  return sight.seen === "effect" ? sight.rests : sight.seen;
}

test("an earlier approval whose transaction is not known may have left the change of the asset", () => {
  const approval = { operation: "ledger.transfer.approve", input: { id: "R1" }, actor: alice, transactions: [] };
  expect(restsOf([])).toBe("record");
  expect(restsOf([approval])).toBe("readings");
  expect(restsOf([{ ...approval, transactions: ["t9"] }])).toBe("record");
});
