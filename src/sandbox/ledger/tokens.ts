import { Decimal } from "../../base/numbers/decimal.ts";
import { demandWritable } from "../digits.ts";
import { newId } from "../ids.ts";
import { demand, found, type Condition } from "../refusal.ts";
import type { StoredEntity, Stamps, StoredToken, StoredPermission } from "../store/ledger-resources.ts";
import { textParam } from "../params.ts";
import { created, updated, type LedgerCall, type Commit } from "./call.ts";
import { demandEntities, isAmong } from "./entity.ts";
import { pageOf, type ListPage } from "./paging.ts";

const KNOWN_ROLES: readonly string[] = ["minter", "burner", "transfer", "notary"];
const ZERO = Decimal.of(0);

/** A token as a caller defines it. Without an id it gets a new one of 24 hexadecimal digits. Other missing texts are empty. Without a type it is fungible. */
export type RequestedToken = Partial<Omit<StoredToken, keyof Stamps | `total${string}` | "burntAmount" | "owners">>;

/** POST /token */
export function createTokens(commit: Commit<readonly RequestedToken[]>): void {
  for (const definition of commit.body) createToken(commit, definition);
}

/** Adds one token without any supply. The caller owns it. */
export function createToken(commit: Commit<unknown>, definition: RequestedToken): StoredToken {
  const { id = newId(), name = "", description = "", symbol = "", behaviour = {}, properties = {}, nftFields = [] } = definition;
  const { classification = {}, tokenPermissions = [] } = definition;
  const isFree = commit.world.get("token", id) === undefined || commit.dialect.accepts.includes("second token");
  demand(isFree, "token already exists", `the token ${id} already exists`);
  const token: StoredToken = {
    id,
    name,
    description,
    symbol,
    classification: { ...classification, type: classification.type ?? "fungible" },
    behaviour,
    properties,
    tokenPermissions,
    totalSupply: ZERO,
    totalMintedAmount: ZERO,
    burntAmount: ZERO,
    nftFields,
    owners: [{ entity: commit.actor }],
    ...created(commit),
  };
  demandSound(commit, token);
  commit.world.put("token", { id }, token);
  return token;
}

/** PATCH /token: changes only the given fields. */
export function updateTokens(
  commit: Commit<readonly Pick<RequestedToken & { readonly id: string }, "id" | "description" | "properties" | "nftFields">[]>,
): void {
  for (const { id, ...changes } of commit.body) {
    const token = ownedToken(commit, id, "token not found");
    demandSound(commit, { ...token, ...changes });
    changeToken(commit, token, changes);
  }
}

/** PATCH /token/permissions: the list replaces the permissions. */
export function setTokenPermissions(
  commit: Commit<readonly { readonly id?: string; readonly permissions?: readonly StoredPermission[] }[]>,
): void {
  for (const { id = "", permissions = [] } of commit.body) {
    demand(id !== "", "token id missing from the request", "an item has no token id");
    const token = ownedToken(commit, id, "invalid or nonexistent token");
    demandRoles(token, permissions, "invalid role");
    demandEntities(
      permissions.map(({ entity }) => entity),
      commit.settings.orgId,
    );
    changeToken(commit, token, { tokenPermissions: permissions });
  }
}

/** PATCH /token/owners: the list replaces the owners. */
export function setTokenOwners(
  commit: Commit<readonly { readonly id: string; readonly owners?: readonly StoredEntity[] }[]>,
): void {
  for (const { id, owners = [] } of commit.body) {
    demand(owners.length > 0, "owners missing from the request", `the token ${id} must keep an owner`);
    demandEntities(owners, commit.settings.orgId);
    const token = ownedToken(commit, id, "invalid or nonexistent token id");
    changeToken(commit, token, { owners: owners.map((entity) => ({ entity })) });
  }
}

/** GET /token: every entity of the organization may read it. */
export function getToken(call: LedgerCall): object {
  const { nftFields: _fields, burntAmount: _burnt, id, ...shown } = theToken(call, textParam(call, "id"));
  return { docType: "asset", id, ...shown };
}

/** GET /token/all: shows the permissions under another name, and shows no id. */
export function listTokens(call: LedgerCall): ListPage<object> {
  const page = pageOf(call, "token");
  return { ...page, records: page.records.map(listItem) };
}

