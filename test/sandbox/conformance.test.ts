import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, plainView, writeJson } from "../../src/base/json/json.ts";
import { contract, type ContractOperation } from "../../src/contract/contract.ts";
import { validatorOf } from "../../src/contract/validators.ts";
import { REFUSAL_STATUS } from "../../src/sandbox/refusal.ts";
import { readSeed, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { isListed, sandboxForTest, user, type Caller } from "./caller.ts";
import { requestsOf, type GeneratedRequest, type Pools, type Sample } from "./generate.ts";
import { isNightly } from "../sizes.ts";

const SEED = 20_260_501;
const REQUESTS_PER_OPERATION = isNightly ? 60 : 20;

const alice = { userId: "alice" };
const bob = { userId: "bob" };
const roles = ["minter", "burner"];
const populated = readSeed({
  assetTypes: ["Property", { name: "Lease", references: { property: "Property" } }],
  ledger: {
    assets: [
      ...["P1", "P2", "P3", "P4"].map((id) => ({ assetType: "Property", data: { id }, owners: [alice, bob] })),
      { assetType: "Lease", data: { id: "L1", property: "P1" } },
    ],
    tokens: [
      {
        id: "GOLD",
        tokenPermissions: [{ entity: {}, roles }],
        owners: [{}],
        accounts: [
          { entity: alice, balance: 100 },
          { entity: bob, balance: 5 },
        ],
      },
      {
        id: "DEED",
        classification: { type: "nonfungible" },
        tokenPermissions: [{ entity: {}, roles }],
        owners: [{}],
        accounts: [{ entity: alice, nfts: [{ id: "N1" }, { id: "N2" }] }],
      },
      { id: "CLASSB", classification: { valueType: "reference" }, tokenPermissions: [{ entity: {}, roles }], owners: [{}] },
    ],
    vaults: [
      {
        id: "V1",
        custodians: [{}],
        vaultToken: [{ id: "SHARE" }],
        assets: [{ assetType: "Property", id: "P4", shares: [{ tokenId: "SHARE", quantity: 3, receiver: alice }] }],
      },
      { id: "V2", custodians: [{}] },
    ],
  },
});

// Makes the values for requests. Some of their ids exist only after a write.
async function poolsOf({ ledger }: Caller): Promise<Pools> {
  const approvalType = "kind";
  const made = [1, 2, 3];
  const as = "userId:alice";
  for (const _ of made) {
    await ledger("POST /approval", { as, body: { approvalType, approvals: [{ approvers: [user("bob"), user("alice")] }] } });
    await ledger("POST /asset/ownershipTransfer/request", {
      as,
      body: { assetType: "Property", approvals: [{ id: ["P1"], approvers: [user("bob"), user("alice")] }] },
    });
  }
  const ids = async (path: string, query = {}) =>
    (await ledger(path, { as, query })).body.records.map(({ id }: { id: string }) => id);
  const list = async (path: string) =>
    (await ledger(path, { body: [{ tokenId: "GOLD" }] })).body.map(({ id }: { id: string }) => id);
  const { receiptId } = (await ledger("POST /token", { body: [{ id: "LATER" }] })).body;
  return {
    entity: [user("alice"), user("alice"), user("bob"), { orgId: "org1" }].map((entity) => JSON.stringify(entity)),
    actAs: ["userId:alice", "userId:bob", "userId:admin", "userId:nobody"],
    assetType: ["Property", "Property", "Property", "Property", "Property", "Lease", "Yacht"],
    approvalType: [approvalType],
    assetId: ["N1", "N2", "P1"],
    storeId: ["store1", "store2"],
    timezone: ["UTC", "Europe/Lisbon", "Nowhere"],
    purchaseDate: ["2026-01-01", "2020-02-30", "soon", "2026-01-01T10:00:00+02:00"],
    bookmark: ["", "YWZ0ZXI6MQ", "!!"],
    depth: ["0", "1", "5", "-1", "x"],
    role: roles,
    roles: [...roles, "transfer", "notary", "king"],
    valueType: ["reference", "intrinsic"],
    minter_role_name: roles,
    burner_role_name: roles,
    id: ["P1", "P2", "P3", "P4", "fresh1"],
    name: ["id", "number"],
    asset: ["P1", "P2", "P3", "P4", "fresh1"],
    token: ["GOLD", "GOLD", "DEED", "SHARE", "CLASSB", "FRESH1"],
    vault: ["V1", "V1", "V2", "FRESH2"],
    transfer: await ids("GET /asset/ownershipTransfer/request/my"),
    approval: await ids("GET /approval/my", { approvalType }),
    account: await list("POST /token/account/all"),
    transaction: await list("POST /token/transaction/all"),
    receipt: [receiptId, "0".repeat(24)],
    sale: ["saleActive1", "saleDebt1", "saleEnded1", "none"],
    investorToken: ["tokenHarbour", "tokenSolar", "none"],
  };
}

// Samples for operations that hardly ever succeed by chance.
const SAMPLES: Readonly<Record<string, Sample>> = {
  "ledger.transfer.request": {
    params: { actAs: "userId:alice" },
    body: { assetType: "Property", approvals: [{ id: ["P1", "P2"], approvers: [user("bob")] }] },
  },
  "ledger.token.mint": {
    body: [
      { id: "GOLD", to: user("bob"), value: 1 },
      { id: "DEED", to: user("bob"), nftData: { id: "N9" } },
    ],
  },
  "ledger.token.burn": { body: [{ id: "GOLD", from: user("alice"), value: 1 }] },
  "ledger.erc1155.safeTransferFrom": {
    params: { actAs: "userId:alice" },
    body: { from: user("alice"), to: user("bob"), id: "DEED", value: 1, data: { assetId: "N1" } },
  },
  "ledger.erc1155.safeBatchTransferFrom": {
    params: { actAs: "userId:alice" },
    body: { from: user("alice"), to: user("bob"), ids: ["GOLD", "DEED"], values: [1, 1], data: { assetIds: ["N2"] } },
  },
  "ledger.vault.addToken": { params: { actAs: "userId:alice" }, body: [{ id: "V1", vaultToken: [{ id: "SHARE9" }] }] },
  "ledger.vault.deposit": {
    body: [
      {
        vaultId: "V1",
        assets: [{ assetType: "Property", id: "P1", shares: [{ tokenId: "SHARE", quantity: 1, receiver: user("bob") }] }],
      },
    ],
  },
  "ledger.vault.withdraw": {
    body: [
      { vaultId: "V1", assets: [{ assetType: "Property", id: "P4", shares: [{ tokenId: "SHARE", payer: user("alice") }] }] },
    ],
  },
  "ledger.vault.updateAssets": { body: [{ vaultId: "V1", assets: [{ assetType: "Property", id: "P4", data: { value: 2 } }] }] },
  "investor.payouts.saleSchedule": { params: { storeId: "store1", tokenId: "tokenSolar", tokenSaleId: "saleDebt1" } },
};

interface Given {
  readonly status: number;
  readonly text: string;
}

async function send(sandbox: Sandbox, operation: ContractOperation, generated: GeneratedRequest): Promise<Given> {
  const root = operation.interface === "ledger" ? `/tokenize/${sandbox.appId}` : "/api/v/1";
  const key = operation.interface === "ledger" ? sandbox.ledgerApiKey : (sandbox.credentials["BUYER_KEY"] ?? "");
  const search = new URLSearchParams(generated.query.map(([name, value]): [string, string] => [name, value])).toString();
  const body = generated.text ?? (generated.body === undefined ? undefined : writeJson(generated.body));
  const response = await fetch(`${sandbox.ledgerBaseUrl}${root}${generated.path}?${search}`, {
    method: operation.method,
    headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }), ...generated.headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

function faultsOf(operation: ContractOperation, { status, text }: Given): readonly unknown[] {
  const body = text === "" ? undefined : plainView(parseJson(text));
  if (status === 204) return operation.response === undefined && body === undefined ? [] : ["unexpected 204"];
  if (status < 300)
    return status === operation.successStatus ? validatorOf(operation.response ?? {})(body) : [`status ${status}`];
  const { status: word, message, condition } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const known = REFUSAL_STATUS[condition as keyof typeof REFUSAL_STATUS];
  return [
    ...(status >= 500 || known !== status ? [`status ${status}, condition ${String(condition)}`] : []),
    ...(isListed(condition, operation) ? [] : [`not listed: ${String(condition)}`]),
    ...(typeof message === "string" && message !== "" ? [] : ["no message"]),
    ...(word === (operation.interface === "ledger" ? "Error" : 0) || word === "Failed" ? [] : [`word ${String(word)}`]),
    ...validatorOf({ $ref: "contract#/$defs/Error" })(body),
  ];
}

const operations = Object.values(contract.operations);
console.log(`conformance: ${operations.length} operations, ${REQUESTS_PER_OPERATION} requests each, seed ${SEED}`);

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s answers as the contract says, or refuses with a listed condition",
  async (name, operation) => {
    const caller = await sandboxForTest({ seed: populated, commitDelayMs: 0 });
    const pools = await poolsOf(caller);
    // Each operation has its own seed, so that a new operation does not change the requests of another.
    const seed = Buffer.from(name).reduce((hash, byte) => (hash * 31 + byte) % 2_147_483_647, SEED);
    const statuses: number[] = [];
    for (const generated of fc.sample(requestsOf(operation, pools, SAMPLES[name]), { seed, numRuns: REQUESTS_PER_OPERATION })) {
      const answer = await send(caller.sandbox, operation, generated);
      statuses.push(answer.status);
      expect(faultsOf(operation, answer), `seed ${seed}, request ${writeJson(generated)}, answer ${answer.text}`).toEqual([]);
    }
    expect(
      statuses.some((status) => status < 300),
      `no request succeeded: ${statuses.join(" ")}`,
    ).toBe(true);
    expect(statuses.some((status) => status >= 400)).toBe(true);
  },
);
