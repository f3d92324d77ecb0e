import { readEntity } from "../../base/entity.ts";
import { isObject, type Json, shownJson } from "../../base/json/json.ts";
import { present } from "../../base/present.ts";
import { keyEntityOf, organizationOf, type Target } from "../../environment/target.ts";
import { ORGANIZATION } from "../../playbook/expressions/template.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { actorsValue, entityIn } from "../../playbook/steps/identity.ts";
import type { ActorUse, Identity, Playbook } from "../../playbook/model.ts";
import type { Operation } from "../../operations/operation.ts";
import type { AttemptIntended } from "../../protocol/record.ts";
import { hasEntities, type Service, services } from "../../services/services.ts";

/** On whose behalf one call is made. */
export interface Caller {
  /** The acting entity, such as `userId:alice`, or the name of a credential, for each interface. */
  readonly identities: Identity;
  /** The name that reports show. */
  readonly label: string | null;
  /** The entity that the key had when it made an earlier attempt; left out for the one that the environment names now. */
  readonly keyEntity?: string;
}

// When a call names no entity, the service uses the key's own.
const THE_KEY: Caller = { identities: {}, label: "the key" };

/** The caller of a call that names nobody. */
export const NO_CALLER: Caller = { identities: {}, label: null };

/** Returns who acts in a call. Throws an EvaluationFailure when the expression of `as` names no one. */
export function callerOf(use: ActorUse | undefined, scope: Scope): Caller {
  switch (use?.kind) {
    case undefined:
      return NO_CALLER;
    case "key":
      return THE_KEY;
    case "entity":
      return callerOfEntity(use, scope);
    case "credential":
      return callerOfCredential(use, scope);
    case "identity":
      return { identities: use.identity, label: use.name };
  }
}

/** Returns the actor that the journal records: the identity on the called interface or, if there is none, on another interface. */
export function recordedAs(service: Service, { identities }: Caller): string | null {
  return identities[service.name] ?? services.flatMap(({ name }) => identities[name] ?? [])[0] ?? null;
}

/** Returns the actor that a step without a write records: the name that reports show, and the identity. */
export function recordedActor({ operation: { service }, caller }: OperationCaller): {
  readonly actor: string | null;
  readonly as: string | null;
} {
  return { actor: caller.label, as: recordedAs(service, caller) };
}

/** Returns the actor that the journal records for a write. For the key this is its entity, because the environment may name another one later. */
export function writtenAs({ operation: { service }, caller }: OperationCaller, target: Target): string | null {
  return actingEntity(service, caller, target) ?? recordedAs(service, caller);
}

interface OperationCaller {
  readonly operation: Pick<Operation, "service">;
  readonly caller: Caller;
}

/**
 * Returns the actor of a recorded write; `undefined` if the record does not name it. An earlier version recorded the same identity on every
 * interface for an actor with several identities.
 */
export function actorIn(service: Service, { as }: Pick<AttemptIntended, "as">): string | undefined {
  const isIdentity = typeof as === "string" && hasEntities(service) === (readEntity(as) !== undefined);
  return isIdentity ? as : undefined;
}

/** Returns the caller of an earlier attempt: the key then had the entity that the attempt's record names. */
export function callerThen({ operation: { service }, caller }: OperationCaller, intended: Pick<AttemptIntended, "as">): Caller {
  const keyEntity = hasEntities(service) && entityFor(service, caller) === undefined ? actorIn(service, intended) : undefined;
  return keyEntity === undefined ? caller : { ...caller, keyEntity };
}

/** Returns the credential for calls of an interface; `undefined` if its callers are entities, or the call names none. */
export function credentialFor(service: Service, { identities }: Pick<Caller, "identities">): string | undefined {
  return hasEntities(service) ? undefined : identities[service.name];
}

/** Returns the entity that a call names; `undefined` if callers are identified by their keys, or the call names none. */
export function entityFor(service: Service, { identities }: Pick<Caller, "identities">): string | undefined {
  return hasEntities(service) ? identities[service.name] : undefined;
}

/** Returns the entity for which a call is made: the one that acts or, if the environment names it, the key's own. */
export function actingEntity(service: Service, caller: Caller, target: Target): string | undefined {
  return entityFor(service, caller) ?? caller.keyEntity ?? keyEntityOf(target[service.name]);
}

function callerOfCredential({ on, credential }: Extract<ActorUse, { kind: "credential" }>, scope: Scope): Caller {
  const name = credential.evaluate(scope);
  if (typeof name === "string" && name !== "") return { identities: { [on]: name }, label: name };
  throw new EvaluationFailure(`as: ${credential.text.trim()} must give the name of a credential`);
}

// A call names its actor by one attribute, within the environment's organization. An entity with any other attribute cannot act (decision
// 192).
function callerOfEntity({ on, entity: expression }: Extract<ActorUse, { kind: "entity" }>, scope: Scope): Caller {
  const entity = expression.evaluate(scope);
  const organization = services.filter(hasEntities).find(({ name }) => name === on)?.identity.organization ?? "";
  const { [organization]: its, ...naming } = isObject(entity) ? entity : {};
  const cannot = (why: string): EvaluationFailure => new EvaluationFailure(`as: ${expression.text.trim()} cannot act: ${why}`);
  const [[attribute, value] = [], ...others] = Object.entries(naming);
  if (attribute === undefined || typeof value !== "string") throw cannot("it names no one within the organization");
  if (others.length > 0) throw cannot(`one attribute says who acts, and it has ${Object.keys(naming).join(" and ")}`);
  const own = scope[ORGANIZATION];
  if (its !== undefined && own !== undefined && its !== own)
    throw cannot(`it is of the organization ${shownJson(its)}, and this environment acts for ${shownJson(own)}`);
  return { identities: { [on]: `${attribute}:${value}` }, label: value };
}

/** Returns the value of `actors` in expressions: an Entity for each actor, a list for a group. */
export function actorsScope(playbook: Playbook, target: Target): Json {
  return actorsValue(playbook.actors, (identity) => entityOf(identity, target));
}

/** Returns the organization that completes the entities that a playbook writes as text. */
export function organizationScope(target: Target): Scope {
  const orgId = organizationOf(target);
  return orgId === undefined ? {} : { [ORGANIZATION]: orgId };
}

function entityOf(identity: Identity, target: Target): Json {
  const entity = entityIn(identity);
  if (entity === undefined) return { ...identity };
  const orgId = organizationOf(target);
  return { ...present({ orgId }), ...entity };
}
