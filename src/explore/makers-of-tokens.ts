import { Decimal } from "../base/numbers/decimal.ts";
import type { Json, JsonObject } from "../base/json/json.ts";
import { type Draft, type DraftToken, entityOf, given, type Maker } from "./draft.ts";
import { type ExploringActor, type LedgerOperation, RUN_KEY } from "./step.ts";

type OfTokens = Extract<LedgerOperation, `ledger.${"token" | "account" | "transaction" | "erc1155"}.${string}`>;

const ROLES = ["minter", "burner", "transfer"] as const;
const ONE = Decimal.of(1);
const STRANGER = { orgId: "elsewhere", userId: `eve${RUN_KEY}` };

/** Generates calls of the operations in sections B.4 and B.5. */
export const MAKERS_OF_TOKENS: Readonly<Record<OfTokens, Maker>> = {
  "ledger.token.create": (draft, step) => {
    const { dice } = draft;
    const isUnits = dice.chance(0.3);
    const cap = dice.pick([undefined, undefined, "100", "100.5", "0", "3"]);
    const by = draft.anybody();
    draft.tokens.push({
      id: given(step),
      by,
      isUnits,
      cap: cap === "0" ? undefined : cap,
      units: [],
      amounts: [],
      holders: [],
      isShare: false,
    });
    return {
      as: by,
      with: {
        name: `Explored ${RUN_KEY}`,
        symbol: "EXP",
        classification: classificationOf(draft, isUnits),
        behaviour: {
          ...(isUnits ? {} : { decimal: Decimal.of(2) }),
          ...(cap === undefined ? {} : { maxMintQuantity: Decimal.fromJsonSource(cap) }),
          ...(dice.chance(0.15) ? { transferable: false } : {}),
          ...(dice.chance(0.15) ? { burnable: false } : {}),
          ...(dice.chance(0.15) ? { rolesMap: { minter_role_name: "minter", burner_role_name: "burner" } } : {}),
        },
        ...(dice.chance(0.4) ? { tokenPermissions: permissionsOf(draft) } : {}),
      },
    };
  },
  "ledger.token.update": (draft) =>
    draft.forOne(draft.tokens, ({ id, by }) => {
      const change: JsonObject = draft.dice.chance(0.5)
        ? { description: `Seen ${RUN_KEY}` }
        : { properties: { seen: draft.amount(undefined) } };
      return { as: draft.mostly(by), with: { id, ...change } };
    }),
  "ledger.token.setPermissions": (draft) =>
    draft.forOne(draft.tokens, ({ id, by }) => ({ as: draft.mostly(by), with: { id, permissions: permissionsOf(draft) } })),
  "ledger.token.setOwners": (draft) =>
    draft.forOne(draft.tokens, ({ id, by }) => ({ as: draft.mostly(by), with: { id, owners: draft.some().map(entityOf) } })),
  "ledger.token.setApproval": (draft) =>
    draft.forOne(draft.tokens, ({ id }) => ({
      as: draft.anybody(),
      with: {
        tokenIds: [id],
        operators: [entityOf(draft.anybody())],
        approved: draft.dice.chance(0.7),
      },
    })),
  "ledger.token.mint": (draft) =>
    draft.forOne(draft.tokens, (token) => {
      const items = Array.from({ length: draft.dice.pick([1, 1, 1, 2]) }, () => ({
        id: token.id,
        to: receiverOf(draft, token),
        ...(token.isUnits ? { nftData: { id: newUnit(draft, token) } } : { value: draft.amount(token) }),
      }));
      return { as: draft.mostly(token.by), with: one(items) };
    }),
  "ledger.token.burn": (draft) =>
    draft.forOne(draft.tokens, (token) => {
      const burnt = token.isUnits ? { assetId: unitOf(draft, token) } : { value: draft.amount(token) };
      return { as: draft.mostly(token.by), with: { id: token.id, from: entityOf(draft.holder(token)), ...burnt } };
    }),
  "ledger.token.get": (draft) => draft.forOne(draft.tokens, ({ id }) => ({ as: draft.anybody(), with: { id } })),
  "ledger.token.list": (draft) => ({ as: draft.anybody(), with: {} }),
  "ledger.account.get": "the service makes up the ids of accounts, which `ledger.account.list` shows",
  "ledger.account.list": (draft) => draft.forOne(draft.tokens, ({ id }) => ({ as: draft.anybody(), with: { tokenId: id } })),
  "ledger.transaction.get": "the description does not say which id it takes; `ledger.transaction.list` shows the same",
  "ledger.transaction.list": (draft) => draft.forOne(draft.tokens, ({ id }) => ({ as: draft.anybody(), with: { tokenId: id } })),
  "ledger.erc1155.balanceOf": (draft) =>
    draft.forOne(draft.tokens, ({ id }) => ({ as: draft.anybody(), with: { id, owner: entityOf(draft.anybody()) } })),
  "ledger.erc1155.balanceOfBatch": (draft) =>
    draft.forOne(draft.tokens, ({ id }) => {
      const owners = draft.some();
      return { as: draft.anybody(), with: { ids: owners.map(() => id), owners: owners.map(entityOf) } };
    }),
  "ledger.erc1155.setApprovalForAll": (draft) => {
    const { owner, operator } = draft.operatorOf();
    draft.operators.push({ owner, operator });
    return { as: owner, with: { operator: entityOf(operator), approved: draft.dice.chance(0.6) } };
  },
  "ledger.erc1155.isApprovedForAll": (draft) => {
    const { owner, operator } = draft.operatorOf();
    return { as: draft.anybody(), with: { owner: entityOf(owner), operator: entityOf(operator) } };
  },
  "ledger.erc1155.safeTransferFrom": (draft) =>
    draft.forOne(draft.tokens, (token) => {
      const { from, to, by } = routeOf(draft, token);
      const moved: JsonObject = token.isUnits
        ? { value: ONE, data: { assetId: unitOf(draft, token) } }
        : { value: draft.amount(token) };
      return { as: by, with: { from, to, id: token.id, ...moved } };
    }),
  "ledger.erc1155.safeBatchTransferFrom": (draft) => {
    const fungible = draft.tokens.filter(({ isUnits }) => !isUnits);
    if (fungible.length === 0) return undefined;
    const tokens = [draft.dice.pick(fungible), draft.dice.pick(fungible)];
    const { from, to, by } = routeOf(draft, draft.dice.pick(tokens));
    const values = tokens.map((token) => draft.amount(token));
    return { as: by, with: { from, to, ids: tokens.map(({ id }) => id), values } };
  },
};

