import { readEntity } from "../../base/entity.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { resolve } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import type { Finding } from "../../source/diagnostic.ts";
import type { MapNode, Range, ScalarNode, SourceNode } from "../../source/node.ts";
import type { CheckContext, Checked, ExpressionScope } from "../check-context.ts";
import { checkEntityMap, checkEntityText, isEntity } from "../steps/entity-attributes.ts";
import { misplacedFinding } from "../types/id-kinds.ts";
import { adviceOnSpaces, holdsExpression, openingIn, type Span, spansIn, wholeExpression } from "./expression-spans.ts";
import type { Template } from "./template.ts";
import { kindOfType, kindsOf } from "../types/value-types.ts";
import { warnOfUnmarked } from "../predictions/warnings.ts";

/** Compiles a value to a template, and checks each expression in it against the schema of its place. */
export function compileTemplate(
  node: SourceNode,
  schema: JsonSchema | undefined,
  context: CheckContext,
  scope: ExpressionScope,
): Template {
  switch (node.kind) {
    case "scalar":
      return compileScalar(node, { schema, context, scope });
    case "list":
      return { kind: "list", items: node.items.map((item) => compileTemplate(item, itemSchema(schema), context, scope)) };
    case "map":
      return compileMap(node, schema, context, scope);
  }
}

const EXPRESSION_IN_KEY: Finding = {
  code: "expression.in-key",
  message: "this key has an expression, and would be sent as it is written",
  why: "the keys of a map are fixed; only its values can be expressions",
  suggestion: 'write the whole map as one expression: ${{ {"a" + inputs.b: 1} }}',
};

function compileMap(node: MapNode, schema: JsonSchema | undefined, context: CheckContext, scope: ExpressionScope): Template {
  checkEntityMap(node, schema, context);
  const entries = [...node.entries].map(([key, entry]) => {
    if (holdsExpression(key)) context.report(EXPRESSION_IN_KEY, entry.key);
    return [key, compileTemplate(entry.value, fieldSchema(schema, key), context, scope)] as const;
  });
  // An empty map is left alone, because it would become the whole organization.
  const isWithoutOrganization = isEntity(schema) && entries.length > 0 && !node.entries.has("orgId");
  return { kind: "object", entries: isWithoutOrganization ? [OF_ENVIRONMENT, ...entries] : entries };
}

const OF_ENVIRONMENT = ["orgId", { kind: "organization" }] as const;

interface TemplatePlace {
  readonly schema: JsonSchema | undefined;
  readonly context: CheckContext;
  readonly scope: ExpressionScope;
}

function compileScalar(node: ScalarNode, where: TemplatePlace): Template {
  const { value } = node;
  if (typeof value !== "string") return { kind: "literal", value };
  if (!holdsExpression(value)) {
    const entity = isEntity(where.schema) ? readEntity(value) : undefined;
    if (entity !== undefined) {
      checkEntityText(node, where.context);
      return { kind: "object", entries: [OF_ENVIRONMENT, [entity.attribute, { kind: "literal", value: entity.value }]] };
    }
    if (kindsOf(where.schema)?.has("string") !== false) warnOfUnmarked(value, node.range, where.context);
    return { kind: "literal", value: numeralWanted(where.schema, value) ?? value };
  }
  const whole = wholeExpression(value);
  if (whole !== undefined) return compileWhole(whole, node, where);
  return compileText(value, node, where);
}

function compileWhole({ text, from }: Span, node: ScalarNode, { schema, context, scope }: TemplatePlace): Template {
  const checked = context.expression(text, node, from, scope);
  if (checked === undefined) return { kind: "literal", value: null };
  const wanted = kindsOf(schema);
  const given = kindOfType(checked.type);
  if (wanted !== undefined && given !== undefined && !wanted.has(given)) {
    context.report(
      {
        code: "expression.wrong-type",
        message: `this gives ${WORDS[given] ?? given} (${checked.type}); here ${wantedWords(schema)} belongs`,
        why: resolve(schema ?? {}).description,
        suggestion: given === "string" ? textInstead(schema, `\${{${text}}}`) : undefined,
      },
      placeOf(text, node, from),
    );
  }
  checkId(checked, { schema, context, scope }, () => placeOf(text, node, from));
  return { kind: "expression", expression: checked.expression, number: wanted?.has("number") === true && !wanted.has("string") };
}

