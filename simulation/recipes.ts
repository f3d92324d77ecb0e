import { AT_FIRST, type Coin, type Draft, SHARED } from "./draft.ts";

/** Adds a step, or first one on which it depends. */
export type Recipe = (draft: Draft) => void;

const VOTERS = ["bob", "dora"];
// The request that mints a unit of the other kind does not name the unit.
const KEY_FIELDS = ["id", "id", "number"];
const QUANTITIES = [1, 5];
const LOTS = ["a", "b"];
const TWICE = "    foreach: { lot: [a, b], key: lot, parallel: 2 }\n";
const COIN = "classification: { type: fungible, unit: whole }, behaviour: { decimal: 0, transferable: true, burnable: true }";
const PURCHASE = `{ tokenSaleId: saleActive1, userAddress: "0x00000000000000000000000000000000000000b1", amount: 25, currencyContract: "0x00000000000000000000000000000000000000c1", timezone: Europe/Lisbon }`;

function call(id: string, uses: string, input: string, more = ""): string {
  return `  - id: ${id}\n    uses: ${uses}\n    with: ${input}\n${more}`;
}

function forEachVoter(parallel: string): string {
  return `    foreach: { member: ["\${{ actors.bob }}", "\${{ actors.dora }}"], key: member.userId${parallel} }\n`;
}

export const makeCoin: Recipe = (draft) => {
  const id = draft.name("coin");
  const own = `Own${id}\${{ run.key }}`;
  const ensured = draft.dice.chance(0.3);
  const ensure = `    ensure: { read: ledger.token.get, with: { id: "${own}" }, that: 'response.name == "Coin"' }\n`;
  const input = `{ ${ensured ? `id: "${own}", ` : ""}name: Coin, ${COIN} }`;
  draft.add({ id, effect: "unique", text: call(id, "ledger.token.create", input, ensured ? ensure : "") });
  draft.coins.push({ of: id, id: `\${{ steps.${id}.id }}`, supply: 0, bob: 0, mints: [] });
};

/** Creates the coin to which every run may write. */
export const makeSharedCoin: Recipe = (draft) => {
  const id = draft.name("coin");
  draft.add({ id, effect: "unique", text: call(id, "ledger.token.create", `{ id: ${SHARED}, name: Coin, ${COIN} }`) });
};

/** Lets two people mint the coin. */
export const shareCoin: Recipe = (draft) => {
  const input = `{ id: ${SHARED}, owners: ["\${{ actors.alice }}", "\${{ actors.erin }}"] }`;
  const id = draft.name("share");
  draft.add({ id, effect: "absolute", text: call(id, "ledger.token.setOwners", input) });
};

// Writes to one of the coins, or first makes one.
function onCoin(word: string, write: (draft: Draft, coin: Coin, id: string) => void): Recipe {
  return (draft) => {
    const coin = draft.dice.pick(draft.coins);
    return coin === undefined ? makeCoin(draft) : write(draft, coin, draft.name(word));
  };
}

export const mint: Recipe = onCoin("mint", (draft, coin, id) => {
  const value = draft.dice.pick(QUANTITIES);
  const input = `{ id: "${coin.id}", to: "\${{ actors.bob }}", value: ${value} }`;
  draft.add({ id, effect: "additive", text: call(id, "ledger.token.mint", input) });
  coin.supply += value;
  coin.bob += value;
  coin.mints.push(id);
});

export const mintRounds: Recipe = onCoin("mints", (draft, coin, id) => {
  const value = draft.dice.pick(QUANTITIES);
  const input = `{ id: "${coin.id}", to: "\${{ member }}", value: ${value} }`;
  const parallel = draft.dice.chance(0.6) ? ", parallel: 2" : "";
  draft.add({
    id,
    effect: "additive",
    text: call(id, "ledger.token.mint", input, forEachVoter(parallel)),
    writes: VOTERS.map((key) => `${id}[${key}]`),
  });
  coin.supply += value * VOTERS.length;
  coin.bob += value;
  coin.mints.push(id);
});

// Several items of one token in one call: all of them take effect, or none.
export const mintBatch: Recipe = onCoin("batch", (draft, coin, id) => {
  const values = [draft.dice.pick(QUANTITIES), draft.dice.pick(QUANTITIES)];
  const items = values.map(
    (value) => `{ id: "${coin.id}", to: "\${{ actors.${draft.dice.pick(["bob", "dora"])} }}", value: ${value} }`,
  );
  draft.add({ id, effect: "additive", text: call(id, "ledger.token.mint", `{ items: [${items.join(", ")}] }`) });
  coin.supply += values.reduce((sum, value) => sum + value, 0);
});

