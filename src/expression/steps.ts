import { isOutOfSteps, spend } from "../base/budget.ts";
import { isObject } from "../base/json/json.ts";
import { Decimal, stepsOfPair } from "../base/numbers/decimal.ts";
import { LIMITS } from "../base/limits.ts";
import type { ASTNode } from "./cel.ts";
import { copyOf, type Evaluator, macroOf, OwnMacro, PairMacro, replace } from "./macro.ts";
import { patternOf } from "./pattern.ts";
import { childrenOf, isComprehension } from "./syntax.ts";

/**
 * Makes the nodes of a new syntax tree count steps during evaluation: each round of a comprehension, and each operation by the length of
 * its values. Parts that are evaluated once are not counted, because an expression has few of them.
 */
export function countSteps(nodes: readonly ASTNode[]): void {
  for (const node of nodes) {
    const loop = loopOf(node);
    if (loop !== undefined) countRounds(node, loop);
    else if (node.op === "&&" || node.op === "||") countFailures(node.args);
    else if (macroOf(node) !== undefined) continue;
    else if (PAIRS.has(node.op)) replace(node, new CountedPair(node, node.args as readonly [ASTNode, ASTNode]));
    else if (node.op === "call" || node.op === "rcall") replace(node, new CountedCall(node));
  }
}

const PAIRS: ReadonlySet<string> = new Set(["-", "*", "%"]);

/** The library's loop of a comprehension, which asks before each round whether to continue. */
interface LibraryLoop {
  iterable: ASTNode;
  step: ASTNode;
  condition?: (accumulated: unknown) => boolean;
}

function loopOf(node: ASTNode): LibraryLoop | undefined {
  if (!isComprehension(node)) return undefined;
  const { alternate } = (node as unknown as { readonly meta: { readonly alternate?: { readonly args: LibraryLoop } } }).meta;
  return alternate?.args;
}

// Some loops treat an error as a value and continue. So each loop also ends when the steps are spent.
function countRounds(node: ASTNode, loop: LibraryLoop): void {
  const { condition } = loop;
  const [, ...parts] = childrenOf(node);
  const steps = 1 + parts.reduce((sum, part) => sum + partsOf(part), 0);
  loop.condition = (accumulated) => {
    if (isOutOfSteps()) return false;
    spend(steps);
    return condition === undefined || condition(accumulated);
  };
  loop.iterable = instead(loop.iterable, CountedKeys);
  loop.step = instead(loop.step, CountedFailure);
}

// The library treats an error of the left side as a value until it knows the right side.
function countFailures(sides: [ASTNode, ASTNode]): void {
  sides[0] = instead(sides[0], CountedFailure);
}

function instead(node: ASTNode, Counted: typeof CountedKeys | typeof CountedFailure): ASTNode {
  const copy = copyOf(node);
  replace(copy, new Counted(node));
  return copy;
}

// An inner comprehension counts its own rounds.
function partsOf(node: ASTNode): number {
  const parts = loopOf(node) === undefined ? childrenOf(node) : childrenOf(node).slice(0, 1);
  return parts.reduce((sum, part) => sum + partsOf(part), 1);
}

/** A loop over a map makes a list of the keys before its first round. */
class CountedKeys extends OwnMacro {
  override evaluate(evaluator: Evaluator, macro: unknown, context: unknown): unknown {
    const value = super.evaluate(evaluator, macro, context);
    if (isObject(value)) spend(stepsOfKeys(value));
    return value;
  }
}

const STEPS_OF_A_FAILURE = 200;

/** An error that is used as a value costs more than most values. */
class CountedFailure extends OwnMacro {
  override evaluate(evaluator: Evaluator, macro: unknown, context: unknown): unknown {
    try {
      return super.evaluate(evaluator, macro, context);
    } catch (error) {
      spend(STEPS_OF_A_FAILURE);
      throw error;
    }
  }
}

const STEPS_OF_A_KEY = 8;

function stepsOfKeys(map: object): number {
  return 1 + Object.keys(map).length * STEPS_OF_A_KEY;
}

class CountedPair extends PairMacro {
  protected override ofValues(left: unknown, right: unknown, evaluator: Evaluator): unknown {
    spendOnPair(left, right);
    return super.ofValues(left, right, evaluator);
  }
}

const STEPS_OF_NUMBERS = 10;
const CHARS_A_STEP = 8;

/** Counts the steps of an operation on two values. */
export function spendOnPair(left: unknown, right: unknown): void {
  if (typeof left === "string" && typeof right === "string") return spend(1 + (left.length + right.length) / CHARS_A_STEP);
  if (Array.isArray(left) && Array.isArray(right)) return spend(1 + left.length + right.length);
  spend(stepsOfPair(digitsOf(left), digitsOf(right)));
}

function digitsOf(value: unknown): number {
  return value instanceof Decimal ? value.digits : 1;
}

type Handle = (...args: readonly unknown[]) => unknown;
type OwnCall = ASTNode & { readonly handle: Handle };

/** Returns the message for a joined text that is too long. */
export function tooLongText(chars: number): string {
  return `it makes a text of ${chars} characters; the limit is ${LIMITS.textChars}`;
}

/** A function call. It reads its texts to their ends, and some functions read lists and maps. */
class CountedCall extends OwnMacro<OwnCall> {
  readonly #name: string;
  readonly #parts: readonly ASTNode[];

  constructor(node: ASTNode) {
    super(copyOf(node));
    this.#name = node.op === "call" || node.op === "rcall" ? node.args[0] : node.op;
    this.#parts = childrenOf(node);
  }

  override evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): unknown {
    const values: unknown[] = [];
    for (let at = this.#parts.length - 1; at >= 0; at--) values[at] = evaluator.run(this.#parts[at] as ASTNode, context);
    for (const value of values) spend(this.#stepsOf(value));
    this.#refuse(values);
    const { own } = this;
    return own.op === "call" ? own.handle(values, own, evaluator) : own.handle(values, evaluator, own);
  }

  #stepsOf(value: unknown): number {
    if (typeof value === "string") return 1 + value.length / (this.#name === "split" ? 1 : CHARS_A_STEP);
    if (value instanceof Uint8Array) return 1 + value.length / CHARS_A_STEP;
    if (this.#name === "size" && isObject(value)) return stepsOfKeys(value);
    if (this.#name === "sum" && Array.isArray(value))
      return value.reduce((sum: number, each) => sum + STEPS_OF_NUMBERS + digitsOf(each), 1);
    if (this.#name === "join" && Array.isArray(value))
      return value.reduce((sum: number, each) => sum + 1 + lengthOf(each) / CHARS_A_STEP, 1);
    return 1;
  }

  // For these functions, the work on a text is not proportional to its length.
  #refuse([first, second]: readonly unknown[]): void {
    if (this.#name === "re2" && typeof first === "string" && typeof second === "string")
      spend(patternOf(second).stepsFor(first.length));
    if (this.#name === "join" && Array.isArray(first)) spend((first.length * lengthOf(second)) / CHARS_A_STEP);
    if (this.#name.startsWith("get") && typeof second === "string") spend(STEPS_OF_A_TIME_ZONE);
  }
}

// A calendar is created for each time zone.
const STEPS_OF_A_TIME_ZONE = 2_000;

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
