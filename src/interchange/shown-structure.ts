import type { Range, SourceNode } from "../source/node.ts";
import { readRuntime } from "./expressions/runtime-expression.ts";

/** The fields of a document whose values are names, conditions or references, in which nobody writes a key. */
const STRUCTURE: ReadonlySet<string> = new Set([
  "arazzo",
  "title",
  "version",
  "workflowId",
  "stepId",
  "operationId",
  "operationPath",
  "dependsOn",
  "reference",
  "$ref",
  "name",
  "in",
  "type",
  "format",
  "required",
  "contentType",
  "context",
  "condition",
  "selector",
  "target",
  "retryAfter",
  "retryLimit",
  "timeout",
]);

/** The fields whose values, and everything below them, are data. */
const DATA: ReadonlySet<string> = new Set(["value", "payload", "default", "enum", "const", "example", "examples"]);

/**
 * Returns the parts of a document that a code frame may show: the names of all fields, and those values that are names or runtime expressions. Every other
 * value may be a key, whatever its name. See decision 202.
 */
export function structureOf(root: SourceNode): readonly Range[] {
  const shown: Range[] = [];
  collect(root, { isStructure: false, isData: false }, shown);
  return shown;
}

interface StructureContext {
  readonly isStructure: boolean;
  readonly isData: boolean;
}

function collect(node: SourceNode, within: StructureContext, shown: Range[]): void {
  if (node.kind === "list") {
    for (const item of node.items) collect(item, within, shown);
  } else if (node.kind === "map") {
    for (const [name, { key, value }] of node.entries) {
      shown.push(key);
      const isData = within.isData || DATA.has(name);
      collect(value, { isData, isStructure: !isData && STRUCTURE.has(name) }, shown);
    }
  } else if (within.isStructure || isRuntime(node.value)) shown.push(node.range);
}

function isRuntime(value: unknown): boolean {
  return typeof value === "string" && readRuntime(value.replace(/^\{(.*)\}$/s, "$1")) !== undefined;
}
