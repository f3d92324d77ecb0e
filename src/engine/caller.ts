import { isObject, type Json } from "../base/json.ts";
import type { Target } from "../environment/target.ts";
import { EvaluationFailure, type Scope } from "../expression/expression.ts";
import type { ActorDeclaration, ActorUse, Identity, Playbook } from "../playbook/model.ts";

/** On whose behalf one call is made. */
export interface Caller {
  /** `userId:alice`, on interface B. */
  readonly actingEntity: string | undefined;
  /** The name of a credential, on interface A. */
  readonly credential: string | undefined;
  /** The name that reports show. */
  readonly label: string | null;
}

// The service takes who is not named for the entity that the key stands for.
const THE_KEY: Caller = { actingEntity: undefined, credential: undefined, label: "the key" };

const NOBODY: Caller = { actingEntity: undefined, credential: undefined, label: null };

/** Who acts in a call. Throws an EvaluationFailure when the expression of `as` gives nobody. */
export function callerOf(use: ActorUse | undefined, scope: Scope): Caller {
  switch (use?.kind) {
    case undefined:
      return NOBODY;
    case "key":
      return THE_KEY;
    case "entity":
      return callerOfEntity(use, scope);
    case "credential":
      return callerOfCredential(use, scope);
    case "identity":
      return callerOfIdentity(use.identity, use.name);
  }
}

/** The entity of interface B for which a call is made: the one that acts, or the key's own, where the environment says which that is. */
export function actingFor({ actingEntity }: Caller, { ledger }: Target): string | undefined {
  return actingEntity ?? ledger?.keyEntity;
}

function callerOfCredential({ credential }: Extract<ActorUse, { kind: "credential" }>, scope: Scope): Caller {
  const name = credential.evaluate(scope);
  if (typeof name === "string" && name !== "") return { actingEntity: undefined, credential: name, label: name };
  throw new EvaluationFailure(`as: ${credential.text.trim()} must give the name of a credential`);
}

function callerOfIdentity({ ledger, investor }: Identity, label: string): Caller {
  return { actingEntity: ledger === undefined ? undefined : `${ledger.attribute}:${ledger.value}`, credential: investor, label };
}

function callerOfEntity(use: Extract<ActorUse, { kind: "entity" }>, scope: Scope): Caller {
  const entity = use.entity.evaluate(scope);
  const [attribute, value] = (isObject(entity) ? Object.entries(entity) : []).find(([name]) => name !== "orgId") ?? [];
  if (attribute === undefined || typeof value !== "string") {
    throw new EvaluationFailure(`as: ${use.entity.text} is no entity that can act: it names nobody within the organization`);
  }
  return { actingEntity: `${attribute}:${value}`, credential: undefined, label: value };
}

/** What `actors` gives to expressions: an Entity for each, a list for a group. */
export function actorsScope(playbook: Playbook, target: Target): Json {
  return Object.fromEntries([...playbook.actors.values()].map((actor) => [actor.name, actorValue(actor, target)]));
}

function actorValue({ group, identities }: ActorDeclaration, target: Target): Json {
  const entities = identities.map((identity) => entityOf(identity, target));
  return group ? entities : (entities[0] ?? {});
}

function entityOf({ ledger, investor }: Identity, target: Target): Json {
  if (ledger === undefined) return { investor: investor ?? "" };
  const orgId = target.ledger?.orgId;
  return { ...(orgId === undefined ? {} : { orgId }), [ledger.attribute]: ledger.value };
}
