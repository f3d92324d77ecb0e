import { meantAttribute, readEntity, severalAttributes } from "../../base/entity.ts";
import { schemaName } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { services } from "../../services/services.ts";
import { child, type MapNode, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { holdsExpression } from "../expressions/expression-spans.ts";
import { attributesInOneText, misspeltAttribute } from "./misspelt-attribute.ts";

/** Whether a schema describes an entity. */
export function isEntity(schema: JsonSchema | undefined): boolean {
  return schema !== undefined && schemaName(schema) === "Entity";
}

/** Reports a misspelt attribute of an entity that is written as a map. */
export function checkEntityMap(node: MapNode, schema: JsonSchema | undefined, context: CheckContext): void {
  if (!isEntity(schema)) return;
  for (const [attribute, { key }] of node.entries) {
    const near = meantAttribute(attribute);
    if (near !== undefined) context.report(misspeltAttribute({ attribute, near }), key);
  }
}

/** Reports what is wrong with an entity that is written as a text: a misspelt attribute, as in `userID:alice`, several attributes, or an expression. */
export function checkEntityText(node: SourceNode | undefined, context: CheckContext): void {
  if (node === undefined || holdsExpressionAt(node, context)) return;
  const text = textOf(node) ?? "";
  const several = severalAttributes(text);
  if (several !== undefined) context.report(attributesInOneText(several), node.range);
  const { attribute } = readEntity(text) ?? {};
  const near = attribute === undefined ? undefined : meantAttribute(attribute);
  if (attribute === undefined || near === undefined) return;
  context.report(misspeltAttribute({ attribute, near }), node.range);
}

// Such a text is sent as it is written.
function holdsExpressionAt(node: SourceNode, context: CheckContext): boolean {
  const text = textOf(node) ?? "";
  if (!holdsExpression(text)) return false;
  const message = `${JSON.stringify(text)} is taken as it is written, and its expression is not evaluated`;
  context.report(
    {
      code: "expression.in-identity",
      message,
      suggestion: 'in a step, let one expression give the whole entity: as: "${{ member }}"',
    },
    node.range,
  );
  return true;
}

/** Reports what is wrong with the identities in the `actors` of a playbook. */
export function checkActorAttributes(node: SourceNode | undefined, context: CheckContext): void {
  if (node?.kind !== "map") return;
  for (const { value } of node.entries.values())
    for (const identity of value.kind === "list" ? value.items : [value])
      for (const { name } of services) checkEntityText(child(identity, name), context);
}
