import { didYouMean } from "../../base/text/text.ts";
import { type Operation, operations } from "../../operations/operation.ts";
import { child, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";

/** The operation that a node names; reports, and gives `undefined`, when there is none of that name. */
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

// An operation without its interface, if only one has such a name.
function endingIn(name: string): string | undefined {
  const [found, ...others] = [...operations.keys()].filter((each) => each.endsWith(`.${name.toLowerCase()}`));
  return others.length === 0 ? found : undefined;
}

/** Returns the operation that a field of a map names, if there is one: in a step, or in a read beside it. */
export function operationIn(node: SourceNode | undefined, field: "uses" | "read"): Operation | undefined {
  const name = textOf(child(node, field));
  return name === undefined ? undefined : operations.get(name);
}
