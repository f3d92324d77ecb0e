import { Decimal } from "../base/decimal.ts";
import { type ASTNode, numeral, whole } from "./cel.ts";
import { type Checker, copyOf, type Evaluator, type Macro, replace } from "./macro.ts";

/**
 * Has the nodes of a fresh syntax tree reckon exactly where the library does not: it cuts `7 / 2` to 3, and reads `int("")` as 0 and
 * `int("0b11")` as 3.
 */
export function useExactArithmetic(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "/") replace(node, new Division(node, node.args));
    else if (node.op === "call" && node.args[0] === "int" && node.args[1].length === 1)
      replace(node, new Whole(node, node.args[1]));
  }
}

// What the library's own way knows once it was checked: what to do with values whose types only a run can tell.
type Checked<Handle> = ASTNode & { readonly handle: Handle };
type OwnDivision = Checked<(left: unknown, right: unknown, own: ASTNode, evaluator: Evaluator) => unknown>;
type OwnCall = Checked<(args: readonly unknown[], own: ASTNode, evaluator: Evaluator) => unknown>;

class Division implements Macro {
  readonly #own: OwnDivision;
  readonly #left: ASTNode;
  readonly #right: ASTNode;

  constructor(node: ASTNode, [left, right]: readonly [ASTNode, ASTNode]) {
    this.#own = copyOf(node) as OwnDivision;
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

class Whole implements Macro {
  readonly #own: OwnCall;
  readonly #of: ASTNode;

  constructor(node: ASTNode, [of]: readonly ASTNode[]) {
    this.#own = copyOf(node) as OwnCall;
    this.#of = of as ASTNode;
  }

  typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
    return checker.check(this.#own, context);
  }

  evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const value = evaluator.run(this.#of, context);
    return typeof value === "string" ? whole(numeral(value)) : this.#own.handle([value], this.#own, evaluator);
  }
}
