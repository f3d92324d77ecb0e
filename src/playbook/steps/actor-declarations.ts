import type { SourceNode } from "../../source/node.ts";
import { readIdentity } from "./identity.ts";
import type { ActorDeclaration } from "../model.ts";

/** Reads the `actors` of a playbook. */
export function readActors(node: SourceNode | undefined): ReadonlyMap<string, ActorDeclaration> {
  if (node?.kind !== "map") return new Map();
  return new Map([...node.entries].map(([name, { value }]) => [name, readActor(name, value)]));
}

function readActor(name: string, node: SourceNode): ActorDeclaration {
  if (node.kind === "list") return { name, group: true, identities: node.items.map(readIdentity) };
  return { name, group: false, identities: [readIdentity(node)] };
}