function listItem(token: StoredToken): object {
  const { id: _id, nftFields: _fields, burntAmount: _burnt, tokenPermissions, ...shown } = token;
  return { ...shown, permission: tokenPermissions };
}

/** Returns the token, or refuses with the condition of the call. */
export function theToken(call: LedgerCall<unknown>, id: string, condition: Condition = "token not found"): StoredToken {
  return found(call.world.get("token", id), condition, `there is no token ${id}`);
}

/** Returns the token if the actor is one of its owners. */
function ownedToken(call: LedgerCall<unknown>, id: string, condition: Condition): StoredToken {
  const token = theToken(call, id, condition);
  demand(isTokenOwner(token, call.actor), "unauthorized caller", `only an owner may change the token ${id}`);
  return token;
}

/** Stores changes that need no check of the whole token, such as new totals. */
export function changeToken(commit: Commit<unknown>, token: StoredToken, changes: Partial<StoredToken>): void {
  commit.world.put("token", { id: token.id }, { ...token, ...changes, ...updated(commit) });
}

/** Returns whether each unit of the token is unique. */
export function isNonFungible({ classification }: StoredToken): boolean {
  return classification.type === "nonfungible";
}

/** Returns whether the actor may do something that needs a role. The token may map the action to a role; otherwise the usual role or ownership is enough. */
export function mayAct(token: StoredToken, actor: StoredEntity, mapped: string | undefined, usual: string): boolean {
  if (mapped !== undefined) return holdsRole(token, actor, mapped);
  return holdsRole(token, actor, usual) || isTokenOwner(token, actor);
}

/** Returns whether the token's permissions give the actor the role. */
export function holdsRole({ tokenPermissions }: StoredToken, actor: StoredEntity, role: string): boolean {
  return tokenPermissions.some(({ entity, roles }) => roles.includes(role) && isAmong([entity], actor));
}

/** Refuses amounts that are not positive, or have more decimals than the token allows. */
export function demandAmount(token: StoredToken, amount: Decimal | undefined): asserts amount is Decimal {
  demand(amount !== undefined && amount.compare(ZERO) > 0, "invalid parameters", `the token ${token.id} needs a positive amount`);
  demandWritable(amount);
  const finest = token.classification.unit === "whole" ? 0 : (token.behaviour.decimal?.approximate() ?? Number.POSITIVE_INFINITY);
  demand(
    amount.decimals() <= finest,
    "invalid parameters",
    `the token ${token.id} has ${finest} decimals, not ${amount.decimals()}`,
  );
}

function isTokenOwner({ owners }: StoredToken, actor: StoredEntity): boolean {
  return isAmong(
    owners.map(({ entity }) => entity),
    actor,
  );
}

function demandSound(commit: Commit<unknown>, token: StoredToken): void {
  const { classification, behaviour, nftFields } = token;
  const { decimal = ZERO, maxMintQuantity = ZERO } = behaviour;
  const knownType = classification.type === "fungible" || classification.type === "nonfungible";
  demand(knownType, "invalid parameters", "a token is fungible or nonfungible");
  demand(!decimal.isNegative() && decimal.isInteger(), "invalid parameters", "decimal is no whole number");
  demand(!maxMintQuantity.isNegative(), "invalid parameters", "maxMintQuantity is negative");
  demand(nftFields.length === 0 || isNonFungible(token), "invalid parameters", "a fungible token has no nftFields");
  demand(
    nftFields.filter((field) => field.isPrimaryKey).length <= 1,
    "invalid parameters",
    "nftFields name more than one primary key",
  );
  demandEntities(
    token.tokenPermissions.map(({ entity }) => entity),
    commit.settings.orgId,
  );
  demandRoles(token, token.tokenPermissions, "invalid parameters");
}

function demandRoles({ behaviour }: StoredToken, permissions: readonly StoredPermission[], condition: Condition): void {
  const known = [...KNOWN_ROLES, ...Object.values(behaviour.rolesMap ?? {})];
  for (const role of permissions.flatMap(({ roles }) => roles)) {
    demand(known.includes(role), condition, `the token knows no role ${role}`);
  }
}
