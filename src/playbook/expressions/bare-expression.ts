import { type Expression, isCutOff } from "../../expression/expression.ts";
import { type ScalarNode, type SourceNode, textOf } from "../../source/node.ts";
import type { CheckContext, Checked, ExpressionScope } from "../check-context.ts";
import { holdsExpression } from "./expression-spans.ts";
import { warnOfConstant, warnOfNever } from "../predictions/warnings.ts";

const SHOWN_CHARS = 200;

/** Reads an expression without ${{ }}. If it is wrong, reports this and returns `undefined`. */
export function readBare(node: SourceNode | undefined, context: CheckContext, scope: ExpressionScope): Checked | undefined {
  if (node?.kind !== "scalar") return undefined;
  const text = String(node.value);
  return holdsExpression(text) ? refuseBraces(text, node, context) : context.expression(text, node, 0, scope);
}

/** Reads a condition over the answer of the service: a bare expression that is true or false. */
export function readCondition(
  node: SourceNode | undefined,
  context: CheckContext,
  scope: ExpressionScope,
): Expression | undefined {
  return readTruth(node, context, scope, warnOfConstant);
}

/** Reads the condition of a step. */
export function readGuard(node: SourceNode | undefined, context: CheckContext, scope: ExpressionScope): Expression | undefined {
  return readTruth(node, context, scope, warnOfNever);
}

function readTruth(
  node: SourceNode | undefined,
  context: CheckContext,
  scope: ExpressionScope,
  warn: typeof warnOfConstant | typeof warnOfNever,
): Expression | undefined {
  const checked = readBare(node, context, scope);
  if (checked === undefined || node === undefined) return undefined;
  if (checked.type === "bool" || checked.type === "dyn") {
    warn(checked.expression, node.range, context);
    return checked.expression;
  }
  return context.report(
    { code: "expression.wrong-type", message: `this must be true or false, and is ${checked.type}` },
    node.range,
  );
}

/** Reads one condition, or a list of them. */
export function readConditions(
  node: SourceNode | undefined,
  context: CheckContext,
  scope: ExpressionScope,
): readonly Expression[] {
  const items = node?.kind === "list" ? uncut(node.items, context) : node === undefined ? [] : [node];
  const conditions = items.map((item) => readCondition(item, context, scope));
  return conditions.every((condition) => condition !== undefined)
    ? conditions
    : conditions.filter((condition) => condition !== undefined);
}

function refuseBraces(text: string, node: ScalarNode, context: CheckContext): undefined {
  const bare = text.replaceAll(/\$\{\{ ?| ?\}\}/g, "").trim();
  return context.report(
    {
      code: "expression.not-bare",
      message: "this is an expression already: write it without ${{ }}",
      suggestion: `write: ${bare.slice(0, SHOWN_CHARS)}`,
    },
    node.range,
  );
}

// In [a, b], YAML splits at each comma, even inside an expression. So the text after such a half is not an item of its own.
function uncut(items: readonly SourceNode[], context: CheckContext): readonly SourceNode[] {
  const cut = items.findIndex((item) => isCutOff(textOf(item) ?? ""));
  const node = items[cut];
  if (node === undefined || cut === items.length - 1) return items;
  context.report(
    {
      code: "expression.cut-off",
      message: "YAML has split this expression at the comma",
      suggestion: "quote the whole expression, or write the list one item a line",
    },
    node.range,
  );
  return items.slice(0, cut);
}