export const payBatch: Recipe = (draft) => {
  const coin = draft.coins.find(({ bob }) => bob > 1);
  if (coin === undefined) return mint(draft);
  const id = draft.name("pays");
  const ids = `["${coin.id}", "${coin.id}"]`;
  const input = `{ from: "\${{ actors.bob }}", to: "\${{ actors.carol }}", ids: ${ids}, values: [1, 1] }`;
  const text = call(id, "ledger.erc1155.safeBatchTransferFrom", input, "    as: bob\n");
  draft.add({ id, effect: "additive", text, needs: coin.mints });
  coin.bob -= 2;
};

// The same mint twice at the same time: the proof of one must not prove the other.
export const mintAlike: Recipe = onCoin("alike", (draft, coin, id) => {
  const input = `{ id: "${coin.id}", to: "\${{ actors.bob }}", value: 1 }`;
  draft.add({
    id,
    effect: "additive",
    text: call(id, "ledger.token.mint", input, TWICE),
    writes: LOTS.map((lot) => `${id}[${lot}]`),
  });
  coin.supply += LOTS.length;
  coin.bob += LOTS.length;
  coin.mints.push(id);
});

export const burn: Recipe = (draft) => {
  const coin = draft.coins.find(({ bob }) => bob > 0);
  if (coin === undefined) return mint(draft);
  const id = draft.name("burn");
  const input = `{ id: "${coin.id}", from: "\${{ actors.bob }}", value: 1 }`;
  draft.add({ id, effect: "additive", text: call(id, "ledger.token.burn", input), needs: coin.mints });
  coin.supply -= 1;
  coin.bob -= 1;
};

export const pay: Recipe = (draft) => {
  const coin = draft.coins.find(({ bob }) => bob > 0);
  if (coin === undefined) return mint(draft);
  const id = draft.name("pay");
  const input = `{ from: "\${{ actors.bob }}", to: "\${{ actors.carol }}", id: "${coin.id}", value: 1 }`;
  draft.add({
    id,
    effect: "additive",
    text: call(id, "ledger.erc1155.safeTransferFrom", input, "    as: bob\n"),
    needs: coin.mints,
  });
  coin.bob -= 1;
};

interface Setting {
  readonly uses: string;
  readonly input: string;
  /** What it sets of the coin. */
  readonly what: string;
  readonly leaves: string;
}

function set(draft: Draft, { of }: Coin, id: string, { uses, input, what, leaves }: Setting): void {
  draft.add({ id, effect: "absolute", text: call(id, uses, input), sets: `${of}.${what}`, leaves });
}

export const describe: Recipe = (draft) => {
  const [coin] = draft.coins;
  if (coin === undefined) return makeCoin(draft);
  const id = draft.name("describe");
  // A repeated text may also come from a read of an earlier moment.
  const leaves = draft.dice.chance(0.5) ? `As ${id} says` : "As before";
  const input = `{ id: "${coin.id}", description: "${leaves}" }`;
  set(draft, coin, id, { uses: "ledger.token.update", input, what: "description", leaves });
};

export const permit: Recipe = onCoin("permit", (draft, coin, id) => {
  const leaves = draft.dice.pick(["bob", "carol", "dora"]);
  const input = `{ id: "${coin.id}", permissions: [{ entity: "\${{ actors.${leaves} }}", roles: [burner] }] }`;
  set(draft, coin, id, { uses: "ledger.token.setPermissions", input, what: "permissions", leaves });
});

// The effect of a removal is visible only by what is missing.
export const revoke: Recipe = onCoin("revoke", (draft, coin, id) => {
  const input = `{ id: "${coin.id}", permissions: [] }`;
  set(draft, coin, id, { uses: "ledger.token.setPermissions", input, what: "permissions", leaves: AT_FIRST });
});

export const entrust: Recipe = onCoin("entrust", (draft, coin, id) => {
  const approved = draft.dice.chance(0.5);
  const input = `{ tokenIds: ["${coin.id}"], operators: ["\${{ actors.carol }}"], approved: ${approved} }`;
  set(draft, coin, id, { uses: "ledger.token.setApproval", input, what: "operators", leaves: approved ? "carol" : AT_FIRST });
});

export const entrustAll: Recipe = (draft) => {
  const id = draft.name("appoint");
  const approved = draft.dice.chance(0.5);
  const input = `{ operator: "\${{ actors.dora }}", approved: ${approved} }`;
  draft.add({
    id,
    effect: "absolute",
    text: call(id, "ledger.erc1155.setApprovalForAll", input),
    sets: "alice.operators",
    leaves: approved ? "dora" : AT_FIRST,
  });
};

export const permitRounds: Recipe = inRounds("permits", {
  uses: "ledger.token.setPermissions",
  what: "permissions",
  value: '[{ entity: "${{ member }}", roles: [burner] }]',
});

export const describeRounds: Recipe = inRounds("describes", {
  uses: "ledger.token.update",
  what: "description",
  value: '"As ${{ member.userId }} says"',
});

