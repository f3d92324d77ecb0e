import { expect, test } from "vitest";
import { page, projectAt, reconcileAtOnce as reconcile } from "./comparison.ts";
import type { Project } from "./world.ts";

// Runs the bundled playbooks about sales on answers that the sandbox never gives. No run may report that all is well because of them.

function purchase(id: string, tokenCount: number, more: object = {}): object {
  return { id, type: "BUY", tokenSaleId: "Sale1", tokenCount, ...more };
}

test("conserve a sale: a purchase that two investors list counts once, a payout is none, and one below 0 is a drift that no other offsets", async () => {
  let transactions: readonly object[] = [];
  const project = await projectAt({
    "/status": () => ({}),
    "/token-sales/Sale1": () => ({
      status: 1,
      response: { sale: { id: "Sale1", totalSoldTokens: 15, tokenCountOnSale: 100 } },
    }),
    "/investments/user/transactions": ({ headers }) =>
      page("transactions", headers["x-api-key"] === "sandbox-buyer-key" ? transactions : [purchase("1", 15)]),
  });
  project.write(
    "sale.yaml",
    `playbook: 1
mode: read-only
actors: { buyers: [{ investor: BUYER_KEY }, { investor: SECOND_BUYER_KEY }] }
reconcile: [{ id: sale, as: buyers, conserve: { sale: Sale1 } }]
`,
  );
  transactions = [purchase("1", 15), purchase("2", 15, { payoutId: "P1" }), purchase("3", 15, { type: "payout" })];
  const once = await project.run("run", "sale.yaml");
  expect(once.code, once.transcript).toBe(0);
  transactions = [purchase("1", 15), purchase("1", 15), purchase("1", 15)];
  const thrice = await project.run("run", "sale.yaml");
  expect(thrice.code, thrice.transcript).toBe(3);
  expect(thrice.transcript).toContain("purchase 1, times listed");
  expect(thrice.transcript).toMatch(/1 drift: 1 new/);
  transactions = [purchase("1", 15), purchase("2", 5), purchase("3", -5)];
  const below = await project.run("run", "sale.yaml");
  expect(below.code, below.transcript).toBe(3);
  expect(below.transcript).toContain("purchase 3, at least 0");
  transactions = [purchase("1", 5)];
  const unlike = await project.run("run", "sale.yaml");
  expect(unlike.code, unlike.transcript).toBe(1);
  expect(unlike.transcript).toContain("transaction 1: it is listed twice, of 5 and of 15");
});

const BUYERS = { credentials: ["BUYER_KEY", "SECOND_BUYER_KEY"] };

/** A sale that reports 30 sold units, and the purchases that its two buyers list. */
async function saleOf(...lists: readonly (readonly object[])[]): Promise<Project> {
  return projectAt({
    "/token-sales": () => page("sales", [{ id: "Sale1", totalSoldTokens: 30, tokenCountOnSale: 100 }]),
    "/investments/user/transactions": ({ headers }) =>
      page("transactions", lists[headers["x-api-key"] === "sandbox-buyer-key" ? 0 : 1] ?? []),
  });
}

test("reconcile-sales reports a purchase that is listed twice, although the totals agree", async () => {
  const well = await reconcile(await saleOf([purchase("1", 15)], [purchase("2", 15)]), "reconcile-sales", "purchases", BUYERS);
  expect(well.code, well.transcript).toBe(0);
  for (const twice of [
    await saleOf([purchase("1", 15)], [purchase("1", 15)]),
    await saleOf([purchase("1", 15), purchase("1", 15)]),
  ]) {
    const found = await reconcile(twice, "reconcile-sales", "purchases", BUYERS);
    expect(found.code, found.transcript).toBe(3);
    expect(found.drifts).toEqual(["differs 1 2 | 1"]);
  }
});

test("reconcile-sales reports one drift when a purchase is listed twice and the total shows it too", async () => {
  const sold = await saleOf([purchase("1", 15), purchase("2", 15)], [purchase("1", 15)]);
  const found = await reconcile(sold, "reconcile-sales", "sales", BUYERS);
  expect(found.code, found.transcript).toBe(3);
  expect(found.drifts).toEqual([]);
  expect(found.found.right).toMatchObject({ rows: 3, sum: "30" });
  const list = (await sold.json("drift", "list")).data as unknown as { readonly drifts: readonly object[] };
  expect(list.drifts).toMatchObject([{ kind: "differs", key: { purchase: "1" }, left: "2", right: "1" }]);
});

