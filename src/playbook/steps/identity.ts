import { readEntity } from "../../base/entity.ts";
import { hasEntities, services } from "../../services/services.ts";
import { child, type SourceNode, textOf } from "../../source/node.ts";
import type { Identity } from "../model.ts";

/** The value of `as` in place of an entity if the key itself acts. An entity has a colon, so this is none. */
export const KEY_ACTS = "key";

/** Reads an identity such as `{ ledger: "userId:alice", investor: BUYER_KEY }`. */
export function readIdentity(node: SourceNode): Identity {
  const named = services.flatMap((service) => {
    const text = textOf(child(node, service.name));
    return text === undefined || (hasEntities(service) && text === KEY_ACTS) ? [] : [[service.name, text] as const];
  });
  return Object.fromEntries(named);
}

/** Returns the entity of an identity, as `{ userId: "alice" }`; `undefined` if it is known by keys only. */
export function entityIn(identity: Identity): Readonly<Record<string, string>> | undefined {
  const [text] = services.filter(hasEntities).flatMap(({ name }) => identity[name] ?? []);
  const entity = readEntity(text ?? "");
  return entity === undefined ? undefined : { [entity.attribute]: entity.value };
}

/** Returns the name of an identity without one of its own: its value, or the credential. */
export function nameIn(identity: Identity): string {
  const [value] = Object.values(entityIn(identity) ?? identity);
  return value ?? "";
}
