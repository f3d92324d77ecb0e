import { listenToCheck } from "../playbook/check.ts";
import type { ExpressionScope } from "../playbook/check-context.ts";
import { BLOCK_PARTS } from "../playbook/outline.ts";
import { operations } from "../operations/operation.ts";
import { child, textOf } from "../source/node.ts";
import type { EditorFiles, TextFile } from "./document.ts";
import { MARK, type MarkedValue, unmarked } from "./marked.ts";
import { stepAround } from "./steps.ts";

/** The expression at the cursor, the cursor's place in it, and the names that it may use. */
export interface ExpressionCursor {
  /** The text of the expression, without the mark. */
  readonly text: string;
  /** The cursor's place in the text, from 0. */
  readonly at: number;
  /** The names that the expression may use. */
  readonly scope: ExpressionScope;
}

/**
 * Runs a check up to the expression at the cursor, and returns the result of `look`; `undefined` if there is no expression. The scope is only valid during
 * `look`.
 */
export function lookAtExpression<T>(
  marked: MarkedValue,
  files: EditorFiles,
  look: (cursor: ExpressionCursor) => T,
): { readonly seen: T } | undefined {
  const seen = looked(marked.document, files, look);
  const other = seen === undefined ? withAnyOperation(marked) : undefined;
  return other === undefined ? seen : looked(other, files, look);
}

function looked<T>(
  { path, text }: TextFile,
  files: EditorFiles,
  look: (cursor: ExpressionCursor) => T,
): { readonly seen: T } | undefined {
  let seen: { readonly seen: T } | undefined;
  listenToCheck(path, text, files, (found) => {
    if (seen !== undefined || !found.text.includes(MARK)) return;
    const { value, at } = unmarked(found.text);
    seen = { seen: look({ text: value, at, scope: found.scope }) };
  });
  return seen;
}

const ANY_OPERATION = [...operations.values()].find(({ writes }) => !writes)?.name ?? "";

// A step is only checked once it has a `uses`. Until then, it is checked as if it read something.
function withAnyOperation({ parsed: { root }, document: { path, text }, path: keys }: MarkedValue): TextFile | undefined {
  const step = stepAround(root, keys);
  if (step === undefined || BLOCK_PARTS.some((part) => step.entries.has(part))) return undefined;
  const uses = step.entries.get("uses");
  if (operations.has(textOf(child(step, "uses")) ?? "")) return undefined;
  const { start } = step.range;
  if (uses === undefined) {
    const flow = text.startsWith("{", start);
    const indent = " ".repeat(start - text.lastIndexOf("\n", start) - 1);
    const [at, said] = flow ? [start + 1, `uses: ${ANY_OPERATION}, `] : [start, `uses: ${ANY_OPERATION}\n${indent}`];
    return { path, text: text.slice(0, at) + said + text.slice(at) };
  }
  return {
    path,
    text: `${text.slice(0, uses.key.start)}uses: ${ANY_OPERATION}${text.slice(Math.max(uses.key.end + 1, uses.value.range.end))}`,
  };
}
