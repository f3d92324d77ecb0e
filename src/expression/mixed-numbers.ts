import type { ASTNode } from "./cel.ts";
import { type Checker, copyOf, type Evaluator, type Macro, replace } from "./macro.ts";

/**
 * Has the nodes of a fresh syntax tree that is to be evaluated take whole numbers and decimals side by side in the branches of `?:` and in
 * lists that are added. To the library they are two types, and a list is one of what it holds first.
 */
export function useMixedNumbers(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "?:") replace(node, new Choice(node));
    else if (node.op === "+") replace(node, new Addition(node, node.args));
  }
}

class Choice implements Macro {
  readonly #own: ASTNode;

  constructor(node: ASTNode) {
    this.#own = copyOf(node);
  }

  typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
    try {
      return checker.check(this.#own, context);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "incompatible_ternary_branches") throw error;
      return checker.getType("dyn");
    }
  }

  evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    return evaluator.run(this.#own, context);
  }
}

type OwnAddition = ASTNode & {
  readonly handle: (left: unknown, right: unknown, own: ASTNode, evaluator: Evaluator) => unknown;
};

class Addition implements Macro {
  readonly #own: OwnAddition;
  readonly #left: ASTNode;
  readonly #right: ASTNode;

  constructor(node: ASTNode, [left, right]: readonly [ASTNode, ASTNode]) {
    this.#own = copyOf(node) as OwnAddition;
    this.#left = left;
    this.#right = right;
  }

  typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
    const isList = (side: ASTNode): boolean => (checker.check(side, context) as { readonly kind: string }).kind === "list";
    return isList(this.#left) && isList(this.#right) ? checker.getType("list<dyn>") : checker.check(this.#own, context);
  }

  evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const left = evaluator.run(this.#left, context);
    const right = evaluator.run(this.#right, context);
    return Array.isArray(left) && Array.isArray(right)
      ? [...left, ...right]
      : this.#own.handle(left, right, this.#own, evaluator);
  }
}
