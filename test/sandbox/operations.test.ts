import { expect, test } from "vitest";
import { contract } from "../../src/contract/contract.ts";
import { INVESTOR_READS, INVESTOR_WRITES } from "../../src/sandbox/investor/operations.ts";
import { LEDGER_READS, LEDGER_WRITES } from "../../src/sandbox/ledger/operations.ts";
import { REFUSAL_STATUS } from "../../src/sandbox/refusal.ts";

test("the sandbox implements every operation of the contract, and no other", () => {
  const implemented = [LEDGER_READS, LEDGER_WRITES, INVESTOR_READS, INVESTOR_WRITES].flatMap(Object.keys);
  expect([...implemented, "ledger.receipt.get"].toSorted()).toEqual(Object.keys(contract.operations).toSorted());
});

test("every listed condition has a status", () => {
  const listed = Object.values(contract.operations).flatMap(({ conditions, furtherConditions }) => [
    ...conditions,
    ...furtherConditions,
  ]);
  const known = Object.keys(REFUSAL_STATUS).map((condition) => condition.toLowerCase());
  for (const condition of listed) expect(known).toContain(condition.toLowerCase());
});
