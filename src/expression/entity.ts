import { meantAttribute } from "../base/entity.ts";
import type { ASTNode } from "./cel.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** The type of an entity: an open map of texts with orgId and any attribute that names the entity. */
export const ENTITY_TYPE = "map<string, string>";

/** An attribute in an expression that is almost a known attribute of entities. */
export interface MisspeltAttribute extends Stretch {
  /** The attribute as the expression spells it. */
  readonly attribute: string;
  /** The known attribute that was probably meant. */
  readonly near: string;
}

/**
 * Returns the misspelt attributes of entities in a type-checked tree. `o["userid"]` is allowed, and then also elsewhere in an expression
 * with this text, because the expression may have made the map itself.
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
