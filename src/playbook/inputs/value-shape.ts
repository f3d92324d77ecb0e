import { meantAttribute, readEntity, severalAttributes } from "../../base/entity.ts";
import { DATE_FORM, dateProblem, parseDate } from "../../base/time/date.ts";
import { Decimal, DECIMAL_FORM, INTEGER_FORM } from "../../base/numbers/decimal.ts";
import { canonicalJson, isObject, type Json, type JsonObject, jsonEquals, writeJson } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import { mapValues } from "../../base/maps.ts";
import { count, didYouMeanOr } from "../../base/text/text.ts";
import { patternOf } from "../../expression/pattern.ts";
import type { ValueShape } from "../declarations.ts";
import type { SchemaViolation } from "../../schema/validator.ts";

/** What is wrong with a value, or with a part of it. */
export interface ShapeProblem extends Pick<SchemaViolation, "path" | "message"> {
  /** The place of the other part, at the end of the sentence. */
  readonly other?: readonly string[] | undefined;
  /** How to fix it. */
  readonly fix?: string | undefined;
}

/**
 * Converts a value to the types of its shape: quoted numerals become numbers, and `userId:alice` becomes an entity. `plain` means that
 * everything is text, as in a CSV file or on the command line. Wrong parts stay unchanged, so that `shapeProblems` reports them.
 */
export function coerce(shape: ValueShape, value: Json, plain = false): Json {
  return typeof value === "string" ? coerceText(shape, value, plain) : withParts(shape, value, coerce);
}

// Parts that the shape does not describe stay unchanged.
function withParts({ items, properties }: ValueShape, value: Json, map: (shape: ValueShape, part: Json) => Json): Json {
  if (Array.isArray(value)) return items === undefined ? value : value.map((item: Json) => map(items, item));
  if (properties === undefined || !isObject(value)) return value;
  return mapValues(value, (part, name) => {
    const property = properties.get(name);
    return property === undefined ? part : map(property, part);
  });
}

function coerceText({ type }: ValueShape, text: string, plain: boolean): Json {
  if (type === "decimal" || type === "integer") return Decimal.parse(text) ?? text;
  if (type === "entity") return entityOf(text) ?? text;
  if (type === "boolean" && plain) return text === "true" ? true : text === "false" ? false : text;
  return text;
}

function entityOf(text: string): JsonObject | undefined {
  const entity = severalAttributes(text) === undefined ? readEntity(text) : undefined;
  return entity === undefined ? undefined : { [entity.attribute]: entity.value };
}

/** Returns a value whose entities belong to an organization, like those of `actors`. */
export function withOrganization(shape: ValueShape, value: Json, orgId: string): Json {
  if (shape.type === "entity") return isObject(value) ? { orgId, ...value } : value;
  if (!holdsEntity(shape)) return value;
  return withParts(shape, value, (part, inner) => withOrganization(part, inner, orgId));
}

function holdsEntity({ type, items, properties }: ValueShape): boolean {
  if (type === "entity") return true;
  return (items !== undefined && holdsEntity(items)) || [...(properties?.values() ?? [])].some(holdsEntity);
}

/** Yields every problem of a value when it is found. */
export function* shapeProblems(shape: ValueShape, value: Json, path: readonly string[] = []): Generator<ShapeProblem> {
  const wrong = typeProblem(shape, value) ?? rangeProblem(shape, value) ?? choiceProblem(shape, value);
  if (wrong !== undefined) return yield { path, ...wrong };
  if (Array.isArray(value)) yield* listProblems(shape, value, path);
  else if (shape.type === "object" && isObject(value)) yield* objectProblems(shape, value, path);
  else if (shape.type === "entity" && isObject(value)) yield* entityProblems(value, path);
}

type WrongValue = Omit<ShapeProblem, "path">;

const SHOWN_CHARS = 80;

function shown(value: Json): string {
  return value === "" ? "empty" : writeJson(value).slice(0, SHOWN_CHARS);
}

const FITS: Readonly<Record<ValueShape["type"], (value: Json) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  decimal: (value) => value instanceof Decimal,
  integer: (value) => value instanceof Decimal && value.isInteger(),
  date: (value) => typeof value === "string",
  entity: (value) => isObject(value) && Object.keys(value).length > 0,
  list: (value) => Array.isArray(value),
  object: isObject,
  any: () => true,
};

function typeProblem({ type }: ValueShape, value: Json): WrongValue | undefined {
  const several = type === "entity" && typeof value === "string" ? severalAttributes(value) : undefined;
  const fix = several === undefined ? fixFor(type, value) : `several attributes are written as ${writeJson(several)}`;
  if (!FITS[type](value)) return { message: `must be of type ${type}, and is ${shown(value)}`, fix };
  const wrong = type === "date" && typeof value === "string" ? dateProblem(value) : undefined;
  return wrong === undefined ? undefined : { message: `is ${shown(value)}, which ${wrong}` };
}

// An entity may be an organization alone, with no other attribute.
function* entityProblems(value: JsonObject, path: readonly string[]): Generator<ShapeProblem> {
  for (const [name, each] of Object.entries(value)) {
    const at = [...path, name];
    const near = meantAttribute(name);
    if (typeof each !== "string" || each === "")
      yield { path: at, message: `must be a text, and is ${shown(each)}`, fix: "each attribute of an entity is a text" };
    else if (near !== undefined)
      yield { path: at, message: "is almost an attribute that entities have", fix: `did you mean "${near}"?` };
  }
}

