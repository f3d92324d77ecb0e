import { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { compoundKey } from "../ids.ts";
import { demand, found, ServiceRefusal } from "../refusal.ts";
import type { StoredEntity, BalanceMovement, Nft, StoredToken } from "../store/ledger-resources.ts";
import type { Commit } from "./call.ts";
import { demandNamed } from "./entity.ts";
import { destroy, issue, recordTransaction } from "./movements.ts";
import { demandAmount, isNonFungible, mayAct, theToken } from "./tokens.ts";

const ONE = Decimal.of(1);

interface Mint {
  readonly id: string;
  readonly to: StoredEntity;
  readonly value?: Decimal;
  readonly nftData?: JsonObject;
}

interface Burn {
  readonly id: string;
  readonly from: StoredEntity;
  readonly value?: Decimal;
  readonly assetId?: string;
}

/** POST /token/mint: mints a fungible token by value, a non-fungible one by its data. */
export function mintTokens(commit: Commit<readonly Mint[]>): void {
  recordTransaction(
    commit,
    "MINT",
    commit.body.map((item) => mint(commit, item)),
  );
}

function mint(commit: Commit<unknown>, item: Mint): BalanceMovement {
  const token = theToken(commit, item.id, "invalid token id");
  const mayMint = mayAct(token, commit.actor, token.behaviour.rolesMap?.minter_role_name, "minter");
  demand(mayMint, "invalid caller", `the caller may not mint ${token.id}`);
  return mintTo(commit, token, item);
}

/** Mints for a rule that was already checked. */
export function mintTo(commit: Commit<unknown>, token: StoredToken, item: Omit<Mint, "id">): BalanceMovement {
  demandNamed([item.to]);
  const place = { tokenId: token.id, entity: item.to };
  if (isNonFungible(token)) return issue(commit, place, { amount: ONE, nftId: createUnit(commit, token, item) });
  demand(item.nftData === undefined, "invalid parameters", `${token.id} is fungible and takes no nftData`);
  demandAmount(token, item.value);
  return issue(commit, place, { amount: item.value });
}

/** POST /token/burn: burns a fungible token by value, a non-fungible one by the id of the unit. */
export function burnTokens(commit: Commit<readonly Burn[]>): void {
  recordTransaction(
    commit,
    "BURN",
    commit.body.map((item) => burn(commit, item)),
  );
}

function burn(commit: Commit<unknown>, item: Burn): BalanceMovement {
  const token = theToken(commit, item.id, "invalid token id");
  const mayBurn = mayAct(token, commit.actor, token.behaviour.rolesMap?.burner_role_name, "burner");
  demand(mayBurn, "access denied", `the caller may not burn ${token.id}`);
  const place = { tokenId: token.id, entity: item.from };
  if (isNonFungible(token)) return destroy(commit, place, { amount: ONE, nftId: burnUnit(commit, token, item) });
  demand(item.assetId === undefined, "invalid parameters", `${token.id} is fungible and takes no assetId`);
  demandAmount(token, item.value);
  return destroy(commit, place, { amount: item.value });
}

/** Stores a new unit under the primary key of the token's fields. An id is used only once, even after its unit was burnt. */
function createUnit(commit: Commit<unknown>, token: StoredToken, { nftData, value }: Omit<Mint, "id">): string {
  demand(value === undefined, "invalid parameters", `${token.id} is non-fungible and takes no value`);
  const data = found(nftData, "invalid parameters", `${token.id} is non-fungible and needs nftData`);
  const primaryKey = token.nftFields.find((field) => field.isPrimaryKey)?.name ?? "id";
  const id = data[primaryKey];
  if (typeof id !== "string" || id === "")
    throw new ServiceRefusal("invalid parameters", `nftData needs its id under ${primaryKey}`);
  demand(findUnit(commit, token, id) === undefined, "token already exists", `${id} of ${token.id} already exists`);
  saveUnit(commit, { tokenId: token.id, id, data, burnt: false });
  return id;
}

function burnUnit(commit: Commit<unknown>, token: StoredToken, { assetId, value }: Burn): string {
  demand(value === undefined, "invalid parameters", `${token.id} is non-fungible and takes no value`);
  const id = found(assetId, "invalid asset id", `${token.id} is non-fungible and needs an assetId`);
  const unit = found(findUnit(commit, token, id), "invalid asset id", `${token.id} has no unit ${id}`);
  demand(!unit.burnt, "token already burnt", `${id} of ${token.id} is burnt`);
  saveUnit(commit, { ...unit, burnt: true });
  return id;
}

function findUnit(commit: Commit<unknown>, token: StoredToken, id: string): Nft | undefined {
  return commit.world.get("nft", compoundKey(token.id, id));
}

function saveUnit(commit: Commit<unknown>, unit: Nft): void {
  commit.world.put("nft", { id: compoundKey(unit.tokenId, unit.id), scope: unit.tokenId }, unit);
}