interface SettingInRounds extends Pick<Setting, "uses" | "what"> {
  readonly value: string;
}

// Two rounds at the same time: the later one undoes the earlier one.
function inRounds(word: string, { uses, what, value }: SettingInRounds): Recipe {
  return onCoin(word, (draft, coin, id) =>
    draft.add({
      id,
      effect: "absolute",
      text: call(id, uses, `{ id: "${coin.id}", ${what}: ${value} }`, forEachVoter(", parallel: 2")),
      writes: VOTERS.map((key) => `${id}[${key}]`),
      sets: `${coin.of}.${what}`,
      leaves: VOTERS,
    }),
  );
}

export const makeSeats: Recipe = (draft) => {
  const id = draft.name("seats");
  const key = draft.dice.pick(KEY_FIELDS);
  const fields = `nftFields: [{ name: ${key}, isPrimaryKey: true }]`;
  const input = `{ name: Seats, classification: { type: nonfungible, unit: whole }, behaviour: { burnable: true }, ${fields} }`;
  draft.add({ id, effect: "unique", text: call(id, "ledger.token.create", input) });
  draft.seats.push({ step: id, key, units: [] });
};

export const mintSeat: Recipe = (draft) => {
  const [seats] = draft.seats;
  if (seats === undefined) return makeSeats(draft);
  const id = draft.name("seat");
  const unit = `S${draft.steps.length}`;
  const input = `{ id: "\${{ steps.${seats.step}.id }}", to: "\${{ actors.bob }}", nftData: { ${seats.key}: ${unit} } }`;
  draft.add({ id, effect: "unique", text: call(id, "ledger.token.mint", input) });
  seats.units.push({ id: unit, step: id });
};

export const burnSeat: Recipe = (draft) => {
  const seats = draft.seats.find(({ units }) => units.length > 0);
  const unit = seats?.units.pop();
  if (seats === undefined || unit === undefined) return mintSeat(draft);
  const id = draft.name("unseat");
  const input = `{ id: "\${{ steps.${seats.step}.id }}", from: "\${{ actors.bob }}", assetId: ${unit.id} }`;
  draft.add({ id, effect: "transition", text: call(id, "ledger.token.burn", input), needs: [unit.step] });
};

export const recordAsset: Recipe = (draft) => {
  const id = draft.name("house");
  draft.add({
    id,
    effect: "unique",
    text: call(id, "ledger.asset.create", `{ assetType: Property, data: { id: "${id}\${{ run.key }}", rooms: 1 } }`),
  });
  draft.assets.push({ step: id, id: `\${{ steps.${id}.id }}` });
};

export const updateAsset: Recipe = (draft) => writeAsset(draft, "update");
export const putAsset: Recipe = (draft) => writeAsset(draft, "put");

function writeAsset(draft: Draft, uses: "update" | "put"): void {
  const asset = draft.dice.pick(draft.assets);
  if (asset === undefined) return recordAsset(draft);
  const id = draft.name(uses);
  const input = `{ assetType: Property, data: { id: "${asset.id}", rooms: ${draft.steps.length + 1} } }`;
  draft.add({ id, effect: "absolute", text: call(id, `ledger.asset.${uses}`, input), sets: `${asset.step}.rooms` });
}

export const deleteAsset: Recipe = (draft) => {
  const asset = draft.assets.pop();
  if (asset === undefined) return recordAsset(draft);
  const id = draft.name("delete");
  const input = `{ assetType: Property, id: "${asset.id}" }`;
  draft.add({ id, effect: "transition", text: call(id, "ledger.asset.delete", input) });
};

export const requestTransfer: Recipe = (draft) => {
  const asset = draft.assets.pop();
  if (asset === undefined) return recordAsset(draft);
  const id = draft.name("sale");
  const input = `{ assetType: Property, id: ["${asset.id}"], approvers: ["\${{ actors.bob }}", "\${{ actors.dora }}"], numRequired: 2, newOwner: "\${{ actors.carol }}" }`;
  draft.add({ id, effect: "marked", text: call(id, "ledger.transfer.request", input) });
  draft.transfers.push({ step: id, voters: [...VOTERS] });
};

export const approveTransfer: Recipe = (draft) => {
  const transfer = draft.transfers.find(({ voters }) => voters.length > 0);
  const voter = transfer?.voters.shift();
  if (transfer === undefined || voter === undefined) return requestTransfer(draft);
  const id = draft.name("approve");
  const input = `{ id: ["\${{ steps.${transfer.step}.id }}"] }`;
  draft.add({ id, effect: "transition", text: call(id, "ledger.transfer.approve", input, `    as: ${voter}\n`) });
};

