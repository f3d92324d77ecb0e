import { nodeAt, type SourceNode } from "../../source/node.ts";
import { type CertainCall, type CertainPlaybook, itemsOf, partsAt, spellingOf } from "./certain-calls.ts";
import type { CheckContext } from "../check-context.ts";
import type { Template } from "../expressions/template.ts";

/** Reports things that one call creates, deletes or votes on twice. The service refuses the second one, or the two cannot be distinguished. */
export function checkTwice({ calls }: CertainPlaybook, context: CheckContext): void {
  for (const call of calls) {
    const first = new Set<string>();
    for (const { id, node } of namedIn(call)) {
      const spelling = spellingOf(id);
      if (spelling === undefined) continue;
      const words = spelling.startsWith("=") ? spelling.slice(1) : spelling;
      if (first.has(spelling))
        context.report(
          {
            code: "playbook.id-twice",
            message: `${call.step.operation.name} is given "${words}" twice in one call`,
            suggestion: "remove one of them, or give it another id",
          },
          node.range,
        );
      first.add(spelling);
    }
  }
}

interface IdInStep {
  readonly id: Template | undefined;
  readonly node: SourceNode;
}

// Returns the items of operations that must not name an id twice. If the items of an operation set a value, the last one counts.
function namedIn(call: CertainCall): readonly IdInStep[] {
  const { namesOnce } = call.step.operation.meaning;
  if (namesOnce === undefined) return [];
  return itemsOf(call).flatMap(({ input, node }) =>
    partsAt(input, namesOnce).map(({ part, path }) => ({ id: part, node: nodeAt(node, path) })),
  );
}
