import { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";
import { type Draft, type DraftToken, type DraftVault, entityOf, given, type Maker } from "./draft.ts";
import { type ExploringActor, type LedgerOperation, RUN_KEY } from "./step.ts";

type OfVaults = Extract<LedgerOperation, `ledger.vault.${string}`>;

/** Generates calls of the operations in section B.6. */
export const MAKERS_OF_VAULTS: Readonly<Record<OfVaults, Maker>> = {
  "ledger.vault.create": (draft) => {
    const by = draft.anybody();
    const id = draft.nextId("ledger.vault.create");
    const cap = draft.dice.pick([undefined, undefined, "100"]);
    draft.add("ledger.vault.create", by, {
      name: `Explored ${RUN_KEY}`,
      ...(draft.dice.chance(0.3) ? { custodians: draft.some().map(entityOf) } : {}),
      vaultToken: [shareToken(cap)],
    });
    const share = shareOf(given(id, "tokenIds[0]"), by, cap);
    draft.tokens.push(share);
    draft.vaults.push({ id: given(id), by, shares: [share], deposits: [] });
  },
  "ledger.vault.update": (draft) =>
    onVault(draft, ({ id, by }) => draft.add("ledger.vault.update", draft.mostly(by), { id, description: `Seen ${RUN_KEY}` })),
  "ledger.vault.setCustodians": (draft) =>
    onVault(draft, ({ id, by }) =>
      draft.add("ledger.vault.setCustodians", draft.mostly(by), { vaultId: id, custodians: draft.some().map(entityOf) }),
    ),
  "ledger.vault.addToken": (draft) =>
    onVault(draft, (vault) => {
      const id = draft.nextId("ledger.vault.addToken");
      draft.add("ledger.vault.addToken", draft.mostly(vault.by), { id: vault.id, vaultToken: [shareToken(undefined)] });
      const share = shareOf(given(id, "tokenIds[0]"), vault.by, undefined);
      draft.tokens.push(share);
      vault.shares.push(share);
    }),
  "ledger.vault.addExistingToken": (draft) =>
    onVault(draft, (vault) => {
      const others = draft.tokens.filter(({ isShare, isUnits }) => !isShare && !isUnits);
      if (others.length === 0) return;
      const token = draft.dice.pick(others);
      draft.add("ledger.vault.addExistingToken", draft.mostly(vault.by), { id: vault.id, tokenId: [token.id] });
      if (draft.dice.chance(0.5)) vault.shares.push(token);
    }),
  "ledger.vault.deposit": (draft) =>
    onVault(draft, (vault) => {
      if (draft.assets.length === 0) return;
      const { dice } = draft;
      const asset = dice.pick(draft.assets);
      // The description does not say whether a second deposit in the same vault is refused.
      if (vault.deposits.some((deposit) => deposit.asset === asset)) return;
      const share = dice.pick(vault.shares);
      const receivers = draft.some();
      share.holders.push(...receivers);
      const shares = receivers.map((receiver) => ({
        tokenId: share.id,
        quantity: quantityOf(draft, share),
        receiver: entityOf(receiver),
      }));
      draft.add("ledger.vault.deposit", draft.mostly(vault.by), {
        vaultId: vault.id,
        assets: [{ assetType: asset.type.name, id: asset.id, data: { price: draft.amount(undefined) }, shares }],
      });
      vault.deposits.push({ asset, share, receivers });
    }),
  "ledger.vault.withdraw": (draft) =>
    onDeposit(draft, (vault, { asset, share, receivers }) => {
      const payers = draft.dice.chance(0.8) ? receivers : draft.some();
      const shares = payers.map((payer) => ({ tokenId: share.id, payer: entityOf(payer) }));
      draft.add("ledger.vault.withdraw", draft.mostly(vault.by), {
        vaultId: vault.id,
        assets: [{ assetType: asset.type.name, id: asset.id, shares }],
      });
    }),
  "ledger.vault.updateAssets": (draft) =>
    onDeposit(draft, (vault, { asset }) =>
      draft.add("ledger.vault.updateAssets", draft.mostly(vault.by), {
        vaultId: vault.id,
        assets: [{ assetType: asset.type.name, id: asset.id, data: { price: draft.amount(undefined) } }],
      }),
    ),
  "ledger.vault.get": (draft) => onVault(draft, ({ id }) => draft.add("ledger.vault.get", draft.anybody(), { id })),
  "ledger.vault.list": (draft) => draft.add("ledger.vault.list", draft.anybody(), {}),
  "ledger.vault.assets": (draft) => onVault(draft, ({ id }) => draft.add("ledger.vault.assets", draft.anybody(), { id })),
};

function onVault(draft: Draft, add: (vault: DraftVault) => void): void {
  if (draft.vaults.length > 0) add(draft.dice.pick(draft.vaults));
}

function onDeposit(draft: Draft, add: (vault: DraftVault, deposit: DraftVault["deposits"][number]) => void): void {
  const lying = draft.vaults.flatMap((vault) => vault.deposits.map((deposit) => ({ vault, deposit })));
  if (lying.length === 0) return;
  const { vault, deposit } = draft.dice.pick(lying);
  add(vault, deposit);
}

// Usually returns a quantity that can be issued, so that there is something to withdraw.
function quantityOf(draft: Draft, share: DraftToken): Decimal {
  return draft.dice.chance(0.7) ? Decimal.of(1 + draft.dice.below(9)) : draft.amount(share);
}

function shareToken(cap: string | undefined): Json {
  const capped = cap === undefined ? {} : { maxMintQuantity: Decimal.fromJsonSource(cap) };
  return { name: `Share ${RUN_KEY}`, symbol: "SHR", behaviour: { decimal: Decimal.of(2), ...capped } };
}

function shareOf(id: string, by: ExploringActor, cap: string | undefined): DraftToken {
  return { id, by, isUnits: false, cap, units: [], amounts: [], holders: [], isShare: true };
}
