import { expect, test } from "vitest";
import type { Came } from "../unit/engine/server.ts";
import { page, projectAt, reconcileAtOnce as reconcile, type Reconciled } from "./comparison.ts";

// Runs the bundled playbooks on answers that the sandbox never gives. No run may report that all is well because of them.

const reader = { userId: "auditor" };

test("reconcile-stale counts a request in a pending queue as waiting, whatever its status", async () => {
  const queue = ({ query }: Came): object => {
    const records =
      query.get("pendingOnly") === "true"
        ? ["PENDING", "OPEN", "awaiting second vote"].map((status, at) => ({
            id: `request${at}`,
            status,
            createdAt: "2020-01-01T00:00:00.000Z",
          }))
        : [];
    return { count: records.length, bookmark: "", records };
  };
  const project = await projectAt({
    "/status": () => ({}),
    "/asset/ownershipTransfer/request/approvals": queue,
    "/approval/queue": queue,
  });
  project.write(
    "tokenbook.yaml",
    `${project.read("tokenbook.yaml")}    profile: { ledger: { requestStatus: { pending: OPEN } } }\n`,
  );
  const inputs = { approvers: [{ userId: "bob" }], approvals: [{ approver: { userId: "bob" }, type: "invoice" }] };
  const waiting = ["request0", "request1", "request2"];
  const stale = await reconcile(project, "reconcile-stale", "transfers", inputs);
  expect(stale.code, stale.transcript).toBe(3);
  expect(stale.drifts).toEqual(waiting.map((id) => `missing-right ${id} - | -`));
  const known = { ...inputs, knownTransfers: waiting };
  const approvals = await reconcile(project, "reconcile-stale", "approvals", known);
  expect(approvals.code, approvals.transcript).toBe(3);
  expect(approvals.drifts).toEqual(stale.drifts);
});

interface Ledger {
  readonly token: object;
  readonly accounts: readonly object[];
  readonly transactions: readonly object[];
}

const GOLD = {
  id: "Gold",
  classification: { type: "fungible", supply: "capped-variable" },
  behaviour: { decimal: 2, maxMintQuantity: 120 },
  totalSupply: 100,
  totalMintedAmount: 100,
};

const ALICE = { id: "account~1", tokenId: "Gold", entity: { orgId: "org1", userId: "alice" }, balance: 100 };

function transaction(id: string, type: string, amount: number, tokenId = "Gold"): object {
  return { id, type, transactionDetails: [{ tokenId, amount }] };
}

const MINT = transaction("t1", "MINT", 100);

async function supplyOf(ledger: Partial<Ledger>): Promise<Reconciled> {
  const { token, accounts, transactions } = { token: GOLD, accounts: [ALICE], transactions: [MINT], ...ledger };
  const project = await projectAt({
    "/token": () => token,
    "/token/all": () => ({ count: 1, bookmark: "", records: [{}] }),
    "/token/account/all": () => accounts,
    "/token/transaction/all": () => transactions,
  });
  return reconcile(project, "reconcile-supply", "supply", { tokens: ["Gold"], reader });
}

test("reconcile-supply compares the sum of the mints with the cap and with the minted amount of the token", async () => {
  const well = await supplyOf({ transactions: [MINT, transaction("t2", "TRANSFER", 7)] });
  expect(well.code, well.transcript).toBe(0);
  expect(well.found.counts.compared).toBe(4);
  const mints = await supplyOf({ transactions: [transaction("t1", "MINT", 150), transaction("t2", "BURN", 50)] });
  expect(mints.code, mints.transcript).toBe(3);
  expect(mints.drifts).toEqual(["differs Gold minted 100 | 150", "differs Gold minted, at most the cap 150 | 120"]);
  const said = await supplyOf({ token: { ...GOLD, totalMintedAmount: 130 } });
  expect(said.drifts, said.transcript).toEqual([
    "differs Gold minted 130 | 100",
    "differs Gold minted, at most the cap 130 | 120",
  ]);
  const less = await supplyOf({ token: { ...GOLD, totalMintedAmount: 90 } });
  expect(less.code, less.transcript).toBe(3);
  expect(less.drifts).toEqual(["differs Gold minted 90 | 100"]);
});

