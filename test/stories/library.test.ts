import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { profileWith } from "../../src/contract/profile.ts";
import { proxyTo } from "./proxy.ts";
import { approveAsBob, lineOf, newProject, operationsOf, type Project, servedSandbox, type Service } from "./world.ts";

const HEAD = `playbook: 1
actors:
  issuer: { ledger: "userId:alice" }
  custodian: { ledger: "userId:carol" }
  board: [{ ledger: "userId:bob" }, { ledger: "userId:dora" }, { ledger: "userId:erin" }]
defaults: { as: issuer }
`;

async function projectWith(files: Readonly<Record<string, string>>): Promise<{ project: Project; world: Service }> {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  return { project, world };
}

/** Runs the playbook twice, expects the second run to write nothing, and returns the operations of the first run. */
async function twice({ project, world }: { project: Project; world: Service }, file: string): Promise<readonly string[]> {
  const before = (await world.commits()).length;
  const first = await project.run("run", file);
  expect(first.code, first.transcript).toBe(0);
  const commits = await world.commits();
  const second = await project.run("run", file);
  expect(second.code, second.transcript).toBe(0);
  expect(second.stdout, second.transcript).not.toMatch(/✓ changed/);
  expect(second.stdout, second.transcript).toMatch(/= unchanged/);
  expect(await world.commits(), second.transcript).toEqual(commits);
  return operationsOf(commits.slice(before));
}

function token(name: string): string {
  return `${HEAD}name: A token
steps:
  - { id: token, uses: tokenbook/create-token.yaml, with: { id: Gold, name: ${name}, symbol: GLD, issuer: "\${{ actors.issuer }}", cap: 500 } }
  - { id: mint, uses: tokenbook/mint.yaml, with: { token: Gold, holder: "\${{ actors.custodian }}", total: "12.50", minter: "\${{ actors.issuer }}" } }
outputs: { minted: "\${{ steps.mint.outputs.minted }}", supply: "\${{ steps.mint.outputs.supply }}" }
`;
}

test("a token is created and minted once; another token of that id is reported, and left alone", async () => {
  const place = await projectWith({ "token.yaml": token("Gold"), "other.yaml": token("Silver") });
  expect(await twice(place, "token.yaml")).toEqual(["ledger.token.create", "ledger.token.mint"]);
  const before = await place.world.commits();
  const other = await place.project.run("run", "other.yaml");
  expect(other.code, other.transcript).toBe(1);
  expect(other.stdout, other.transcript).toMatch(lineOf("✗ failed", "token/found"));
  expect(other.stdout, other.transcript).toContain("this does not hold: response.name == inputs.name");
  expect(other.stdout, other.transcript).toMatch(/at: tokenbook\/create-token\.yaml:\d+/);
  expect(await place.world.commits()).toEqual(before);
});

test("tokens that a holder passed on are not minted again, and a higher total mints the difference", async () => {
  const place = await projectWith({ "token.yaml": token("Gold"), "more.yaml": token("Gold").replace("12.50", "20") });
  await twice(place, "token.yaml");
  const entity = (userId: string): object => ({ orgId: "org1", userId });
  await place.world.call("POST /token/erc1155/safeTransferFrom", "userId:carol", {
    from: entity("carol"),
    to: entity("bob"),
    id: "Gold",
    value: 12,
  });
  const moved = await place.project.run("run", "token.yaml", "--verbose");
  expect(moved.stdout, moved.transcript).toMatch(lineOf("= unchanged", "mint/mint"));
  expect(await twice(place, "more.yaml")).toEqual(["ledger.token.mint"]);
  const more = await place.project.run("run", "more.yaml");
  expect(more.stdout, more.transcript).toContain("output minted: 20");
  expect(more.stdout, more.transcript).toContain("output supply: 20");
});

const TRANSFER = `${HEAD}name: Hand over, and back
steps:
  - id: house
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: Mill3 } }
    ensure: { read: ledger.asset.get, with: { assetType: Property, id: Mill3 }, that: response.id == "Mill3" }
  - id: there
    uses: tokenbook/transfer.yaml
    with: { assetType: Property, asset: Mill3, owner: "\${{ actors.issuer }}", newOwner: "\${{ actors.custodian }}", board: "\${{ actors.board }}", required: 2, votes: "\${{ actors.board }}" }
`;

