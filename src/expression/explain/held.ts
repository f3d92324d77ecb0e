import { getOrInsert } from "../../base/maps.ts";
import { LIMITS } from "../../base/limits.ts";
import { Recent } from "../../base/recent.ts";
import type { ASTNode } from "../cel.ts";
import { Expression, type Scope } from "../expression.ts";
import { bindingIn, childrenOf, isAccess, isComparison, nodesOf } from "../syntax.ts";
import { comprehensionAt } from "./comprehension.ts";
import type { Glimpse } from "./explanation.ts";
import { isWithin, summaryOf } from "./glimpse.ts";
import { DissectedExpression } from "./source.ts";

/** A condition, and those of its parts that it compares or searches, with their values. */
export interface SeenCondition {
  /** The text of the condition. */
  readonly expression: string;
  /** The parts with their values, at most `LIMITS.heldValues`. Parts without a value are left out. */
  readonly values: readonly (Glimpse & { readonly expression: string })[];
}

/** Returns a condition that holds, with its values. Never throws. */
export function seenIn(condition: Expression, scope: Scope): SeenCondition {
  const { expression, operands } = partsOf(condition);
  const values = operands.flatMap((operand) => {
    try {
      const value = operand.evaluate(scope);
      return {
        expression: operand.text,
        ...(isWithin(value, LIMITS.heldValueChars) ? { value } : { summary: summaryOf(value) }),
      };
    } catch {
      return []; // a side that was not evaluated may have no value
    }
  });
  return { expression, values };
}

interface ConditionParts {
  readonly expression: string;
  readonly operands: readonly Expression[];
}

const known = new WeakMap<Expression, ConditionParts>();

// Remembered because rounds evaluate one condition many times.
function partsOf(condition: Expression): ConditionParts {
  const parts = getOrInsert(known, condition, () => parsedParts(condition));
  return parts;
}

// The conditions of one playbook often compare the same fields. Without this cache, parsing their operands took a twentieth of the time of
// a read step.
const operandsRead = new Recent((text) => Expression.parse(text));

function parsedParts({ text }: Expression): ConditionParts {
  const source = new DissectedExpression(text);
  const texts = new Set(operandsIn(source.tree).map((node) => source.textOf(node)));
  const operands = [...texts].slice(0, LIMITS.heldValues).flatMap((each) => {
    const parsed = operandsRead.of(each);
    return parsed instanceof Expression ? parsed : [];
  });
  return { expression: source.textOf(source.tree), operands };
}

const CONNECTIVES: ReadonlySet<string> = new Set(["&&", "||", "!_", "?:"]);

// A part that is itself a condition has no value worth showing: it holds.
function operandsIn(node: ASTNode): readonly ASTNode[] {
  if (CONNECTIVES.has(node.op)) return childrenOf(node).flatMap(operandsIn);
  if (isComparison(node) || node.op === "in") return childrenOf(node).filter(namesSomething);
  const comprehension = comprehensionAt(node);
  if (comprehension !== undefined) return [comprehension.list];
  const binding = bindingIn(node);
  if (binding !== undefined) return [binding.value].filter(namesSomething);
  return isAccess(node) ? [] : childrenOf(node).filter(namesSomething);
}

// A part without a name is a literal, or is computed from literals.
function namesSomething(node: ASTNode): boolean {
  return nodesOf(node).some(({ op }) => op === "id");
}