test("reconcile-supply accepts a token without a cap, but not one without its behaviour", async () => {
  for (const behaviour of [{ decimal: 2 }, { decimal: 2, maxMintQuantity: 0 }]) {
    const none = await supplyOf({ token: { ...GOLD, behaviour } });
    expect(none.code, none.transcript).toBe(0);
    expect(none.found.counts.compared).toBe(3);
  }
  const unstated = await supplyOf({ token: { ...GOLD, behaviour: undefined } });
  expect(unstated.code, unstated.transcript).toBe(1);
  expect(unstated.found.gaps).toMatchObject([{ message: expect.stringContaining("behaviour must have the cap of the token") }]);
});

test.for<readonly [string, Partial<Ledger>]>([
  ["transaction t2: transactionDetails must be a list", { transactions: [MINT, { id: "t2", type: "MINT" }] }],
  ["transaction t2: transactionDetails must be a list", { transactions: [MINT, { id: "t2", type: "TRANSFER" }] }],
  ["transaction t2: type must be a text", { transactions: [MINT, { ...transaction("t2", "", 5), type: undefined }] }],
  ["transaction t2: type must be MINT, BURN, TRANSFER", { transactions: [MINT, transaction("t2", "MINTED", 5)] }],
  [
    "transaction t2: tokenId must be a text",
    { transactions: [MINT, { ...MINT, id: "t2", transactionDetails: [{ amount: 5 }] }] },
  ],
  ["transaction t2: it moves nothing of the token Gold", { transactions: [MINT, transaction("t2", "MINT", 5, "Silver")] }],
  ["transaction t1 is listed more than once", { transactions: [transaction("t1", "MINT", 50), transaction("t1", "MINT", 50)] }],
  [
    "account account~1 is listed more than once",
    {
      accounts: [
        { ...ALICE, balance: 50 },
        { ...ALICE, balance: 50 },
      ],
    },
  ],
  [
    "account account~2: it belongs to the token Silver, not to Gold",
    {
      accounts: [
        { ...ALICE, balance: 60 },
        { ...ALICE, id: "account~2", tokenId: "Silver", balance: 40 },
      ],
    },
  ],
  ["account account~1: tokenId must be a text", { accounts: [{ ...ALICE, tokenId: undefined }] }],
  ["the service was asked for Gold and gave Silver", { token: { ...GOLD, id: "Silver" } }],
])("supply: a ledger with %s is not read to its end", async ([message, ledger]) => {
  const { code, found, transcript } = await supplyOf(ledger);
  expect(code, transcript).toBe(1);
  expect(found.gaps).toMatchObject([{ of: "token Gold", message: expect.stringContaining(message) }]);
});

test("supply: what is below 0 is a drift, although something else offsets it", async () => {
  const debt = { ...ALICE, id: "account~2", entity: { orgId: "org1", userId: "bob" }, balance: -20 };
  const accounts = await supplyOf({ accounts: [{ ...ALICE, balance: 120 }, debt] });
  expect(accounts.code, accounts.transcript).toBe(3);
  expect(accounts.drifts).toEqual(["differs Gold account account~2, at least 0 0 | -20"]);
  const mints = await supplyOf({ transactions: [transaction("t1", "MINT", 110), transaction("t2", "MINT", -10)] });
  expect(mints.code, mints.transcript).toBe(3);
  expect(mints.drifts).toEqual(["differs Gold transaction t2, at least 0 0 | -10"]);
});

