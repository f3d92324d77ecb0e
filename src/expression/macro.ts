import type { ASTNode } from "./cel.ts";
import { unfitPair } from "./comparing/two-types.ts";

/** The form of the library's own macros. A macro checks and evaluates the node that has it (decision 16). */
export interface Macro {
  /** Returns the type of the node with the macro. */
  readonly typeCheck: (checker: Checker, macro: Macro, context: unknown) => unknown;
  /** Returns the value of the node with the macro. */
  readonly evaluate: (evaluator: Evaluator, macro: Macro, context: unknown) => unknown;
}

/** The library's type checker, which macros call for their parts. */
export interface Checker {
  /** Returns the type of a node. */
  readonly check: (node: ASTNode, context: unknown) => unknown;
  /** Returns the type with a name, such as `int`. */
  readonly getType: (name: string) => unknown;
}

/** The library's evaluator, which macros call for their parts. */
export interface Evaluator {
  /** Returns the value of a node. */
  readonly run: (node: ASTNode, context: unknown) => unknown;
  /** Returns the type of a value. Throws the Unforeseen of an unknown value. */
  readonly debugType: (value: unknown) => unknown;
}

interface Replaceable {
  readonly meta: { readonly macro?: Macro };
  readonly clone: (operator: object, args: unknown) => ASTNode;
  readonly setMeta: (key: "macro" | "async", value: unknown) => Replaceable;
}

/** Replaces the macro of a node in a new syntax tree. */
export function replace(node: ASTNode, macro: Macro): void {
  (node as unknown as Replaceable).setMeta("macro", macro).setMeta("async", false);
}

/** Returns the macro of a node, if it has one. */
export function macroOf(node: ASTNode): Macro | undefined {
  return (node as unknown as Replaceable).meta.macro;
}

/** Returns a node with the same parts that the library checks and evaluates in its own way. */
export function copyOf(node: ASTNode): ASTNode {
  const { meta, clone } = node as unknown as Replaceable;
  return clone.call(node, { ...meta, name: node.op }, node.args);
}

/** A macro that checks and evaluates another node, usually a copy of the replaced one. Subclasses change this. */
export class OwnMacro<Own extends ASTNode = ASTNode> implements Macro {
  /** The node that is checked and evaluated. */
  protected readonly own: Own;

  constructor(own: ASTNode) {
    this.own = own as Own;
  }

  typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
    return checker.check(this.own, context);
  }

  evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    return evaluator.run(this.own, context);
  }
}

// After the check, the library can evaluate values whose types are known only in a run.
type OwnPair = ASTNode & { readonly handle: (left: unknown, right: unknown, own: ASTNode, evaluator: Evaluator) => unknown };

/** The same for a node with two parts, whose values a subclass may use. */
export class PairMacro extends OwnMacro<OwnPair> {
  /** The two parts, in the order in which they are evaluated. */
  protected readonly parts: readonly [ASTNode, ASTNode];

  constructor(node: ASTNode, parts: readonly [ASTNode, ASTNode]) {
    super(copyOf(node));
    this.parts = parts;
  }

  override evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const [left, right] = this.parts;
    return this.ofValues(evaluator.run(left, context), evaluator.run(right, context), evaluator);
  }

  /** Returns the value of the node with the macro, from the values of its parts. */
  protected ofValues(left: unknown, right: unknown, evaluator: Evaluator): unknown {
    try {
      return this.own.handle(left, right, this.own, evaluator);
    } catch (error) {
      const isUnfit = (error as { readonly code?: string }).code === "no_such_overload";
      const why = isUnfit ? unfitPair(this.own.op, left, right) : undefined;
      throw why === undefined ? error : new RangeError(why, { cause: error });
    }
  }
}
