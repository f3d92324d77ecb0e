import { dateProblem, parseDate } from "../../base/time/date.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { messageOf } from "../../base/failure.ts";
import { didYouMeanOr } from "../../base/text/text.ts";
import { patternOf } from "../../expression/pattern.ts";
import { child, type Range, type SourceNode, textOf, toJson } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { INPUT, PART, type InputPartFields } from "../keywords/input.ts";
import { allRead, fieldsOf, type Keyword } from "../keywords/keyword.ts";
import type { InputType, ValueShape } from "../declarations.ts";
import { coerce, shapeProblems, spellPath } from "./value-shape.ts";

/** Reads the shape of one input's value from its declaration. */
export class ShapeReader {
  readonly #name: string;
  readonly #context: CheckContext;

  constructor(name: string, context: CheckContext) {
    this.#name = name;
    this.#context = context;
  }

  /** Returns the shape that a declaration describes. Reports everything that is wrong in it. */
  shape(node: SourceNode, path: readonly string[]): ValueShape {
    const { pattern, minimum, maximum, items, minItems, maxItems, unique, enum: choices, ...named } = fieldsOf(node, PART);
    const { type: typeNode, description: _forPeople, properties, required, ...rest } = named;
    allRead(rest);
    const type = textOf(typeNode) as ValueShape["type"];
    const plain: ValueShape = {
      type,
      pattern: this.#pattern(pattern),
      minimum: written(minimum),
      maximum: written(maximum),
      items: items === undefined ? undefined : this.shape(items, [...path, "0"]),
      minItems,
      maxItems,
      unique: uniqueOf(unique),
      ...this.properties({ properties, required }, path),
    };
    const shape = choices?.kind === "list" ? { ...plain, enum: choices.items.map((item) => coerce(plain, toJson(item))) } : plain;
    this.checkRules(shape.type, node, path);
    this.#checkShape(shape, node, path);
    return shape;
  }

  /** Returns the fields of an object. All of them are required unless the declaration lists the required ones. */
  properties(
    { properties: fields, required }: Pick<InputPartFields, "properties" | "required">,
    path: readonly string[],
  ): Pick<ValueShape, "properties" | "required"> {
    if (fields?.kind !== "map") return {};
    const properties = new Map([...fields.entries].map(([name, { value }]) => [name, this.shape(value, [...path, name])]));
    if (required?.kind !== "list") return { properties, required: new Set(properties.keys()) };
    for (const item of required.items) {
      const name = textOf(item) ?? "";
      if (!properties.has(name)) this.#unknownField("required", name, { known: [...properties.keys()], place: item.range });
    }
    return { properties, required: new Set(required.items.map((item) => textOf(item) ?? "")) };
  }

  #unknownField(rule: "required" | "unique", name: string, { known, place }: { known: readonly string[]; place: Range }): void {
    this.#context.report(
      {
        code: `playbook.input-${rule}`,
        message: `"${name}" is not among the properties`,
        suggestion: didYouMeanOr(name, known, `they are: ${known.join(", ")}`),
      },
      place,
    );
  }

  /** Reports a rule that does not apply to the type, because it would never be checked. */
  checkRules(type: InputType | "any", node: SourceNode, path: readonly string[]): void {
    for (const [rule, { types }] of Object.entries<Keyword>(INPUT)) {
      const place = node.kind === "map" ? node.entries.get(rule)?.key : undefined;
      if (place === undefined || types === undefined || types.includes(type)) continue;
      this.#context.report(
        {
          code: "playbook.input-rule",
          message: `"${rule}" does not apply to "${spellPath(this.#name, path)}", which is of type ${type}`,
          suggestion: `it is for ${types.join(" and ")}`,
        },
        place,
      );
    }
  }

  #checkShape(shape: ValueShape, node: SourceNode, path: readonly string[]): void {
    this.checkBounds(shape, node);
    this.checkUnique(shape, child(node, "unique"));
    const choices = child(node, "enum");
    shape.enum?.forEach((choice, at) => {
      const place = choices?.kind === "list" ? choices.items[at]?.range : undefined;
      for (const problem of shapeProblems({ ...shape, enum: undefined }, choice)) {
        const message = `this choice of "${spellPath(this.#name, [...path, ...problem.path])}" ${problem.message}`;
        if (place !== undefined) this.#context.report({ code: "playbook.input-enum", message, suggestion: problem.fix }, place);
      }
    });
  }

  // A wrong pattern is reported, and not used.
  #pattern(node: SourceNode | undefined): string | undefined {
    const pattern = textOf(node);
    if (pattern === undefined || node === undefined) return undefined;
    try {
      patternOf(pattern);
      return pattern;
    } catch (error) {
      const message = `this pattern cannot be used: ${messageOf(error)}`;
      const suggestion = "patterns are RE2: no look-around, no back-references";
      this.#context.report({ code: "playbook.input-pattern", message, suggestion }, node.range);
      return undefined;
    }
  }

  /** Reports bounds that are not values of the type, and bounds that exclude every value. */
  checkBounds(shape: ValueShape, node: SourceNode): void {
    const { type } = shape;
    for (const rule of ["minimum", "maximum"] as const) {
      const bound = shape[rule];
      const place = child(node, rule);
      if (bound === undefined || place === undefined) continue;
      const number = type === "decimal" || type === "integer";
      const wrong = type === "date" ? dateProblem(bound) : number && Decimal.parse(bound) === undefined ? NO_NUMBER : undefined;
      if (wrong !== undefined)
        this.#context.report({ code: "playbook.input-bound", message: `"${bound}" ${wrong}` }, place.range);
    }
    const { minItems = 0, maxItems = Infinity } = shape;
    const none = minItems > maxItems ? "maxItems" : isAbove(shape) ? "maximum" : undefined;
    const place = none === undefined ? undefined : child(node, none);
    if (place === undefined) return;
    this.#context.report(
      {
        code: "playbook.input-bound",
        message: "no value is within these bounds",
        suggestion: "make the minimum less than the maximum",
      },
      place.range,
    );
  }

  /** Reports a `unique` that names no field of the items. */
  checkUnique({ unique, items }: ValueShape, node: SourceNode | undefined): void {
    if (typeof unique !== "string" || node === undefined) return;
    const known = [...(items?.properties?.keys() ?? [])];
    if (!known.includes(unique)) this.#unknownField("unique", unique, { known, place: node.range });
  }
}

const NO_NUMBER = "is no number";

/** Returns how the items of a list must differ: as a whole, or in one field. */
export function uniqueOf(node: SourceNode | undefined): true | string | undefined {
  if (node?.kind === "scalar" && node.value === true) return true;
  return textOf(node);
}

function written(node: SourceNode | undefined): string | undefined {
  return node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;
}

function isAbove({ type, minimum, maximum }: ValueShape): boolean {
  if (minimum === undefined || maximum === undefined) return false;
  if (type === "date") return Number(parseDate(minimum)) > Number(parseDate(maximum));
  const [least, most] = [Decimal.parse(minimum), Decimal.parse(maximum)];
  return least !== undefined && most !== undefined && least.compare(most) > 0;
}
