import { didYouMean } from "../../base/text/text.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import { child, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";

/** Returns the operation that a node names. If there is none with this name, reports this and returns `undefined`. */
export function operationAt(node: SourceNode | undefined, context: CheckContext): Operation | undefined {
  const name = textOf(node) ?? "";
  const operation = operations.get(name);
  if (operation !== undefined || node === undefined) return operation;
  const near = didYouMean(name, [...operations.keys()]) ?? endingIn(name);
  return context.report(
    {
      code: "playbook.unknown-operation",
      message: `there is no operation called "${name}"`,
      suggestion: near === undefined ? `\`tokenbook operations\` lists all ${operations.size}` : `did you mean "${near}"?`,
    },
    node.range,
  );
}

// Returns the operation with this name without its interface, if there is only one.
function endingIn(name: string): string | undefined {
  const [found, ...others] = [...operations.keys()].filter((each) => each.endsWith(`.${name.toLowerCase()}`));
  return others.length === 0 ? found : undefined;
}

/** Returns the operation that a field of a map names, if there is one, in a step or in a read beside it. */
export function operationIn(node: SourceNode | undefined, field: "uses" | "read"): Operation | undefined {
  const name = textOf(child(node, field));
  return name === undefined ? undefined : operations.get(name);
}
