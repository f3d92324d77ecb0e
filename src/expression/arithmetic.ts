import { Decimal } from "../base/numbers/decimal.ts";
import { type ASTNode, numeral, whole } from "./cel.ts";
import { type Checker, type Evaluator, OwnMacro, PairMacro, replace } from "./macro.ts";
import { spendOnPair } from "./steps.ts";
import { Duration } from "./time/duration.ts";
import { Moment } from "./time/moment.ts";

/**
 * Makes the nodes of a new syntax tree compute exactly. The library rounds `7 / 2` to 3, and reads `int("")` as 0 and `int("0b11")` as 3. Its
 * `timestamp` and `duration` take what does not exist and cut off what is small: with a text, both give our own types.
 */
export function useExactArithmetic(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    if (node.op === "/") replace(node, new Division(node, node.args));
    else if (node.op === "call" && node.args[1].length === 1) {
      const [name, args] = node.args;
      if (name === "int") replace(node, new Whole(node, args));
      else if (name === "timestamp") replace(node, new Time(node, args, { type: "date", of: momentOf }));
      else if (name === "duration") replace(node, new Time(node, args, { type: "duration", of: durationOf }));
    }
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

/** A function of the library that gives one of our types. */
interface TimeFunction {
  readonly type: string;
  readonly of: (value: unknown) => unknown;
}

class Time extends OwnMacro<OwnCall> {
  readonly #of: ASTNode;
  readonly #time: TimeFunction;

  constructor(node: ASTNode, [of]: readonly ASTNode[], time: TimeFunction) {
    super(node);
    this.#of = of as ASTNode;
    this.#time = time;
  }

  override typeCheck(checker: Checker, macro: unknown, context: unknown): unknown {
    super.typeCheck(checker, macro, context);
    return checker.getType(this.#time.type);
  }

  override evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const value = evaluator.run(this.#of, context);
    return this.#time.of(value) ?? this.own.handle([value], this.own, evaluator);
  }
}

// What is neither is refused by the library.
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
