import { nodeAt, type SourceNode } from "../source/node.ts";
import { type CertainCall, type CertainPlaybook, fieldOf, itemsOf, spellingOf } from "./certain.ts";
import type { CheckContext } from "./context.ts";
import type { Template } from "./template.ts";

/** Reports things that one call creates, deletes or votes on twice: the service refuses the second one, or nobody can tell the two apart. */
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
            suggestion: "take one of them out, or give it another id",
          },
          node.range,
        );
      first.add(spelling);
    }
  }
}

interface Named {
  readonly id: Template | undefined;
  readonly node: SourceNode;
}

// Those whose items are things of their own. Of what sets a value, the last one counts.
function namedIn(call: CertainCall): readonly Named[] {
  switch (call.step.operation.name) {
    case "ledger.asset.create":
      return idsOfRows(call, "data");
    case "ledger.token.create":
    case "ledger.vault.create":
    case "ledger.approval.accept":
    case "ledger.approval.reject":
    case "ledger.approval.cancel":
      return itemsOf(call).map(({ input, node }) => ({ id: fieldOf(input, "id"), node: nodeAt(node, ["id"]) }));
    case "ledger.asset.delete":
    case "ledger.transfer.approve":
    case "ledger.transfer.reject":
      return listedIn(call, "id");
    default:
      return [];
  }
}

function listedIn(call: CertainCall, field: string): readonly Named[] {
  return itemsOf(call).flatMap(({ input, node }) => {
    const list = fieldOf(input, field);
    return list?.kind === "list" ? list.items.map((id, at) => ({ id, node: nodeAt(node, [field, String(at)]) })) : [];
  });
}

function idsOfRows(call: CertainCall, field: string): readonly Named[] {
  return itemsOf(call).flatMap(({ input, node }) => {
    const rows = fieldOf(input, field);
    return rows?.kind === "list"
      ? rows.items.map((row, at) => ({ id: fieldOf(row, "id"), node: nodeAt(node, [field, String(at), "id"]) }))
      : [];
  });
}
