import { withinSteps } from "../../base/budget.ts";
import { isObject, type Json, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Expression, Scope } from "../expression.ts";
import type { Explanation, Remedy } from "./explanation.ts";
import { hintsOf } from "./hints.ts";
import { outlineOf, type Path } from "./outline.ts";
import { DissectedExpression } from "./source.ts";
import { touchedItems, treeOf } from "./tree.ts";

/** Explains why an expression does not hold: the same engine evaluates it again, part by part. Only for expressions that have failed. Never throws. */
export function explain(expression: Expression, scope: Scope): Explanation {
  try {
    return withinSteps("expressionSteps", () => explained(expression, scope));
  } catch {
    // A fault in the explanation must not hide the failure itself.
    const text = expression.text.trim();
    return { expression: text, tree: { expression: text }, hints: [] };
  }
}

function explained({ text, references }: Expression, scope: Scope): Explanation {
  const source = new DissectedExpression(text);
  const place = { scope, wanted: true, depth: LIMITS.explainedDepth };
  const tree = treeOf(source, source.tree, place) ?? { expression: source.textOf(source.tree) };
  const hints = bounded(hintsOf(source, source.tree, place));
  const { response } = scope;
  if (response === undefined || response === null) return { expression: text.trim(), tree, hints };
  const named = references.flatMap(({ root, path }) => pathInAnswer(scope, [root, ...path]));
  return { expression: text.trim(), tree, hints, response: outlineOf(response, [...named, ...touchedItems(source, place)]) };
}

// There may be many changes, so the sentence about them takes precedence.
function bounded(hints: readonly Remedy[]): readonly Remedy[] {
  let left: number = LIMITS.explainedChars;
  return hints.flatMap((hint) => {
    const { changes: _changes, ...sentence } = hint;
    const fitting = [hint, sentence].find((each) => writeJson(each).length <= left);
    left -= fitting === undefined ? 0 : writeJson(fitting).length;
    return fitting ?? [];
  });
}

// The answer has two names: `response`, and `steps.ID.response` for the step itself.
function pathInAnswer(scope: Scope, [root = "", ...path]: readonly string[]): readonly Path[] {
  if (root === "response") return [path];
  const [id = "", field, ...rest] = path;
  const steps = scope["steps"];
  const step: Json | undefined = isObject(steps) && Object.hasOwn(steps, id) ? steps[id] : undefined;
  return root === "steps" && field === "response" && isObject(step) && step["response"] === scope["response"] ? [rest] : [];
}
