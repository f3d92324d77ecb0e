import { expect, test } from "vitest";
import { titleOf } from "../../../../src/cli/view/title.ts";
import { TRANSACTION } from "../records.ts";

const MINT = {
  address: "mint",
  name: "Mint the shares",
  transactionId: TRANSACTION,
  tails: ["changed · 1.2 s", "changed"],
} as const;

test("a wider title shows more, and each title shows the outcome", () => {
  expect([18, 33, 60, 200].map((width) => titleOf(MINT, width))).toEqual([
    "mint · changed",
    "mint  Mint the… · changed · 1.2 s",
    "mint  Mint the shares · changed · 1.2 s · tx 3f2a9c1b…",
    `mint  Mint the shares · changed · 1.2 s · tx ${TRANSACTION}`,
  ]);
});

test("no title is wider than its space", () => {
  for (const transactionId of [null, "t", TRANSACTION]) {
    for (const address of ["a", "approvals[bob]", "x".repeat(300)]) {
      for (let width = 10; width < 200; width++) {
        expect(titleOf({ ...MINT, address, transactionId }, width).length).toBeLessThanOrEqual(width);
      }
    }
  }
});

test("a title takes the longest tail that fits", () => {
  const tails = ["waiting for the receipt rc1 until 10:00:00", "until 10:00:00", "3 s"] as const;
  expect([60, 30, 10].map((width) => titleOf({ address: "mint", tails }, width))).toEqual([
    "mint · waiting for the receipt rc1 until 10:00:00",
    "mint · until 10:00:00",
    "mint · 3 s",
  ]);
});
