import type { JsonObject } from "../../base/json/json.ts";
import { newId } from "../ids.ts";
import { demand, found, type Condition } from "../refusal.ts";
import type { StoredEntity, StoredToken, StoredVault } from "../store/ledger-resources.ts";
import { textParam } from "../params.ts";
import { created, updated, type LedgerCall, type Commit } from "./call.ts";
import { demandEntities, isAmong } from "./entity.ts";
import { createToken, isNonFungible, mayAct, theToken, type RequestedToken } from "./tokens.ts";

interface VaultDefinition extends Partial<Pick<StoredVault, "id" | "name" | "description" | "custodians" | "data">> {
  readonly vaultToken?: readonly RequestedToken[];
}

/** POST /token/vault: creates the vault with its share tokens. By default, the caller is the custodian. */
export function createVaults(commit: Commit<readonly VaultDefinition[]>): void {
  for (const definition of commit.body) createVault(commit, definition);
}

function createVault(commit: Commit<unknown>, definition: VaultDefinition): void {
  const { id = newId(), name = "", description = "", custodians = [commit.actor], data = {}, vaultToken = [] } = definition;
  const isFree = commit.world.get("vault", id) === undefined || commit.dialect.accepts.includes("second vault");
  demand(isFree, "vault already exists", `the vault ${id} already exists`);
  demand(id !== "" && custodians.length > 0, "invalid parameters", "a vault needs an id and a custodian");
  demandEntities(custodians, commit.settings.orgId);
  const vaultTokenId = vaultToken.map((token) => createShareToken(commit, token, custodians).id);
  const owners = [commit.actor];
  commit.world.put("vault", { id }, { id, name, description, custodians, data, vaultTokenId, owners, ...created(commit) });
}

/** PATCH /token/vault: changes only the given fields. */
export function updateVaults(
  commit: Commit<
    readonly { readonly id: string; readonly name?: string; readonly description?: string; readonly data?: JsonObject }[]
  >,
): void {
  for (const { id, ...changes } of commit.body) changeVault(commit, custodiedVault(commit, id), changes);
}

/** PATCH /token/vault/custodians: may be called by a custodian or an owner of the vault. */
export function setCustodians(
  commit: Commit<readonly { readonly vaultId: string; readonly custodians: readonly StoredEntity[] }[]>,
): void {
  for (const { vaultId, custodians } of commit.body) {
    const vault = accessibleVault(commit, vaultId);
    demand(custodians.length > 0, "invalid custodian identity", `the vault ${vaultId} must keep a custodian`);
    demandEntities(custodians, commit.settings.orgId, "invalid custodian identity");
    changeVault(commit, vault, { custodians });
  }
}

/** POST /token/vault/addToken: each new token is a further share class. */
export function addTokens(
  commit: Commit<readonly { readonly id: string; readonly vaultToken: readonly RequestedToken[] }[]>,
): void {
  for (const { id, vaultToken } of commit.body) {
    const vault = custodiedVault(commit, id);
    const added = vaultToken.map((definition) => createShareToken(commit, definition, vault.custodians).id);
    changeVault(commit, vault, { vaultTokenId: [...vault.vaultTokenId, ...added] });
  }
}

/** POST /token/vault/addToken/existing: adds fungible reference tokens that the custodians may mint and burn. */
export function addExistingTokens(commit: Commit<readonly { readonly id: string; readonly tokenId: readonly string[] }[]>): void {
  for (const { id, tokenId: tokenIds } of commit.body) {
    const vault = custodiedVault(commit, id);
    for (const tokenId of tokenIds) demandShareToken(vault, theToken(commit, tokenId));
    changeVault(commit, vault, { vaultTokenId: [...new Set([...vault.vaultTokenId, ...tokenIds])] });
  }
}

/** GET /token/vault */
export function getVault(call: LedgerCall): StoredVault {
  return accessibleVault(call, textParam(call, "id"));
}

/** GET /token/vault/all: lists the vaults that the caller owns or has custody of. */
export function listVaults(call: LedgerCall): readonly StoredVault[] {
  return call.world.list("vault").filter((vault) => isAccessible(vault, call.actor));
}

/** Returns the vault, or refuses if there is none. */
export function theVault(call: LedgerCall<unknown>, id: string): StoredVault {
  return found(call.world.get("vault", id), "vault not found", `there is no vault ${id}`);
}

/** Returns the vault if the actor is one of its custodians. */
export function custodiedVault(call: LedgerCall<unknown>, id: string, condition: Condition = "unauthorized caller"): StoredVault {
  const vault = theVault(call, id);
  demand(isAmong(vault.custodians, call.actor), condition, `only a custodian may manage the vault ${id}`);
  return vault;
}

/** Returns whether the actor owns the vault or has custody of it. */
export function isAccessible({ owners, custodians }: StoredVault, actor: StoredEntity): boolean {
  return isAmong([...owners, ...custodians], actor);
}

function accessibleVault(call: LedgerCall<unknown>, id: string): StoredVault {
  const vault = theVault(call, id);
  demand(isAccessible(vault, call.actor), "unauthorized caller", `the vault ${id} is not the caller's`);
  return vault;
}

function changeVault(commit: Commit<unknown>, vault: StoredVault, changes: Partial<StoredVault>): void {
  commit.world.put("vault", { id: vault.id }, { ...vault, ...changes, ...updated(commit) });
}

function createShareToken(commit: Commit<unknown>, definition: RequestedToken, custodians: readonly StoredEntity[]): StoredToken {
  const { classification, behaviour = {}, tokenPermissions = [] } = definition;
  const { minter_role_name = "minter", burner_role_name = "burner" } = behaviour.rolesMap ?? {};
  const custody = custodians.map((entity) => ({ entity, roles: [minter_role_name, burner_role_name] }));
  return createToken(commit, {
    ...definition,
    classification: { ...classification, type: "fungible", valueType: "reference" },
    tokenPermissions: [...tokenPermissions, ...custody],
  });
}

function demandShareToken(vault: StoredVault, token: StoredToken): void {
  const { minter_role_name, burner_role_name } = token.behaviour.rolesMap ?? {};
  const isReference = !isNonFungible(token) && token.classification.valueType === "reference";
  demand(isReference, "invalid parameters", `${token.id} is no fungible token of the value type reference`);
  for (const custodian of vault.custodians) {
    const mayBoth = mayAct(token, custodian, minter_role_name, "minter") && mayAct(token, custodian, burner_role_name, "burner");
    demand(mayBoth, "invalid parameters", `a custodian may not mint and burn ${token.id}`);
  }
}
