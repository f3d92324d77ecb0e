import type { Stretch } from "../../base/text/unescape.ts";
import type { ASTNode } from "../cel.ts";
import { fieldIn, typeOfPart } from "../syntax.ts";

/** Returns all values that a text in a field of a type can have; `undefined` if any text is possible. */
export type ValuesOf = (type: string, field: string) => readonly string[] | undefined;

/** A text that is compared with a value that it never has. */
export interface NoSuchValue extends Stretch {
  /** The text of the part that is compared. */
  readonly text: string;
  /** The value with which it is compared. */
  readonly value: string;
  /** The values that it can have. */
  readonly values: readonly string[];
  /** Whether the whole comparison is therefore in vain. In a list, other items may be possible. */
  readonly inVain: boolean;
}

/** Returns all values that a part of a checked tree can have; `undefined` if they are unknown. */
export function valuesOf(node: ASTNode, known: ValuesOf): readonly string[] | undefined {
  const field = fieldIn(node);
  return field === undefined ? undefined : known(typeOfPart(field.owner) ?? "", field.name);
}

/** Returns the first comparison of a text with a value that it never has. */
export function noSuchValueIn(nodes: readonly ASTNode[], text: string, known: ValuesOf): NoSuchValue | undefined {
  for (const pairs of nodes.map(comparedIn)) {
    const impossible = pairs.flatMap(([part, literal]) => {
      const value = textIn(literal);
      const values = value === undefined ? undefined : valuesOf(part, known);
      return value === undefined || values === undefined || values.includes(value) ? [] : [{ part, literal, value, values }];
    });
    const [first] = impossible;
    if (first === undefined) continue;
    const { part, literal, value, values } = first;
    const [spelt, { start, end }] = [text.slice(part.start, part.end).trim(), literal];
    return { text: spelt, value, values, inVain: impossible.length === pairs.length, start, end };
  }
  return undefined;
}

/** Returns the text of a literal; `undefined` for anything else. */
export function textIn(node: ASTNode): string | undefined {
  return node.op === "value" && typeof node.args === "string" ? node.args : undefined;
}

// Returns the pairs of parts that a node compares, each with the literal behind the other part.
function comparedIn(node: ASTNode): readonly (readonly [part: ASTNode, literal: ASTNode])[] {
  if (node.op !== "==" && node.op !== "!=" && node.op !== "in") return [];
  const [left, right] = node.args;
  const others = node.op !== "in" ? [right] : right.op === "list" ? right.args : [];
  return others.map((other) => (left.op === "value" ? [other, left] : [left, other]));
}