test("supply: an empty page with a bookmark of its own leaves the list of tokens incomplete", async () => {
  const project = await projectAt({
    "/token": () => GOLD,
    "/token/all": ({ query }) =>
      query.has("bookmark") ? { count: 0, bookmark: "2", records: [] } : { count: 1, bookmark: "1", records: [{}] },
    "/token/account/all": () => [ALICE],
    "/token/transaction/all": () => [MINT],
  });
  const { code, found, transcript } = await reconcile(project, "reconcile-supply", "tokens", { tokens: ["Gold"], reader });
  expect(code, transcript).toBe(1);
  const message = 'page 2 has no records, but the bookmark "2" of a page after it';
  expect(found.gaps).toMatchObject([{ code: "paging.empty", message }]);
});

/** A vault of these share tokens with these assets. Each token has a supply of 100. */
async function vaultOf(vaultTokenId: readonly string[], assets: readonly object[], name = "Vault1"): Promise<Reconciled> {
  const project = await projectAt({
    "/token/vault/all": () => [{ id: "Vault1", vaultTokenId }],
    "/token/vault": () => ({ id: name, vaultTokenId }),
    "/token/vault/assets": () => ({ count: assets.length, assets }),
    "/token": ({ query }) => ({ id: query.get("id"), totalSupply: 100 }),
  });
  return reconcile(project, "reconcile-vaults", "vaults", { vaults: ["Vault1"], reader });
}

function asset(id: string, quantity: number, docDefId = "Property"): object {
  return { identifier: { docType: "asset", docDefId, id }, shares: [{ tokenId: "Share1", quantity }] };
}

test("reconcile-vaults counts what is named or listed twice once, and reports it", async () => {
  const well = await vaultOf(["Share1"], [asset("House1", 60), asset("House2", 30), asset("House1", 10, "Garden")]);
  expect(well.code, well.transcript).toBe(0);
  const named = await vaultOf(["Share1", "Share1"], [asset("House1", 200)]);
  expect(named.code, named.transcript).toBe(3);
  expect(named.drifts).toEqual(["differs Vault1 Share1 100 | 200", "differs Vault1 Share1, times named 2 | 1"]);
  const listed = await vaultOf(["Share1"], [asset("House1", 50), asset("House1", 50)]);
  expect(listed.code, listed.transcript).toBe(3);
  expect(listed.drifts).toEqual(["differs Vault1 Share1 100 | 50", "differs Vault1 asset Property House1, times listed 2 | 1"]);
  const debt = await vaultOf(["Share1"], [asset("House1", 110), asset("House2", -10)]);
  expect(debt.code, debt.transcript).toBe(3);
  expect(debt.drifts).toEqual(["differs Vault1 Share1 of asset Property House2, at least 0 0 | -10"]);
});

test("reconcile-vaults leaves its comparison incomplete when two entries of an asset differ", async () => {
  const other = { identifier: { docType: "asset", docDefId: "Property", id: "House1" } };
  for (const [second, words] of [
    [asset("House1", 99_999), "99999 of Share1"],
    [asset("House1", -5), "-5 of Share1"],
    [{ ...other, shares: [{ tokenId: "Other", quantity: 5 }] }, "5 of Other"],
    [{ ...other, shares: [] }, "no shares"],
  ] as const) {
    const unlike = await vaultOf(["Share1"], [asset("House1", 100), second]);
    expect(unlike.code, unlike.transcript).toBe(1);
    const message = `page 1: asset Property House1 is listed twice, with 100 of Share1 and with ${words}`;
    expect(unlike.found.gaps).toMatchObject([{ message }]);
  }
});

test("reconcile-vaults reports a gap for an asset without shares, and for the answer of another vault", async () => {
  const without = await vaultOf(["Share1"], [asset("House1", 100), { identifier: { id: "House2" } }]);
  expect(without.code, without.transcript).toBe(1);
  expect(without.found.gaps).toMatchObject([
    { message: expect.stringContaining("the shares of asset House2 must be a list of records, and is null") },
  ]);
  const other = await vaultOf(["Share1"], [asset("House1", 100)], "Vault2");
  expect(other.code, other.transcript).toBe(1);
  expect(other.found.gaps).toMatchObject([
    { message: expect.stringContaining("the service was asked for Vault1 and gave Vault2") },
  ]);
});

