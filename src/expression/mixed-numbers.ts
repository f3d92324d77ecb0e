import { LIMITS } from "../base/limits.ts";
import type { ASTNode } from "./cel.ts";
import { type Checker, copyOf, type Evaluator, OwnMacro, PairMacro, replace } from "./macro.ts";
import { spendOnPair, tooLongText } from "./steps.ts";

/**
 * Makes the nodes of a new syntax tree accept whole numbers together with decimals, in the branches of `?:` and in lists that are added.
 * For the library they are two types, and a list has the type of its first item.
 */
export function useMixedNumbers(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "?:") replace(node, new ChoiceMacro(copyOf(node)));
    else if (node.op === "+") replace(node, new AdditionMacro(node, node.args));
  }
}

class ChoiceMacro extends OwnMacro {
  override typeCheck(checker: Checker, macro: unknown, context: unknown): unknown {
    try {
      return super.typeCheck(checker, macro, context);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "incompatible_ternary_branches") throw error;
      return checker.getType("dyn");
    }
  }
}

class AdditionMacro extends PairMacro {
  override typeCheck(checker: Checker, macro: unknown, context: unknown): unknown {
    const isList = (part: ASTNode): boolean => (checker.check(part, context) as { readonly kind: string }).kind === "list";
    return this.parts.every(isList) ? checker.getType("list<dyn>") : super.typeCheck(checker, macro, context);
  }

  protected override ofValues(left: unknown, right: unknown, evaluator: Evaluator): unknown {
    spendOnPair(left, right);
    if (typeof left === "string" && typeof right === "string" && left.length + right.length > LIMITS.textChars)
      throw new RangeError(tooLongText(left.length + right.length));
    return Array.isArray(left) && Array.isArray(right) ? [...left, ...right] : super.ofValues(left, right, evaluator);
  }
}
