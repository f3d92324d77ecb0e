import { isComparing, isOrder } from "./comparing/operators.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import type { ASTNode } from "./cel.ts";
import { childrenOf, fieldIn, typeOfPart, visitOf } from "./syntax.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** The kind of a text that is a date. A date may have several spellings. */
export const DATE_KIND = "date";

/** The kind of thing that a text identifies, such as `token`, and its origin. */
export interface IdKind {
  /** The kind, such as `token` or `vault`; `DATE_KIND` for the text of a date. */
  readonly kind: string;
  /** Where such ids come from: an operation that yields them, or a record that contains them. */
  readonly from: string;
}

/** An id of a known kind, or a list of such ids, in an expression. */
export interface KnownId extends IdKind {
  /** The text of the part with the id. */
  readonly text: string;
}

/** A comparison of ids of two different kinds. */
export interface MixedIds extends Stretch {
  /** The id before the operator. */
  readonly left: KnownId;
  /** The id after the operator. */
  readonly right: KnownId;
}

/** A date that is compared as a text. */
export interface DateAsText extends Stretch {
  /** The text of the part with the date. */
  readonly text: string;
  /** The operator that compares it. */
  readonly operator: string;
}

/** A text that is compared by size with a number in quotes. */
export interface NumberAsText extends Stretch {
  /** The text of the other part. */
  readonly text: string;
  /** The numeral between the quotes. */
  readonly numeral: string;
}

/** Returns the first comparison by size between a text and a number in quotes. */
export function numberAsText(nodes: readonly ASTNode[], text: string): NumberAsText | undefined {
  for (const node of nodes) {
    if (!isOrder(node.op)) continue;
    const [left, right] = node.args as readonly [ASTNode, ASTNode];
    const other = isNumeral(left) ? right : isNumeral(right) ? left : undefined;
    if (other === undefined) continue;
    const numeral = other === left ? right : left;
    const spelt = (part: ASTNode): string => text.slice(part.start, part.end).trim();
    return { text: spelt(other), numeral: spelt(numeral).slice(1, -1), start: left.start, end: right.end };
  }
  return undefined;
}

function isNumeral(node: ASTNode): boolean {
  return node.op === "value" && typeof node.args === "string" && Decimal.parse(node.args) !== undefined;
}

/** What is known of ids outside an expression. */
export interface KnownIds {
  /** Returns the kind of id in a field of a type; `undefined` if unknown. */
  readonly ofField: (type: string, field: string) => IdKind | undefined;
  /** Returns the kind of id in a variable; `undefined` if unknown. */
  readonly ofVariable: (name: string) => IdKind | undefined;
}

type IdScope = ReadonlyMap<string, IdKind | undefined>;

const NONE_BOUND: IdScope = new Map();

/** Follows ids through a type-checked syntax tree. A list of ids has the kind of its items. If a kind is uncertain, it counts as unknown. */
export class IdReader {
  readonly #text: string;
  readonly #known: KnownIds;

  constructor(text: string, known: KnownIds) {
    this.#text = text;
    this.#known = known;
  }

  /** Returns the id that an expression gives, if its kind is known. */
  idOf(node: ASTNode, bound: IdScope = NONE_BOUND): KnownId | undefined {
    const kind = this.#kindOf(node, bound);
    return kind === undefined ? undefined : { ...kind, text: this.#text.slice(node.start, node.end).trim() };
  }

  /** Returns the first comparison of ids of two different kinds. */
  mixedIn(node: ASTNode, bound: IdScope = NONE_BOUND): MixedIds | undefined {
    if (node.op === "==" || node.op === "!=" || node.op === "in") {
      const [left, right] = [this.idOf(node.args[0], bound), this.idOf(node.args[1], bound)];
      const isDate = left?.kind === DATE_KIND || right?.kind === DATE_KIND;
      if (left !== undefined && right !== undefined && left.kind !== right.kind && !isDate) {
        return { left, right, start: node.args[0].start, end: node.args[1].end };
      }
    }
    return this.#firstInside(node, bound, (child, inner) => this.mixedIn(child, inner));
  }

  /** Returns the first comparison of a date as a text with anything except null. */
  dateAsText(node: ASTNode, bound: IdScope = NONE_BOUND): DateAsText | undefined {
    if (isComparing(node.op) || node.op === "in") {
      const sides = node.args as readonly [ASTNode, ASTNode];
      const date = sides.map((side) => this.idOf(side, bound)).find((id) => id?.kind === DATE_KIND);
      if (date !== undefined && !sides.some(isNull))
        return { text: date.text, operator: node.op, start: sides[0].start, end: sides[1].end };
    }
    return this.#firstInside(node, bound, (child, inner) => this.dateAsText(child, inner));
  }

  #firstInside<Found>(
    node: ASTNode,
    bound: IdScope,
    find: (child: ASTNode, bound: IdScope) => Found | undefined,
  ): Found | undefined {
    const inner = this.#within(node, bound);
    for (const child of childrenOf(node)) {
      const found = find(child, inner);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #kindOf(node: ASTNode, bound: IdScope): IdKind | undefined {
    const field = fieldIn(node);
    if (field !== undefined) return this.#known.ofField(typeOfPart(field.owner) ?? "", field.name);
    switch (node.op) {
      case "id":
        return bound.has(node.args) ? bound.get(node.args) : this.#known.ofVariable(node.args);
      case "[]":
        return this.#kindOf(node.args[0], bound);
      case "?:":
        return this.#common([node.args[1], node.args[2]], bound);
      case "list":
        return this.#common(node.args, bound);
      case "rcall":
        return this.#kindOfCall(node, bound);
      default:
        return undefined;
    }
  }

  #kindOfCall(node: ASTNode, bound: IdScope): IdKind | undefined {
    const { kind, list, bodies = [] } = visitOf(node) ?? {};
    if (kind === "filter" && list !== undefined) return this.#kindOf(list, bound);
    const [result, ...more] = bodies;
    return kind === "map" && result !== undefined && more.length === 0
      ? this.#kindOf(result, this.#within(node, bound))
      : undefined;
  }

  #common(nodes: readonly ASTNode[], bound: IdScope): IdKind | undefined {
    const [first, ...rest] = nodes.map((each) => this.#kindOf(each, bound));
    return first !== undefined && rest.every((kind) => kind?.kind === first.kind) ? first : undefined;
  }

  #within(node: ASTNode, bound: IdScope): IdScope {
    const visit = visitOf(node);
    return visit === undefined ? bound : new Map([...bound, [visit.name, this.#kindOf(visit.list, bound)]]);
  }
}

function isNull(node: ASTNode): boolean {
  return node.op === "value" && node.args === null;
}
