import { getOrInsert } from "../../base/maps.ts";
import { readEntity } from "../../base/entity.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { plainValidatorOf } from "../../contract/validators.ts";
import { batchSchema, inputSchema } from "../../operations/input.ts";
import type { Operation } from "../../operations/operation.ts";
import type { SchemaViolation } from "../../schema/validator.ts";
import { isEntity } from "./entity-attributes.ts";
import { nodeAt, type SourceNode, textOf, toPlain } from "../../source/node.ts";
import { essential, placeProblem } from "../../source/problems.ts";
import type { CheckContext } from "../check-context.ts";
import { fieldSchema, itemSchema, numeralWanted } from "../expressions/compile-template.ts";
import { holdsExpression } from "../expressions/expression-spans.ts";

const single = new Map<Operation, JsonSchema>();
const batches = new Map<Operation, JsonSchema>();

/** Returns the schema of an operation's `with`: of one item or, if it has `items`, of a batch. Each schema is made once. */
export function withSchema(operation: Operation, batch: boolean): JsonSchema {
  if (batch) return getOrInsert(batches, operation, () => batchSchema(operation));
  return getOrInsert(single, operation, () => inputSchema(operation));
}

/** Checks and reports everything in `with` that is known before a run. Returns the schema that applies. */
export function checkWith(node: SourceNode, operation: Operation, context: CheckContext): JsonSchema {
  const items = node.kind === "map" ? node.entries.get("items") : undefined;
  const schema = withSchema(operation, operation.batches && items !== undefined);
  if (items !== undefined && schema.properties?.["items"] === undefined) {
    context.report(
      {
        code: "playbook.no-batch",
        message: `${operation.name} takes no batch`,
        suggestion: "write the fields of one directly in `with`, and use foreach for several",
      },
      items.key,
    );
    return schema;
  }
  for (const problem of essential(plainValidatorOf(schema)(plainInput(node, schema)))) {
    const entity = entityText(problem, node, schema);
    if (knownOnlyInARun(problem, node) || (entity !== undefined && readEntity(entity) !== undefined)) continue;
    const { finding, range } = placeProblem(problem, node);
    const suggestion = entity === undefined ? finding.suggestion : `write userId:${entity}, if that is a user`;
    context.report({ ...finding, suggestion, why: finding.why ?? `the input of ${operation.name}` }, range);
  }
  return schema;
}

// An entity may be written as a text, from which the map for the service is made.
function entityText({ path }: SchemaViolation, root: SourceNode, schema: JsonSchema): string | undefined {
  return isEntity(schemaAt(schema, path)) ? textOf(nodeAt(root, path)) : undefined;
}

function schemaAt(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>(
    (found, key) => fieldSchema(found, key) ?? (/^\d+$/.test(key) ? itemSchema(found) : undefined),
    schema,
  );
}

// The value of an expression is checked by its type and, during the run, against the schema.
function knownOnlyInARun({ path }: SchemaViolation, root: SourceNode): boolean {
  return holdsExpression(textOf(nodeAt(root, path)) ?? "");
}

// Returns the input as it will be sent: a quoted numeral is a number if a number is expected.
function plainInput(node: SourceNode, schema: JsonSchema | undefined): unknown {
  switch (node.kind) {
    case "scalar":
      return (typeof node.value === "string" ? numeralWanted(schema, node.value)?.likeness() : undefined) ?? toPlain(node);
    case "list":
      return node.items.map((item) => plainInput(item, itemSchema(schema)));
    case "map":
      return Object.fromEntries(
        Array.from(node.entries, ([name, { value }]) => [name, plainInput(value, fieldSchema(schema, name))]),
      );
  }
}
