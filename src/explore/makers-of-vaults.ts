import { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";
import { type Draft, type DraftDeposit, type DraftToken, type DraftVault, entityOf, given, type Maker } from "./draft.ts";
import { type ExploringActor, type LedgerOperation, RUN_KEY } from "./step.ts";

type OfVaults = Extract<LedgerOperation, `ledger.vault.${string}`>;

/** Generates calls of the operations in section B.6. */
export const MAKERS_OF_VAULTS: Readonly<Record<OfVaults, Maker>> = {
  "ledger.vault.create": (draft, step) => {
    const by = draft.anybody();
    const cap = draft.dice.pick([undefined, undefined, "100"]);
    const share = shareOf(given(step, "tokenIds[0]"), by, cap);
    draft.tokens.push(share);
    draft.vaults.push({ id: given(step), by, shares: [share], deposits: [] });
    return {
      as: by,
      with: {
        name: `Explored ${RUN_KEY}`,
        ...(draft.dice.chance(0.3) ? { custodians: draft.some().map(entityOf) } : {}),
        vaultToken: [shareToken(cap)],
      },
    };
  },
  "ledger.vault.update": (draft) =>
    draft.forOne(draft.vaults, ({ id, by }) => ({ as: draft.mostly(by), with: { id, description: `Seen ${RUN_KEY}` } })),
  "ledger.vault.setCustodians": (draft) =>
    draft.forOne(draft.vaults, ({ id, by }) => ({
      as: draft.mostly(by),
      with: { vaultId: id, custodians: draft.some().map(entityOf) },
    })),
  "ledger.vault.addToken": (draft, step) =>
    draft.forOne(draft.vaults, (vault) => {
      const share = shareOf(given(step, "tokenIds[0]"), vault.by, undefined);
      draft.tokens.push(share);
      vault.shares.push(share);
      return { as: draft.mostly(vault.by), with: { id: vault.id, vaultToken: [shareToken(undefined)] } };
    }),
  "ledger.vault.addExistingToken": (draft) =>
    draft.forOne(draft.vaults, (vault) => {
      const others = draft.tokens.filter(({ isShare, isUnits }) => !isShare && !isUnits);
      return draft.forOne(others, (token) => {
        const as = draft.mostly(vault.by);
        if (draft.dice.chance(0.5)) vault.shares.push(token);
        return { as, with: { id: vault.id, tokenId: [token.id] } };
      });
    }),
  "ledger.vault.deposit": (draft) =>
    draft.forOne(draft.vaults, (vault) => {
      if (draft.assets.length === 0) return undefined;
      const { dice } = draft;
      const asset = dice.pick(draft.assets);
      // The description does not say whether a second deposit in the same vault is refused.
      if (vault.deposits.some((deposit) => deposit.asset === asset)) return undefined;
      const share = dice.pick(vault.shares);
      const receivers = draft.some();
      share.holders.push(...receivers);
      const shares = receivers.map((receiver) => ({
        tokenId: share.id,
        quantity: quantityOf(draft, share),
        receiver: entityOf(receiver),
      }));
      vault.deposits.push({ asset, share, receivers });
      return {
        as: draft.mostly(vault.by),
        with: {
          vaultId: vault.id,
          assets: [{ assetType: asset.type.name, id: asset.id, data: { price: draft.amount(undefined) }, shares }],
        },
      };
    }),
  "ledger.vault.withdraw": (draft) =>
    draft.forOne(depositsOf(draft), ({ vault, asset, share, receivers }) => {
      const payers = draft.dice.chance(0.8) ? receivers : draft.some();
      const shares = payers.map((payer) => ({ tokenId: share.id, payer: entityOf(payer) }));
      return {
        as: draft.mostly(vault.by),
        with: { vaultId: vault.id, assets: [{ assetType: asset.type.name, id: asset.id, shares }] },
      };
    }),
  "ledger.vault.updateAssets": (draft) =>
    draft.forOne(depositsOf(draft), ({ vault, asset }) => ({
      as: draft.mostly(vault.by),
      with: {
        vaultId: vault.id,
        assets: [{ assetType: asset.type.name, id: asset.id, data: { price: draft.amount(undefined) } }],
      },
    })),
  "ledger.vault.get": (draft) => draft.forOne(draft.vaults, ({ id }) => ({ as: draft.anybody(), with: { id } })),
  "ledger.vault.list": (draft) => ({ as: draft.anybody(), with: {} }),
  "ledger.vault.assets": (draft) => draft.forOne(draft.vaults, ({ id }) => ({ as: draft.anybody(), with: { id } })),
};

function depositsOf({ vaults }: Draft): readonly (DraftDeposit & { readonly vault: DraftVault })[] {
  return vaults.flatMap((vault) => vault.deposits.map((deposit) => ({ vault, ...deposit })));
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