test("a transfer collects the votes that it needs, and runs again when the asset went back", async () => {
  const place = await projectWith({ "transfer.yaml": TRANSFER });
  const votes = ["ledger.transfer.request", "ledger.transfer.approve", "ledger.transfer.approve"];
  expect(await twice(place, "transfer.yaml")).toEqual(["ledger.asset.create", ...votes]);
  await place.world.call("PATCH /asset/owners", "userId:carol", {
    assetType: "Property",
    data: [{ id: "Mill3", owners: [{ orgId: "org1", userId: "alice" }] }],
  });
  expect(await twice(place, "transfer.yaml")).toEqual(votes);
});

test("a transfer that waits is not requested again, whatever word the service has for it", async () => {
  const profile = profileWith({ ledger: { requestStatus: { pending: "Open" } } });
  const world = await servedSandbox({ profile });
  const project = newProject();
  project.serviceAt(world.url);
  // The test should not wait half a minute for a person who never comes.
  project.write("library.yaml", readFileSync("library/transfer.yaml", "utf8").replaceAll("timeout: 30s", "timeout: 300ms"));
  const voting = TRANSFER.replace("tokenbook/transfer.yaml", "./library.yaml");
  project.write("ask.yaml", voting.replace(/votes: .* }/, "votes: [] }"));
  project.write("vote.yaml", voting);
  const asked = await project.run("run", "ask.yaml");
  expect(asked.code, asked.transcript).toBe(4);
  const voted = await project.run("run", "vote.yaml");
  expect(voted.code, voted.transcript).toBe(0);
  expect(operationsOf(await world.commits())).toEqual([
    "ledger.asset.create",
    "ledger.transfer.request",
    "ledger.transfer.approve",
    "ledger.transfer.approve",
  ]);
});

test("a transfer that the board approves before the request is seen to wait is done, and asked for once", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  const [before = "", after = ""] = TRANSFER.split("required: 2, votes: ");
  project.write("transfer.yaml", `${before}required: 1 }\n${after.slice(after.indexOf("\n") + 1)}`);
  const passing = proxy.next("POST /asset/ownershipTransfer/request", async (passed) => {
    const answer = await passed.forward();
    await approvedAsBob(world);
    passed.answer(answer);
  });
  const ran = await project.run("run", "transfer.yaml");
  expect(ran.code, ran.transcript).toBe(0);
  await passing;
  expect(operationsOf(await world.commits())).toEqual([
    "ledger.asset.create",
    "ledger.transfer.request",
    "ledger.transfer.approve",
  ]);
});

/** Approves as soon as a request waits for bob. */
async function approvedAsBob(world: Service): Promise<void> {
  for (;;) {
    const path = "GET /asset/ownershipTransfer/request/approvals";
    const { records } = (await world.call(path, "userId:bob")) as { records: { id: string }[] };
    if (records.length > 0) return approveAsBob(world);
  }
}

const VAULT = `${HEAD}name: In and out
inputs: { shares: { type: integer, default: 100 }, out: { type: boolean, default: false } }
steps:
  - id: house
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: Mill3 } }
    ensure: { read: ledger.asset.get, with: { assetType: Property, id: Mill3 }, that: response.id == "Mill3" }
  - id: vault
    uses: ledger.vault.create
    with: { id: Vault3, name: Vault, vaultToken: [{ id: Shares3, name: Shares, symbol: SHR, classification: { unit: whole, supply: capped-variable }, behaviour: { decimal: 0, transferable: true, burnable: true } }] }
    ensure: { read: ledger.vault.get, with: { id: Vault3 }, that: response.id == "Vault3" }
  - id: into
    if: inputs.out == false
    uses: tokenbook/deposit.yaml
    with: { vault: Vault3, assetType: Property, asset: Mill3, share: Shares3, quantity: "\${{ inputs.shares }}", receiver: "\${{ actors.issuer }}", custodian: "\${{ actors.issuer }}" }
  - id: outof
    if: inputs.out
    uses: tokenbook/withdraw.yaml
    with: { vault: Vault3, assetType: Property, asset: Mill3, payers: [{ tokenId: Shares3, payer: "\${{ actors.issuer }}" }], owners: ["\${{ actors.issuer }}"], custodian: "\${{ actors.issuer }}" }
`;