test("reconcile-sales reports a sale that has sold more than was on sale", async () => {
  const project = await projectAt({
    "/token-sales": () => page("sales", [{ id: "Sale1", totalSoldTokens: 30, tokenCountOnSale: 20 }]),
    "/investments/user/transactions": ({ headers }) =>
      page("transactions", headers["x-api-key"] === "sandbox-buyer-key" ? [purchase("1", 30)] : []),
  });
  const over = await reconcile(project, "reconcile-sales", "on_sale", BUYERS);
  expect(over.code, over.transcript).toBe(3);
  expect(over.drifts).toEqual(["differs Sale1 30 | 20"]);
});

test("reconcile-sales reports a purchase below 0, although another one offsets it", async () => {
  const offset = await saleOf([purchase("1", 20), purchase("2", 15)], [purchase("3", -5), purchase("4", -5, { type: "payout" })]);
  const sums = await reconcile(offset, "reconcile-sales", "sales", BUYERS);
  expect(sums.code, sums.transcript).toBe(3);
  expect(sums.drifts).toEqual([]);
  const found = await reconcile(offset, "reconcile-sales", "below_zero", BUYERS);
  expect(found.drifts).toEqual(["missing-right 3 -5 | -"]);
});

test("reconcile-sales counts no payout as a purchase", async () => {
  const paid = [purchase("2", 5, { payoutId: "P1" }), purchase("3", 5, { type: "payout" }), purchase("4", 5, { type: "Payout" })];
  const short = await reconcile(await saleOf([purchase("1", 15), ...paid]), "reconcile-sales", "sales", BUYERS);
  expect(short.code, short.transcript).toBe(3);
  expect(short.drifts).toEqual(["differs Sale1 30 | 15"]);
  const well = await reconcile(await saleOf([purchase("1", 30, { payoutId: "" }), ...paid]), "reconcile-sales", "sales", BUYERS);
  expect(well.code, well.transcript).toBe(0);
});

test("buy counts no payout as a purchase, and buys what is missing", async () => {
  const bought: object[] = [];
  const paid = [purchase("2", 5, { payoutId: "P1" }), purchase("3", 5, { type: "payout" })];
  const project = await projectAt({
    "/token-sales": () => page("sales", []),
    "/token-sales/Sale1": () => ({ status: 1, response: { sale: { id: "Sale1", tokenId: "T1", totalSoldTokens: 30 } } }),
    "/investments/user/tokens": () => page("tokens", []),
    "/investments/user/transactions": () => page("transactions", [purchase("1", 4, { payoutId: "" }), ...paid, ...bought]),
    "/token-sales/buy": ({ body }) => {
      const { amount } = JSON.parse(body) as { amount: number };
      bought.push(purchase("4", amount));
      return { status: "SUCCESS", response: { result: { transactionId: "4", tokenSaleId: "Sale1", amount, status: "SUCCESS" } } };
    },
  });
  const inputs = { sale: "Sale1", amount: 10, wallet: "0xb1", currency: "0xc1" };
  const ran = await project.run(
    "run",
    "tokenbook/buy.yaml",
    ...Object.entries(inputs).flatMap(([name, value]) => ["--input", `${name}=${value}`]),
  );
  expect(ran.code, ran.transcript).toBe(0);
  expect(bought).toMatchObject([{ tokenCount: 6 }]);
});

test("reconcile-sales reports an unknown sale in soldOtherwise", async () => {
  const project = await saleOf([purchase("1", 25)]);
  const known = { ...BUYERS, soldOtherwise: [{ sale: "Sale1", sold: 5 }] };
  expect((await reconcile(project, "reconcile-sales", "sales", known)).code).toBe(0);
  const unknown = { ...BUYERS, soldOtherwise: [...known.soldOtherwise, { sale: "Sale9", sold: 77 }] };
  const result = await reconcile(project, "reconcile-sales", "sold_otherwise", unknown);
  expect(result.code, result.transcript).toBe(3);
  expect(result.drifts).toEqual(["missing-right Sale9 - | -"]);
});
