import { Decimal } from "../../base/numbers/decimal.ts";
import type { Stretch } from "../../base/text/unescape.ts";
import { type ASTNode, exact } from "../cel.ts";
import { isFoundInAll, patternOf } from "../pattern.ts";
import { type ComparisonOperator, MIRRORED } from "../comparing/operators.ts";
import { childrenOf, isComparison, nodesOf, visitOf } from "../syntax.ts";
import { textIn, type ValuesOf, valuesOf } from "./enumerated.ts";

/** A part of an expression that is always true, or never, although it reads something. */
export interface CertainPart extends Stretch {
  /** The text of the part. */
  readonly text: string;
  /** Whether it is always true. */
  readonly holds: boolean;
  readonly why: string;
}

type Certain = Pick<CertainPart, "holds" | "why">;

/** Returns the first part of a checked tree that has the same truth value whatever its names hold. It looks at each part by itself. */
export function certainIn(nodes: readonly ASTNode[], text: string, known: ValuesOf): CertainPart | undefined {
  const reader = new CertainReader(text, known);
  for (const node of nodes) {
    const found = reader.of(node);
    if (found !== undefined && nodesOf(node).some(({ op }) => op === "id"))
      return { ...found, text: reader.textOf(node), start: node.start, end: node.end };
  }
  return undefined;
}

/** Returns the list of a condition that is surely true when its lists are empty, because all of its parts are about each item of a list. */
export function listThatMayBeEmpty(tree: ASTNode): ASTNode | undefined {
  const visits = partsOf(tree, "&&").map((part) => visitOf(part));
  return visits.every((visit) => visit?.kind === "all" && visit.list.op !== "list") ? visits[0]?.list : undefined;
}

class CertainReader {
  readonly #text: string;
  readonly #known: ValuesOf;

  constructor(text: string, known: ValuesOf) {
    this.#text = text;
    this.#known = known;
  }

  textOf({ start, end }: ASTNode): string {
    return this.#text.slice(start, end).trim();
  }

  of(node: ASTNode): Certain | undefined {
    if (isComparison(node)) return this.#compared(node.op, node.args);
    switch (node.op) {
      case "in":
        return isEmptyList(node.args[1]) ? { holds: false, why: "nothing is in an empty list" } : undefined;
      case "&&":
      case "||":
        return this.#joined(node.op, node);
      case "call":
        return node.args[0] === "re2" ? this.#tested("re2", node.args[1]) : undefined;
      case "rcall":
        return this.#visited(node) ?? this.#tested(node.args[0], [node.args[1], ...node.args[2]]);
      default:
        return undefined;
    }
  }

