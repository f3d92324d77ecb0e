import { Decimal } from "../base/numbers/decimal.ts";
import { type ASTNode, numeral, whole } from "./cel.ts";
import { type Checker, type Evaluator, OwnMacro, PairMacro, replace } from "./macro.ts";
import { spendOnPair } from "./steps.ts";

/**
 * Makes the nodes of a new syntax tree compute exactly. The library rounds `7 / 2` to 3, and reads `int("")` as 0 and `int("0b11")` as 3.
 */
export function useExactArithmetic(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "/") replace(node, new Division(node, node.args));
    else if (node.op === "call" && node.args[0] === "int" && node.args[1].length === 1)
      replace(node, new Whole(node, node.args[1]));
  }
}

class Division extends PairMacro {
  override typeCheck(checker: Checker, macro: unknown, context: unknown): unknown {
    const type = super.typeCheck(checker, macro, context);
    const int = checker.getType("int");
    return this.parts.every((part) => checker.check(part, context) === int) ? checker.getType("decimal") : type;
  }

  protected override ofValues(left: unknown, right: unknown, evaluator: Evaluator): unknown {
    spendOnPair(left, right);
    if (typeof left !== "bigint" || typeof right !== "bigint") return super.ofValues(left, right, evaluator);
    return Decimal.of(left).dividedBy(Decimal.of(right));
  }
}

type OwnCall = ASTNode & { readonly handle: (args: readonly unknown[], own: ASTNode, evaluator: Evaluator) => unknown };

class Whole extends OwnMacro<OwnCall> {
  readonly #of: ASTNode;

  constructor(node: ASTNode, [of]: readonly ASTNode[]) {
    super(node);
    this.#of = of as ASTNode;
  }

  override evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const value = evaluator.run(this.#of, context);
    return typeof value === "string" ? whole(numeral(value)) : this.own.handle([value], this.own, evaluator);
  }
}
