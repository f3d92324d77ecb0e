import { compoundKey } from "../ids.ts";
import { demand, type Condition } from "../refusal.ts";
import type { StoredEntity } from "../store/ledger-resources.ts";

/**
 * Returns whether the entity includes the actor: both have the same organization, and the entity has every attribute of the actor. An entity without attributes
 * includes its whole organization. Only such an entity includes an actor without attributes.
 */
export function standsFor(entity: StoredEntity, actor: StoredEntity): boolean {
  if (entity.orgId !== actor.orgId) return false;
  if (isWholeOrganization(entity)) return true;
  return !isWholeOrganization(actor) && Object.entries(actor).every(([name, value]) => entity[name] === value);
}

/** The attribute of a vault that owns assets. No caller can act as a vault: its custodians act for it. */
export const VAULT_ATTRIBUTE = "vaultId";

/** Returns whether the entity is a vault, which neither requests nor votes. */
export function isVault(entity: StoredEntity): boolean {
  return VAULT_ATTRIBUTE in entity;
}

/** Returns whether the entity has no attribute besides its organization. */
export function isWholeOrganization(entity: StoredEntity): boolean {
  return Object.keys(entity).length === 1;
}

/** Returns whether one of the entities includes the actor. */
export function isAmong(entities: readonly StoredEntity[], actor: StoredEntity): boolean {
  return entities.some((entity) => standsFor(entity, actor));
}

/** Returns whether two entities are equal, regardless of the order of their attributes. */
export function sameEntity(left: StoredEntity, right: StoredEntity): boolean {
  return entityKey(left) === entityKey(right);
}

/** Returns a unique key for an entity. */
export function entityKey(entity: StoredEntity): string {
  return compoundKey(
    ...Object.entries(entity)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat(),
  );
}

/** Refuses entities of another organization and attributes without a value. */
export function demandEntities(
  entities: readonly StoredEntity[],
  orgId: string,
  condition: Condition = "invalid parameters",
): void {
  for (const entity of entities)
    demand(entity.orgId === orgId, condition, `the entity ${JSON.stringify(entity)} is not of the organization ${orgId}`);
  demandNamed(entities, condition);
}

/** Refuses entities without an organization, and attributes without a value. A receiver may belong to any organization. */
export function demandNamed(entities: readonly StoredEntity[], condition: Condition = "invalid parameters"): void {
  for (const entity of entities) {
    demand(entity.orgId !== undefined, condition, `the entity ${JSON.stringify(entity)} names no organization`);
    const values = Object.values(entity);
    demand(
      values.every((value) => value !== ""),
      condition,
      `the entity ${JSON.stringify(entity)} has an attribute without a value`,
    );
  }
}

/** Returns the entities in order without repetitions. */
export function distinctEntities(entities: readonly StoredEntity[]): readonly StoredEntity[] {
  return [...new Map(entities.map((entity) => [entityKey(entity), entity])).values()];
}