export const ask: Recipe = (draft) => {
  const id = draft.name("ask");
  const input = `{ approvalType: "budget-\${{ run.key }}", approvers: ["\${{ actors.bob }}", "\${{ actors.dora }}"], numRequired: 2 }`;
  draft.add({ id, effect: "marked", text: call(id, "ledger.approval.create", input) });
  draft.questions.push({ step: id, voters: [...VOTERS] });
};

export const answer: Recipe = (draft) => {
  const question = draft.questions.find(({ voters }) => voters.length > 0);
  const voter = question?.voters.shift();
  if (question === undefined || voter === undefined) return ask(draft);
  const id = draft.name("answer");
  const input = `{ approvalType: "budget-\${{ run.key }}", id: "\${{ steps.${question.step}.id }}" }`;
  draft.add({ id, effect: "transition", text: call(id, "ledger.approval.accept", input, `    as: ${voter}\n`) });
};

const makeVault: Recipe = (draft) => {
  const id = draft.name("vault");
  const shares =
    "{ name: Share, symbol: SHR, classification: { unit: whole, supply: capped-variable }, behaviour: { decimal: 0, transferable: true, burnable: true } }";
  const input = `{ name: Vault, custodians: ["\${{ actors.alice }}"], vaultToken: [${shares}] }`;
  draft.add({ id, effect: "unique", text: call(id, "ledger.vault.create", input) });
  draft.vaults.push({ step: id });
};

export const deposit: Recipe = (draft) => {
  const vault = draft.dice.pick(draft.vaults);
  if (vault === undefined) return makeVault(draft);
  const asset = draft.assets.pop();
  if (asset === undefined) return recordAsset(draft);
  const id = draft.name("deposit");
  const hasShares = draft.dice.chance(0.5);
  const shares = !hasShares
    ? "[]"
    : `[{ tokenId: "\${{ steps.${vault.step}.tokenIds[0] }}", quantity: 10, receiver: "\${{ actors.bob }}" }]`;
  const assets = `[{ assetType: Property, id: "${asset.id}", data: { value: 100 }, shares: ${shares} }]`;
  draft.add({
    id,
    effect: "transition",
    text: call(id, "ledger.vault.deposit", `{ vaultId: "\${{ steps.${vault.step}.id }}", assets: ${assets} }`),
  });
  draft.deposits.push({ step: id, vault: vault.step, asset, hasShares });
};

export const withdraw: Recipe = (draft) => {
  const lying = draft.deposits.pop();
  if (lying === undefined) return deposit(draft);
  const { step, vault, asset, hasShares } = lying;
  const id = draft.name("withdraw");
  const shares = hasShares ? `[{ tokenId: "\${{ steps.${vault}.tokenIds[0] }}", payer: "\${{ actors.bob }}" }]` : "[]";
  const assets = `[{ assetType: Property, id: "${asset.id}", shares: ${shares} }]`;
  const input = `{ vaultId: "\${{ steps.${vault}.id }}", assets: ${assets} }`;
  draft.add({ id, effect: "transition", text: call(id, "ledger.vault.withdraw", input), needs: [step] });
  draft.assets.push(asset);
};

export const buy: Recipe = (draft) => {
  const id = draft.name("buy");
  draft.add({ id, effect: "additive", text: call(id, "investor.sales.buy", PURCHASE, "    as: buyer\n") });
};

export const buyAlike: Recipe = (draft) => {
  const id = draft.name("alike");
  draft.add({
    id,
    effect: "additive",
    text: call(id, "investor.sales.buy", PURCHASE, `    as: buyer\n${TWICE}`),
    writes: LOTS.map((lot) => `${id}[${lot}]`),
  });
};

export const identify: Recipe = (draft) => {
  const id = draft.name("identify");
  const input = `{ countryCode: ${draft.dice.pick([620, 724, 250])} }`;
  draft.add({
    id,
    effect: "absolute",
    text: call(id, "investor.identity.updateKyc", input, "    as: buyer\n"),
    sets: "buyer.country",
  });
};

export const look: Recipe = (draft) => {
  const coin = draft.dice.pick(draft.coins.filter(({ isShared = false }) => !isShared));
  if (coin === undefined) return makeCoin(draft);
  const id = draft.name("look");
  const expect = `    expect: [response.totalSupply == ${coin.supply}]\n`;
  // Everything that was minted and burnt before must have taken effect.
  const needs = draft.steps.map((step) => step.id);
  draft.add({ id, effect: "read", text: call(id, "ledger.token.get", `{ id: "${coin.id}" }`, expect), needs });
};

export const beRefused: Recipe = (draft) => {
  const id = draft.name("refused");
  const input = `{ id: "None\${{ run.key }}", to: "\${{ actors.bob }}", value: 1 }`;
  draft.add({
    id,
    effect: "refused",
    text: call(id, "ledger.token.mint", input, "    fails: { condition: invalid token id }\n"),
  });
};
