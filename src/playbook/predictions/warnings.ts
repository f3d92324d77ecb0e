import { type Expression, ifKnown } from "../../expression/expression.ts";
import { child, entriesIn, type Range, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { namesIn } from "../keywords/shared.ts";

// Warnings about parts of a playbook that have no effect. The playbook can still run, so only certain cases are reported.

/** Warns of inputs and actors that nothing uses. */
export function warnOfUnused(root: SourceNode, context: CheckContext): void {
  const { usage } = context;
  for (const [name, { key }] of entriesIn(child(root, "inputs"))) {
    if (usage.has("inputs", name)) continue;
    const message = `nothing uses the input "${name}"`;
    context.report({ code: "playbook.unused-input", message, suggestion: `use \${{ inputs.${name} }}, or remove it` }, key);
  }
  for (const [name, { key, value }] of entriesIn(child(root, "actors"))) {
    if (usage.has("actors", name)) continue;
    const isGroup = value.kind === "list";
    const message = `no step or expression uses the ${isGroup ? "group" : "actor"} "${name}"`;
    const use = isGroup ? `use \${{ actors.${name} }}, as in a foreach` : `write as: ${name}`;
    const isDefault = textOf(child(child(root, "defaults"), "as")) === name;
    const also = isDefault ? `, and the \`as\` of defaults, which every step overrides` : "";
    context.report({ code: "playbook.unused-actor", message, suggestion: `${use}, or remove it${also}` }, key);
  }
}

/** Reads a part with a loop, and warns if nothing in it uses the name of the loop's items. */
export function readLoop<T>(node: SourceNode, context: CheckContext, read: () => T): T {
  const foreach = child(node, "foreach");
  if (foreach === undefined) return read();
  const before = context.usage.now();
  const result = read();
  const named = foreach.kind === "map" ? namesIn(foreach)[0] : undefined;
  if (named !== undefined && !context.failed && !context.usage.usedSince(before, named[0])) {
    const [name, { key }] = named;
    const message = `nothing in this step uses "${name}", so every round does the same`;
    context.report({ code: "playbook.unused-item", message, suggestion: `use \${{ ${name} }}` }, key);
  }
  return result;
}

/** Warns of a condition that prevents a step from ever running. */
export function warnOfNever(condition: Expression, range: Range, context: CheckContext): void {
  if (constantOf(condition) !== false) return;
  const suggestion = "remove the step, or let the condition depend on something";
  context.report({ code: "playbook.never-done", message: "this is never true, so the step never runs", suggestion }, range);
}

/** Warns about a condition that never changes. */
export function warnOfConstant(condition: Expression, range: Range, context: CheckContext): void {
  const value = constantOf(condition);
  if (typeof value !== "boolean") return;
  const message = `this is ${value ? "always" : "never"} true, whatever the service answers`;
  context.report({ code: "playbook.constant-condition", message, suggestion: "compare something of response or steps" }, range);
}

/** Warns about a condition that also holds of an empty list, where something happens, or does not happen, as soon as it holds. */
export function warnOfEmpty(condition: Expression | undefined, node: SourceNode | undefined, context: CheckContext): void {
  const list = condition?.listThatMayBeEmpty();
  if (list === undefined || node === undefined) return;
  const message = `this also holds when ${list} is empty, because \`all\` looks at no item then`;
  const suggestion = `add what must be there: size(${list}) > 0 && …`;
  context.report({ code: "playbook.holds-of-nothing", message, suggestion }, node.range);
}

// Matches a path by itself, or one that is marked as in other languages: {{ inputs.x }}, ${inputs.x}, $inputs.x.
const ROOT = "(?:inputs|steps|actors|env|secrets|run)";
const UNMARKED = new RegExp(`^\\$?${ROOT}(?:\\.[a-z_]\\w*|\\[[^\\]]+\\])+$|\\{\\s*${ROOT}(?:\\.|\\[)`, "i");

/** Warns about a text that was probably meant as an expression. */
export function warnOfUnmarked(text: string, range: Range, context: CheckContext): void {
  if (!text.includes(".") || !UNMARKED.test(text)) return;
  const message = "this looks like an expression, but is sent as plain text";
  context.report({ code: "playbook.unmarked-expression", message, suggestion: 'write "${{ … }}" around the expression' }, range);
}

function constantOf(expression: Expression): unknown {
  return expression.references.length > 0 ? undefined : ifKnown(() => expression.evaluate({}), undefined);
}
