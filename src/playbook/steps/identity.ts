import { readEntity } from "../../base/entity.ts";
import { hasEntities, services } from "../../services/services.ts";
import { child, type SourceNode, textOf } from "../../source/node.ts";
import type { Identity } from "../model.ts";

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