test("an asset goes into a vault once and out once, and other shares are reported", async () => {
  const place = await projectWith({ "in.yaml": VAULT, "out.yaml": VAULT.replace("default: false", "default: true") });
  expect(await twice(place, "in.yaml")).toEqual(["ledger.asset.create", "ledger.vault.create", "ledger.vault.deposit"]);
  const other = await place.project.run("run", "in.yaml", "--input", "shares=5");
  expect(other.code, other.transcript).toBe(1);
  expect(other.stdout, other.transcript).toMatch(lineOf("✗ failed", "into/held"));
  expect(await twice(place, "out.yaml")).toEqual(["ledger.vault.withdraw"]);
});

test("several holders of one class of shares can pay for the withdrawal of an asset", async () => {
  const [before, after] = VAULT.split("  - id: into");
  const shared = `${before}  - uses: ledger.vault.deposit
    with: { vaultId: Vault3, assets: [{ assetType: Property, id: Mill3, shares: [{ tokenId: Shares3, quantity: 60, receiver: { userId: bob } }, { tokenId: Shares3, quantity: 40, receiver: { userId: carol } }] }] }
  - id: into${after}`;
  const payers = "[{ tokenId: Shares3, payer: { userId: bob } }, { tokenId: Shares3, payer: { userId: carol } }]";
  const place = await projectWith({
    "out.yaml": shared.replace("default: false", "default: true").replace(/payers: \[.*?\]/, `payers: ${payers}`),
  });
  const ran = await place.project.run("run", "out.yaml");
  expect(ran.code, ran.transcript).toBe(0);
});

const BUY = `playbook: 1
name: Buy
inputs: { amount: { type: decimal } }
steps:
  - { id: buy, uses: tokenbook/buy.yaml, with: { sale: saleActive1, amount: "\${{ inputs.amount }}", wallet: "0xb1", currency: "0xc1" } }
outputs: { bought: "\${{ steps.buy.outputs.bought }}" }
`;

test("a purchase buys only what is missing to its amount", async () => {
  const { project, world } = await projectWith({ "buy.yaml": BUY });
  const outcomes: (readonly [string, string])[] = [];
  for (const amount of ["12.5", "12.5", "20", "1"]) {
    const run = await project.run("run", "buy.yaml", "--verbose", "--input", `amount=${amount}`);
    expect(run.code, run.transcript).toBe(0);
    outcomes.push([/(\w+) +buy\/buy /.exec(run.stdout)?.[1] ?? "", /output bought: (.*)/.exec(run.stdout)?.[1] ?? ""]);
  }
  expect(outcomes).toEqual([
    ["changed", "12.5"],
    ["unchanged", "12.5"],
    ["changed", "20"],
    ["unchanged", "20"],
  ]);
  const amounts = (await world.commits()).map(({ body }) => (body as { amount: number }).amount);
  expect(amounts).toEqual([12.5, 7.5]);
});

test("tokenbook/ means the library, and ./tokenbook/ means a folder of the project", async () => {
  const { project } = await projectWith({
    "tokenbook/mint.yaml": "playbook: 1\nname: My own\nsteps: [{ uses: ledger.status }]\n",
    "tokenbook/beside.yaml": "playbook: 1\nsteps: [{ id: own, uses: ./mint.yaml }]\n",
    "own.yaml": "playbook: 1\nsteps: [{ id: own, uses: ./tokenbook/mint.yaml }]\n",
    "shipped.yaml": "playbook: 1\nsteps: [{ id: own, uses: tokenbook/mint.yaml }]\n",
  });
  for (const file of ["own.yaml", "tokenbook/beside.yaml"]) {
    const own = await project.run("run", file);
    expect(own.code, own.transcript).toBe(0);
    expect(own.stdout, own.transcript).toContain("My own");
  }
  const shipped = await project.run("check", "shipped.yaml");
  expect(shipped.code, shipped.transcript).toBe(2);
  expect(shipped.stdout, shipped.transcript).toContain(
    "tokenbook/mint.yaml must be given token (string), holder (entity), total (decimal)",
  );
  expect(shipped.stdout, shipped.transcript).toContain("fix: give them under with:");
});
