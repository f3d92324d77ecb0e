import { meantAttribute } from "../base/entity.ts";
import type { ASTNode } from "./cel.ts";

/** The type of an entity: an open map of texts, orgId and whatever attribute names it. */
export const ENTITY_TYPE = "map<string, string>";

/** An attribute that an expression asks an entity for, and that is almost one of those that entities have. */
export interface MisspeltAttribute {
  readonly attribute: string;
  readonly near: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The attributes of entities that are misspelt, in a tree whose types were checked. `o["userid"]` asks for one all the same, and so may
 * an expression that writes it as a text: it may have made the map itself.
 */
export function misspeltIn(
  nodes: readonly ASTNode[],
  typeOf: (node: ASTNode) => string | undefined,
): readonly MisspeltAttribute[] {
  return nodes.flatMap((node) => {
    if (node.op !== "." && node.op !== ".?") return [];
    const [owner, attribute] = node.args;
    const near = typeOf(owner) === ENTITY_TYPE ? meantAttribute(attribute) : undefined;
    if (near === undefined || nodes.some(({ op, args }) => op === "value" && args === attribute)) return [];
    return [{ attribute, near, start: node.end - attribute.length, end: node.end }];
  });
}
