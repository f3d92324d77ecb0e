import { Decimal } from "../../base/numbers/decimal.ts";
import { type ASTNode, shownValue } from "../cel.ts";
import { type Evaluator, PairMacro, replace } from "../macro.ts";
import { spendOnPair } from "../steps.ts";
import { HOLDS_OF, isOrder } from "./operators.ts";

/**
 * Makes the nodes of a new syntax tree refuse to order two texts that are numbers, unless the order of letters and that of numbers agree. A service may keep
 * numbers as texts, and for letters "9" is more than "10" (decision 226).
 */
export function useClearTextOrder(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (isOrder(node.op)) replace(node, new OrderMacro(node, node.args as readonly [ASTNode, ASTNode], HOLDS_OF[node.op]));
  }
}

class OrderMacro extends PairMacro {
  readonly #holds: (sign: number) => boolean;

  constructor(node: ASTNode, parts: readonly [ASTNode, ASTNode], holds: (sign: number) => boolean) {
    super(node, parts);
    this.#holds = holds;
  }

  protected override ofValues(left: unknown, right: unknown, evaluator: Evaluator): unknown {
    spendOnPair(left, right);
    const result = super.ofValues(left, right, evaluator);
    if (typeof left === "string" && typeof right === "string") this.#assertClear(left, right, result);
    return result;
  }

  #assertClear(left: string, right: string, result: unknown): void {
    const [one, other] = [numberIn(left), numberIn(right)];
    if (one === undefined || other === undefined || this.#holds(one.compare(other)) === result) return;
    throw new RangeError(
      `this compares the texts ${shownValue(left)} and ${shownValue(right)} letter by letter, and as numbers they have another order: write decimal(…) around both`,
    );
  }
}

const BEGINS = /^[-+]?\.?\d/;

function numberIn(text: string): Decimal | undefined {
  return BEGINS.test(text) ? Decimal.parse(text) : undefined;
}
