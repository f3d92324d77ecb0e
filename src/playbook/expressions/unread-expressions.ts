import type { SourceNode } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { spansIn } from "./expression-spans.ts";

/** Reports each expression in a text that is not evaluated, such as a path or a default. A description may contain expressions as examples. */
export function reportUnread(node: SourceNode, context: CheckContext): void {
  switch (node.kind) {
    case "scalar":
      if (typeof node.value !== "string" || context.usage.isRead(node)) return;
      for (const { text, start, end } of spansIn(node.value)) {
        const message = `no expression is read here, so this stays the text \${{${text}}}`;
        context.report({ code: "expression.not-read", message }, { start: node.offsetOf(start), end: node.offsetOf(end) });
      }
      return;
    case "list":
      for (const item of node.items) reportUnread(item, context);
      return;
    case "map":
      for (const [key, { value }] of node.entries)
        if (key !== "description" || value.kind !== "scalar") reportUnread(value, context);
  }
}