test("reconcile-vaults reports a vault that is no longer listed, and one that no input names", async () => {
  let listed: readonly string[] = [];
  const project = await projectAt({
    "/token/vault/all": () => listed.map((id) => ({ id, vaultTokenId: [] })),
    "/token/vault": ({ query }) => ({ id: query.get("id"), vaultTokenId: [] }),
    "/token/vault/assets": () => ({ count: 0, assets: [] }),
  });
  for (const [there, drifts] of [
    [["Vault1"], ["missing-right Vault2 - | -"]],
    [[], ["missing-right Vault1 - | -", "missing-right Vault2 - | -"]],
    [["Vault1", "Vault2", "Vault3"], ["missing-left Vault3 - | -"]],
  ] as const) {
    listed = there;
    const found = await reconcile(project, "reconcile-vaults", "listed", { vaults: ["Vault1", "Vault2"], reader });
    expect(found.code, found.transcript).toBe(3);
    expect(found.drifts.toSorted()).toEqual(drifts);
  }
});

/** An account with 10 Gold. */
function accountOf(entity: Readonly<Record<string, string>>, balance = 10): object {
  return { id: `account~${JSON.stringify(entity)}`, tokenId: "Gold", entity, balance };
}

/** Entities other than the user alice of org1, and how tokenbook shows them. */
const OTHERS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["orgId:other userId:alice", { orgId: "other", userId: "alice" }],
  ["orgId:alice", { orgId: "alice" }],
  ["orgId:org1 department:alice", { orgId: "org1", department: "alice" }],
  ["orgId:org1 userId:alice department:sales", { orgId: "org1", userId: "alice", department: "sales" }],
  ["orgId:org1 userId:orgId:alice", { orgId: "org1", userId: "orgId:alice" }],
];

test("reconcile-expected matches only users of the reader's organization", async () => {
  let accounts: readonly object[] = [];
  const project = await projectAt({ "/token/account/all": () => accounts });
  project.write("expected.csv", "holder,token,balance\nalice,Gold,10\n");
  const inputs = { expected: "expected.csv", tokens: ["Gold"], reader };
  const compared = async (): Promise<Reconciled> => reconcile(project, "reconcile-expected", "accounts", inputs);
  for (const alice of [{ orgId: "org1", userId: "alice" }, { userId: "alice" }]) {
    accounts = [accountOf(alice)];
    const well = await compared();
    expect(well.code, well.transcript).toBe(0);
  }
  accounts = OTHERS.map(([, entity]) => accountOf(entity));
  const others = await compared();
  expect(others.code, others.transcript).toBe(3);
  const missing = OTHERS.map(([name]) => `missing-left ${name} Gold - | 10`);
  expect(others.drifts.toSorted()).toEqual([...missing, "missing-right alice Gold 10 | -"].toSorted());
  project.write("expected.csv", `holder,token,balance\n${OTHERS.map(([name]) => `${name},Gold,10\n`).join("")}`);
  const named = await compared();
  expect(named.code, named.transcript).toBe(0);
});

test("reconcile-expected treats a balance of 0 like a missing row", async () => {
  const project = await projectAt({
    "/token/account/all": () => [
      accountOf({ orgId: "org1", userId: "carol" }, 0),
      accountOf({ orgId: "org1", userId: "dora" }, 0),
      accountOf({ orgId: "org1", userId: "alice" }),
    ],
  });
  project.write("expected.csv", "holder,token,balance\nbob,Gold,0\ncarol,Gold,0.00\nalice,Gold,10\n");
  const nothing = await reconcile(project, "reconcile-expected", "accounts", {
    expected: "expected.csv",
    tokens: ["Gold"],
    reader,
  });
  expect(nothing.code, nothing.transcript).toBe(0);
});

