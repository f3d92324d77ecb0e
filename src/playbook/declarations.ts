import { child, type SourceNode, textOf } from "../source/node.ts";
import type { ActorDeclaration, Identity } from "./model.ts";

/** The `actors` of a playbook. */
export function readActors(node: SourceNode | undefined): ReadonlyMap<string, ActorDeclaration> {
  if (node?.kind !== "map") return new Map();
  return new Map([...node.entries].map(([name, { value }]) => [name, readActor(name, value)]));
}

function readActor(name: string, node: SourceNode): ActorDeclaration {
  if (node.kind === "list") return { name, group: true, identities: node.items.map(readIdentity) };
  return { name, group: false, identities: [readIdentity(node)] };
}

/** An identity such as `{ ledger: "userId:alice", investor: BUYER_KEY }`. */
export function readIdentity(node: SourceNode): Identity {
  const ledger = textOf(child(node, "ledger"));
  const colon = ledger?.indexOf(":") ?? -1;
  return {
    ledger: ledger === undefined ? undefined : { attribute: ledger.slice(0, colon), value: ledger.slice(colon + 1) },
    investor: textOf(child(node, "investor")),
  };
}

/** The map under a key of the playbook, if it has one. */
export function section(root: SourceNode, name: string): SourceNode | undefined {
  return child(root, name);
}
