import { Decimal } from "../base/numbers/decimal.ts";
import { type ASTNode, numeral, whole } from "./cel.ts";
import { type Checker, copyOf, type Evaluator, OwnMacro, PairMacro, replace } from "./macro.ts";
import { spendOnPair } from "./steps.ts";
import { Duration } from "./time/duration.ts";
import { Moment } from "./time/moment.ts";

/**
 * Makes the nodes of a new syntax tree compute exactly. The library rounds `7 / 2` to 3, and reads `int("")` as 0 and `int("0b11")` as 3. Its
 * `timestamp` and `duration` accept values that do not exist, and cut off small fractions; for a text, both now give our own types.
 */
export function useExactArithmetic(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "/") replace(node, new Division(node, node.args));
    if (node.op !== "call") continue;
    const [name, [argument, ...more]] = node.args;
    const own = FUNCTIONS.get(name);
    if (own !== undefined && argument !== undefined && more.length === 0) replace(node, new CallMacro(node, argument, own));
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

type HandledCall = ASTNode & { readonly handle: (args: readonly unknown[], own: ASTNode, evaluator: Evaluator) => unknown };

/** A function of one value whose result differs from that of the library's function; `undefined` leaves the library's own. */
interface OwnFunction {
  readonly type: string;
  readonly of: (value: unknown) => unknown;
}

const FUNCTIONS: ReadonlyMap<string, OwnFunction> = new Map([
  ["int", { type: "int", of: wholeOf }],
  ["timestamp", { type: "date", of: momentOf }],
  ["duration", { type: "duration", of: durationOf }],
]);

class CallMacro extends OwnMacro<HandledCall> {
  readonly #argument: ASTNode;
  readonly #function: OwnFunction;

  constructor(node: ASTNode, argument: ASTNode, own: OwnFunction) {
    super(copyOf(node));
    this.#argument = argument;
    this.#function = own;
  }

  override typeCheck(checker: Checker, macro: unknown, context: unknown): unknown {
    super.typeCheck(checker, macro, context);
    return checker.getType(this.#function.type);
  }

  override evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const value = evaluator.run(this.#argument, context);
    return this.#function.of(value) ?? this.own.handle([value], this.own, evaluator);
  }
}

function wholeOf(value: unknown): bigint | undefined {
  return typeof value === "string" ? whole(numeral(value)) : undefined;
}

function momentOf(value: unknown): Moment | undefined {
  if (typeof value === "bigint") return Moment.ofSeconds(value);
  return typeof value === "string" ? Moment.of(value) : undefined;
}

function durationOf(value: unknown): Duration | undefined {
  if (typeof value !== "string") return undefined;
  const duration = Duration.read(value);
  if (typeof duration === "string") throw new RangeError(duration);
  return duration;
}