test("reconcile-expected and reconcile-holdings refuse an account of another token", async () => {
  const silver = { ...accountOf({ orgId: "org1", userId: "alice" }), tokenId: "Silver" };
  const project = await projectAt({
    "/token/account/all": () => [silver],
    "/investments/user/tokens": () => page("tokens", [{ id: "1", tokenId: "gold", tokenCount: 10 }]),
  });
  project.write("expected.csv", "holder,token,balance\nalice,Gold,10\n");
  const expected = { expected: "expected.csv", tokens: ["Gold"], reader };
  const holdings = {
    tokens: [{ ledger: "Gold", investor: "gold" }],
    holders: [{ holder: "alice", credential: "BUYER_KEY" }],
    reader,
  };
  for (const found of [
    await reconcile(project, "reconcile-expected", "accounts", expected),
    await reconcile(project, "reconcile-holdings", "holdings", holdings),
  ]) {
    expect(found.code, found.transcript).toBe(1);
    expect(found.found.gaps).toMatchObject([
      { message: expect.stringContaining('the service was asked for tokenId "Gold" and gave a record of "Silver"') },
    ]);
  }
});

test("reconcile-holdings matches an account only to the very same entity", async () => {
  let accounts: readonly object[] = [];
  const held = { id: "1", tokenId: "gold", tokenCount: 10 };
  const project = await projectAt({
    "/token/account/all": () => accounts,
    "/investments/user/tokens": () => page("tokens", [held]),
  });
  const inputs = {
    tokens: [{ ledger: "Gold", investor: "gold" }],
    holders: [{ holder: "alice", credential: "BUYER_KEY" }],
    otherHolders: ["treasury", "orgId:org1"],
    reader,
  };
  const ours = ["alice", "treasury"].map((userId) => accountOf({ orgId: "org1", userId }));
  accounts = [...ours, accountOf({ orgId: "org1" })];
  const well = await reconcile(project, "reconcile-holdings", "holdings", inputs);
  expect(well.code, well.transcript).toBe(0);
  accounts = [...OTHERS.map(([, entity]) => accountOf(entity)), accountOf({ orgId: "other", userId: "treasury" })];
  const others = await reconcile(project, "reconcile-holdings", "holdings", inputs);
  expect(others.code, others.transcript).toBe(3);
  const missing = [...OTHERS.map(([name]) => name), "orgId:other userId:treasury"].map(
    (name) => `missing-left ${name} Gold - | 10`,
  );
  expect(others.drifts.toSorted()).toEqual([...missing, "missing-right alice Gold 10 | -"].toSorted());
});

test("an asset that the vault shows under another name of its type is not deposited again", async () => {
  const sent: string[] = [];
  const identifier = { docType: "asset", docDefId: "65f0a1b2c3d4e5f60718293a", id: "Mill3" };
  const project = await projectAt({
    "/status": () => ({}),
    "/token/vault/assets": () => ({ count: 1, assets: [{ identifier, shares: [{ tokenId: "Share1", quantity: 100 }] }] }),
    "/token/vault/deposit": ({ body }) => {
      sent.push(body);
      return { transactionId: "t1", receiptId: "r1" };
    },
    "/asset/receipt": () => ({ transactionId: "t1", status: "COMMITTED", message: "Success" }),
  });
  const inputs = {
    vault: "Vault1",
    assetType: "Property",
    asset: "Mill3",
    share: "Share1",
    quantity: 100,
    receiver: "userId:bob",
    custodian: "userId:alice",
  };
  const given = Object.entries(inputs).flatMap(([name, value]) => ["--input", `${name}=${value}`]);
  const ran = await project.run("run", "tokenbook/deposit.yaml", ...given);
  expect(ran.code, ran.transcript).toBe(1);
  expect(ran.transcript).toContain("a.identifier.docDefId == inputs.assetType");
  expect(sent, ran.transcript).toEqual([]);
});
