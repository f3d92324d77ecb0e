import { Decimal } from "../base/decimal.ts";
import type { ASTNode } from "./cel.ts";
import { type Checker, copyOf, type Evaluator, type Macro, replace } from "./macro.ts";

/** Has each `/` among the nodes of a fresh syntax tree divide whole numbers exactly, as it does all others: the library cuts `7 / 2` to 3. */
export function useExactDivision(nodes: readonly ASTNode[]): void {
  for (const node of nodes) if (node.op === "/") replace(node, new Division(node, node.args));
}

// What the library's own division knows once it was checked: how two values are divided whose types only a run can tell.
type Own = ASTNode & { readonly handle: (left: unknown, right: unknown, own: Own, evaluator: Evaluator) => unknown };

class Division implements Macro {
  readonly #own: Own;
  readonly #left: ASTNode;
  readonly #right: ASTNode;

  constructor(node: ASTNode, [left, right]: readonly [ASTNode, ASTNode]) {
    this.#own = copyOf(node) as Own;
    this.#left = left;
    this.#right = right;
  }

  typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
    const type = checker.check(this.#own, context);
    const int = checker.getType("int");
    return [this.#left, this.#right].every((side) => checker.check(side, context) === int) ? checker.getType("decimal") : type;
  }

  evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const left = evaluator.run(this.#left, context);
    const right = evaluator.run(this.#right, context);
    if (typeof left !== "bigint" || typeof right !== "bigint") return this.#own.handle(left, right, this.#own, evaluator);
    return Decimal.of(left).dividedBy(Decimal.of(right));
  }
}