const FIXES: Readonly<Partial<Record<ValueShape["type"], string>>> = {
  decimal: DECIMAL_FORM,
  integer: INTEGER_FORM,
  boolean: "true or false",
  date: DATE_FORM,
  entity: "an attribute and its value, such as userId:alice",
  list: 'items in brackets, such as ["a", 1]',
  object: 'names and values in braces, such as {"a": 1}',
};

function fixFor(type: ValueShape["type"], value: Json): string | undefined {
  if (type !== "string") return FIXES[type];
  if (value instanceof Decimal) return asText(value, value.isInteger() ? "integer" : "decimal");
  return typeof value === "boolean" ? asText(value, "boolean") : undefined;
}

function asText(value: Decimal | boolean, type: ValueShape["type"]): string {
  return `quote it: "${shown(value)}"; in an expression, write string(…) around it; or declare it with type: ${type}`;
}

function rangeProblem({ type, minimum, maximum }: ValueShape, value: Json): WrongValue | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  if (type === "date") return dateRangeProblem(minimum, maximum, value);
  if (!(value instanceof Decimal)) return undefined;
  const least = minimum === undefined ? undefined : Decimal.parse(minimum);
  const most = maximum === undefined ? undefined : Decimal.parse(maximum);
  if (least !== undefined && value.compare(least) < 0) return { message: `is ${value.text}, which is less than ${least.text}` };
  if (most !== undefined && value.compare(most) > 0) return { message: `is ${value.text}, which is more than ${most.text}` };
  return undefined;
}

function dateRangeProblem(minimum: string | undefined, maximum: string | undefined, value: Json): WrongValue | undefined {
  if (typeof value !== "string") return undefined;
  const at = timeOf(value);
  if (at < timeOf(minimum)) return { message: `is ${value}, which is before ${minimum}` };
  return at > timeOf(maximum) ? { message: `is ${value}, which is after ${maximum}` } : undefined;
}

// Without a bound, the result is NaN: no date is before or after it.
function timeOf(text: string | undefined): number {
  return parseDate(text ?? "")?.getTime() ?? Number.NaN;
}

function choiceProblem({ pattern, enum: choices }: ValueShape, value: Json): WrongValue | undefined {
  if (pattern !== undefined && typeof value === "string" && !patternOf(pattern).foundIn(value)) {
    return { message: `is ${JSON.stringify(value)}, which does not match ${pattern}` };
  }
  if (choices === undefined || choices.some((choice) => jsonEquals(choice, value))) return undefined;
  return {
    message: `must be one of ${choices.map((choice) => writeJson(choice)).join(", ")}`,
    fix: typeof value === "string" ? didYouMeanOr(value, choices.map(String), undefined) : undefined,
  };
}

function* listProblems(shape: ValueShape, items: readonly Json[], path: readonly string[]): Generator<ShapeProblem> {
  const { minItems, maxItems, items: each } = shape;
  if (minItems !== undefined && items.length < minItems)
    yield { path, message: `has ${count(items.length, "item")}, and must have at least ${minItems}` };
  if (maxItems !== undefined && items.length > maxItems)
    yield { path, message: `has ${count(items.length, "item")}, and must have at most ${maxItems}` };
  if (each !== undefined) for (const [at, item] of items.entries()) yield* shapeProblems(each, item, [...path, String(at)]);
  yield* repeated(shape, items, path);
}

function* repeated({ unique }: ValueShape, items: readonly Json[], path: readonly string[]): Generator<ShapeProblem> {
  if (unique === undefined) return;
  const first = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const value = unique === true ? item : field(item, unique);
    if (value === undefined) continue;
    const key = canonicalJson(value);
    const before = first.get(key);
    if (before === undefined) first.set(key, at);
    else
      yield {
        path: [...path, String(at), ...(unique === true ? [] : [unique])],
        message: `is ${shown(value)}, the same as`,
        other: [...path, String(before), ...(unique === true ? [] : [unique])],
        fix: "each may occur once",
      };
  }
}

function* objectProblems(
  { properties, required }: ValueShape,
  value: JsonObject,
  path: readonly string[],
): Generator<ShapeProblem> {
  if (properties === undefined) return;
  for (const name of required ?? []) {
    if (!Object.hasOwn(value, name)) yield { path, message: `lacks the field "${name}"` };
  }
  for (const [name, inner] of Object.entries(value)) {
    const property = properties.get(name);
    if (property === undefined) yield unknownField(path, name, properties);
    else yield* shapeProblems(property, inner, [...path, name]);
  }
}

// Only the first of many problems is shown, so only that one computes a similar name.
function unknownField(path: readonly string[], name: string, properties: ReadonlyMap<string, unknown>): ShapeProblem {
  return {
    path,
    message: `has an unknown field "${name}"`,
    get fix() {
      const known = [...properties.keys()];
      return didYouMeanOr(name, known, `known fields: ${known.join(", ")}`);
    },
  };
}

/** Describes a problem in a sentence. `locate` describes the place of a part. */
export function problemSentence({ path, message, other }: ShapeProblem, locate: (path: readonly string[]) => string): string {
  return `${locate(path)} ${message}${other === undefined ? "" : ` ${locate(other)}`}`;
}

/** Returns a part of a value as expressions write it: `holders[0].amount`; for a value without a name, `[0].amount` or `amount`. */
export function spellPath(name: string, path: readonly string[]): string {
  return path.reduce((spelt, key) => {
    if (/^\d+$/.test(key)) return `${spelt}[${key}]`;
    if (!/^[A-Za-z_]\w*$/.test(key)) return `${spelt}[${JSON.stringify(key)}]`;
    return spelt === "" ? key : `${spelt}.${key}`;
  }, name);
}