  #compared(operator: ComparisonOperator, [left, right]: readonly [ASTNode, ASTNode]): Certain | undefined {
    if (this.textOf(left) === this.textOf(right)) return { holds: EQUAL.has(operator), why: "both sides are the same" };
    return sizeCompared(operator, left, right) ?? sizeCompared(MIRRORED[operator], right, left);
  }

  // `x != "a" || x != "b"` is the usual mistake: no x is both.
  #joined(operator: "&&" | "||", node: ASTNode): Certain | undefined {
    const parts = partsOf(node, operator);
    const decisive = operator === "||";
    if (parts.some((part) => part.op === "value" && part.args === decisive))
      return { holds: decisive, why: `${decisive} decides it, whatever the rest is` };
    const compared = parts.filter(({ op }) => op === (decisive ? "!=" : "==")).map((part) => this.#fixed(part));
    for (const [at, one] of compared.entries()) {
      const other = compared
        .slice(at + 1)
        .find((each) => one !== undefined && each?.part === one.part && each.value !== one.value);
      if (one !== undefined && other !== undefined)
        return { holds: decisive, why: `${one.part} cannot be both ${one.value} and ${other.value}` };
    }
    return undefined;
  }

  #fixed(node: ASTNode): { readonly part: string; readonly value: string } | undefined {
    const [left, right] = childrenOf(node);
    if (left === undefined || right === undefined) return undefined;
    const [part, literal] = left.op === "value" ? [right, left] : [left, right];
    const value = numberIn(literal)?.canonical() ?? (literal.op === "value" ? JSON.stringify(literal.args) : undefined);
    return value === undefined ? undefined : { part: this.textOf(part), value };
  }

  #tested(name: string, [part, wanted]: readonly ASTNode[]): Certain | undefined {
    const test = TESTS[name];
    const literal = wanted === undefined ? undefined : textIn(wanted);
    if (test === undefined || part === undefined || literal === undefined || textIn(part) !== undefined) return undefined;
    const values = valuesOf(part, this.#known);
    if (values === undefined) return test.always(literal);
    const holds = test.holds(values[0] ?? "", literal);
    return values.every((value) => test.holds(value, literal) === holds)
      ? { holds, why: `${this.textOf(part)} is one of: ${values.join(", ")}` }
      : undefined;
  }

  #visited(node: ASTNode): Certain | undefined {
    const { kind, bodies = [] } = visitOf(node) ?? {};
    const [body] = bodies;
    if (body?.op !== "value" || typeof body.args !== "boolean") return undefined;
    if (kind === "all" && body.args) return { holds: true, why: "true holds for each item" };
    return kind === "exists" && !body.args ? { holds: false, why: "false holds for no item" } : undefined;
  }
}

const EQUAL: ReadonlySet<ComparisonOperator> = new Set(["==", "<=", ">="] as const);

function sizeCompared(operator: ComparisonOperator, size: ASTNode, literal: ASTNode): Certain | undefined {
  const number = isSize(size) ? numberIn(literal) : undefined;
  if (number === undefined) return undefined;
  const sign = number.compare(Decimal.of(0n));
  const why = "a size is a whole number from 0";
  if (sign < 0 || (sign === 0 && (operator === ">=" || operator === "<")))
    return { holds: operator === ">" || operator === ">=" || operator === "!=", why };
  if (number.isInteger() || (operator !== "==" && operator !== "!=")) return undefined;
  return { holds: operator === "!=", why };
}

function isSize(node: ASTNode): boolean {
  return (node.op === "call" || node.op === "rcall") && node.args[0] === "size";
}

function numberIn(node: ASTNode): Decimal | undefined {
  if (node.op === "-_") return numberIn(node.args)?.negated();
  if (node.op !== "value") return undefined;
  const { args } = node;
  return args instanceof Decimal || typeof args === "bigint" ? exact(args) : undefined;
}

function isEmptyList(node: ASTNode): boolean {
  return node.op === "list" && node.args.length === 0;
}

function partsOf(node: ASTNode, operator: "&&" | "||"): readonly ASTNode[] {
  return node.op === operator ? childrenOf(node).flatMap((part) => partsOf(part, operator)) : [node];
}

interface TextTest {
  /** Returns whether it holds for a text. */
  readonly holds: (text: string, literal: string) => boolean;
  /** Returns whether it holds for every text, or for none. */
  readonly always: (literal: string) => Certain | undefined;
}

const emptyIn = (literal: string): Certain | undefined =>
  literal === "" ? { holds: true, why: "every text has the empty text in it" } : undefined;

const TESTS: Readonly<Partial<Record<string, TextTest>>> = {
  contains: { holds: (text, literal) => text.includes(literal), always: emptyIn },
  startsWith: { holds: (text, literal) => text.startsWith(literal), always: emptyIn },
  endsWith: { holds: (text, literal) => text.endsWith(literal), always: emptyIn },
  re2: {
    holds: (text, literal) => patternOf(literal).foundIn(text),
    always: (literal) =>
      isFoundInAll(patternOf(literal)) ? { holds: true, why: "the pattern is found in every text" } : undefined,
  },
};