function classificationOf({ dice }: Draft, isUnits: boolean): JsonObject {
  if (isUnits) return { type: "nonfungible" };
  return {
    type: "fungible",
    unit: dice.chance(0.15) ? "whole" : "fractional",
    valueType: dice.chance(0.3) ? "reference" : "intrinsic",
  };
}

function permissionsOf(draft: Draft): readonly Json[] {
  return draft.some().map((actor) => ({ entity: entityOf(actor), roles: ROLES.filter(() => draft.dice.chance(0.5)) }));
}

function receiverOf(draft: Draft, { holders }: DraftToken): Json {
  if (draft.dice.chance(0.05)) return STRANGER;
  const receiver = draft.anybody();
  holders.push(receiver);
  return entityOf(receiver);
}

// Sometimes returns a unit that exists or existed.
function newUnit({ dice }: Draft, { units }: DraftToken): string {
  if (units.length > 0 && dice.chance(0.2)) return dice.pick(units);
  const unit = `U${units.length + 1}`;
  units.push(unit);
  return unit;
}

function unitOf({ dice }: Draft, { units }: DraftToken): string {
  return units.length === 0 || dice.chance(0.05) ? "U9" : dice.pick(units);
}

function routeOf(draft: Draft, token: DraftToken): { readonly from: string; readonly to: string; readonly by: ExploringActor } {
  const from = draft.holder(token);
  const to = draft.anybody();
  token.holders.push(to);
  return { from: entityOf(from), to: entityOf(to), by: draft.dice.chance(0.6) ? from : draft.anybody() };
}

function one(items: readonly JsonObject[]): JsonObject {
  const [only = {}, ...more] = items;
  return more.length === 0 ? only : { items };
}
