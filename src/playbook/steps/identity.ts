import { readEntity } from "../../base/entity.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { objectOf } from "../../base/maps.ts";
import { hasEntities, services } from "../../services/services.ts";
import { child, entriesIn, type SourceNode, textOf } from "../../source/node.ts";
import type { ActorDeclaration, Identity } from "../model.ts";

/** The value of `as` if the key itself acts. It cannot be mistaken for an entity, which has a colon. */
export const KEY_ACTS = "key";

/** Reads an identity such as `{ ledger: "userId:alice", investor: BUYER_KEY }`. */
export function readIdentity(node: SourceNode): Identity {
  const named = services.flatMap((service) => {
    const text = textOf(child(node, service.name));
    return text === undefined || (hasEntities(service) && text === KEY_ACTS) ? [] : [[service.name, text] as const];
  });
  return Object.fromEntries(named);
}

/** Reads the `actors` of a playbook. */
export function readActors(node: SourceNode | undefined): ReadonlyMap<string, ActorDeclaration> {
  return new Map(entriesIn(node).map(([name, { value }]) => [name, readActor(name, value)]));
}

function readActor(name: string, node: SourceNode): ActorDeclaration {
  if (node.kind === "list") return { name, group: true, identities: node.items.map(readIdentity) };
  return { name, group: false, identities: [readIdentity(node)] };
}

/** Returns the value of `actors` in expressions: the entity of each actor, a list for a group. */
export function actorsValue(
  actors: ReadonlyMap<string, ActorDeclaration>,
  entityOf: (identity: Identity) => Json = (identity) => entityIn(identity) ?? {},
): JsonObject {
  return objectOf(actors, ({ group, identities }) => {
    const entities = identities.map(entityOf);
    return group ? entities : (entities[0] ?? {});
  });
}

/** Returns the entity of an identity, such as `{ userId: "alice" }`; `undefined` if it has only credentials. */
export function entityIn(identity: Identity): Readonly<Record<string, string>> | undefined {
  const [text] = services.filter(hasEntities).flatMap(({ name }) => identity[name] ?? []);
  const entity = readEntity(text ?? "");
  return entity === undefined ? undefined : { [entity.attribute]: entity.value };
}

/** Returns a name for an identity that has none: the value of its entity, or its credential. */
export function nameIn(identity: Identity): string {
  const [value] = Object.values(entityIn(identity) ?? identity);
  return value ?? "";
}