// A step that must fail may use a wrong id, and new things may have any name.
function checkId({ id, expression }: Checked, { schema, context, scope }: TemplatePlace, place: () => Range): void {
  if (scope.fails === true) return;
  if (scope.maybe !== true) context.inputKinds.note(expression.text, schema);
  const finding = misplacedFinding(id, schema, scope.makes);
  if (finding !== undefined) context.report(finding, place());
}

function compileText(value: string, node: ScalarNode, { schema, context, scope }: TemplatePlace): Template {
  const parts: Extract<Template, { kind: "text" }>["parts"][number][] = [];
  let at = 0;
  for (const { text, from, start, end } of spansIn(value)) {
    parts.push(value.slice(at, start));
    const checked = context.expression(text, node, from, scope);
    if (checked !== undefined) {
      parts.push(checked.expression);
      checkInText(checked, () => placeOf(text, node, from), context);
    }
    at = end;
  }
  const rest = value.slice(at);
  const open = openingIn(rest);
  if (open !== undefined) {
    const start = node.offsetOf(at + open.start);
    context.report(
      {
        code: "expression.unclosed",
        message: "this ${{ has no }}",
        suggestion: "close it with }}; inside [ ] or { }, quote it, because YAML splits those at each comma",
      },
      { start, end: start + open.end - open.start },
    );
  } else if (kindsOf(schema)?.has("string") === false) {
    const message = `this is text with expressions in it; here ${wantedWords(schema)} belongs`;
    context.report({ code: "expression.wrong-type", message, suggestion: textInstead(schema, value) }, node.range);
  }
  return { kind: "text", parts: [...parts, rest].filter((part) => part !== "") };
}

// Returns what to write if a text is in the place of another type.
function textInstead(schema: JsonSchema | undefined, text: string): string | undefined {
  const spaces = adviceOnSpaces(text);
  if (spaces !== undefined) return spaces;
  if (isEntity(schema)) {
    const [, attribute = "userId", value = text] = /^(\w+):(.*)$/s.exec(text) ?? [];
    return `write { ${attribute}: ${JSON.stringify(value)} }`;
  }
  return kindsOf(schema)?.has("number") === true ? "write decimal(…) around a text that holds a number" : undefined;
}

function checkInText({ type }: Checked, place: () => Range, context: CheckContext): void {
  const kind = kindOfType(type);
  if (kind !== "object" && kind !== "array" && kind !== "null") return;
  context.report(
    { code: "expression.wrong-type", message: `this gives ${WORDS[kind] ?? kind} (${type}), which cannot be part of a text` },
    place(),
  );
}

function placeOf(text: string, node: ScalarNode, from: number): Range {
  const leading = text.length - text.trimStart().length;
  return { start: node.offsetOf(from + leading), end: node.offsetOf(from + text.trimEnd().length) };
}

function wantedWords(schema: JsonSchema | undefined): string {
  if (isEntity(schema)) return "an entity";
  return [...(kindsOf(schema) ?? [])].map((kind) => WORDS[kind] ?? kind).join(" or ");
}

/** People quote quantities so that other YAML readers do not round them. "100.00" is a number where a number is expected. */
export function numeralWanted(schema: JsonSchema | undefined, text: string): Decimal | undefined {
  const kinds = kindsOf(schema);
  return kinds?.has("number") === true && !kinds.has("string") ? Decimal.parse(text) : undefined;
}

/** Returns the schema of an object's field, also from the branches of a choice. */
export function fieldSchema(schema: JsonSchema | undefined, field: string): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const resolved = resolve(schema);
  const branches = resolved.oneOf ?? resolved.anyOf;
  if (branches !== undefined) return branches.map((branch) => fieldSchema(branch, field)).find((found) => found !== undefined);
  const { properties = {} } = resolved;
  if (Object.hasOwn(properties, field)) return properties[field];
  return typeof resolved.additionalProperties === "object" ? resolved.additionalProperties : undefined;
}

/** Returns the schema of a list's items. */
export function itemSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const resolved = resolve(schema);
  const branches = resolved.oneOf ?? resolved.anyOf;
  return branches === undefined ? resolved.items : branches.map(itemSchema).find((found) => found !== undefined);
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};
