import { Decimal } from "../../base/numbers/decimal.ts";
import { readEntity } from "../../base/entity.ts";
import { Expression, isProblem } from "../../expression/expression.ts";
import type { Assumption } from "../../expression/reference.ts";
import { isTypeName, itemType, type TypeEnvironment, type TypeName, type Variable } from "../../expression/types.ts";
import { type SourceNode, textOf } from "../../source/node.ts";
import { readBare } from "../expressions/bare-expression.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import type { CheckContext, ExpressionScope } from "../check-context.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { FOREACH, namesIn } from "../keywords/shared.ts";
import { checkLoopKeys } from "./foreach-keys.ts";
import { actorsValue } from "./identity.ts";
import type { Foreach } from "../model.ts";
import { withoutSecrets } from "../settings/secrets-and-variables.ts";
import { holdsExpression, wholeExpression } from "../expressions/expression-spans.ts";
import type { Spot, Surroundings } from "../expressions/expression-scope.ts";
import { expressionsIn, type Template } from "../expressions/template.ts";
import { listInPart } from "../types/lists-in-part.ts";

/** A `foreach` that was read, and the type of its item. */
export interface Loop {
  /** The loop; `undefined` if there is none, or it cannot be used. */
  readonly foreach: Foreach | undefined;
  /** The type of the item by its name; empty if there is no item. */
  readonly item: Readonly<Record<string, Variable>>;
}

const NONE: Loop = { foreach: undefined, item: {} };
const SHOWN_CHARS = 200;
const KEY_TYPES: ReadonlySet<TypeName> = new Set(["string", "int", "decimal", "dyn"]);

/** Reads a `foreach`: its list, the name of its items, and the key of its rounds. */
export function readForeach(
  node: SourceNode | undefined,
  { context, actors }: Pick<Surroundings, "context" | "actors">,
  around: ExpressionScope,
): Loop {
  if (node?.kind !== "map") return NONE;
  const scope = withoutSecrets(around);
  const { key: keyNode, parallel, ...rest } = fieldsOf(node, FOREACH);
  allRead(rest);
  const [[variable, entry] = [], second] = namesIn(node);
  if (variable === undefined || entry === undefined) return NONE;
  if (second !== undefined) {
    context.report(
      { code: "playbook.loop-name", message: `a foreach has one list, and this is another: "${second[0]}"` },
      second[1].key,
    );
    return NONE;
  }
  if (!canName(variable, scope.types)) {
    context.report(
      {
        code: "playbook.loop-name",
        message: `an item of a foreach cannot be called "${variable}"`,
        suggestion: "take a word of letters, digits and _ that means nothing else here, such as item",
      },
      entry.key,
    );
    return NONE;
  }
  const item = { [variable]: itemOf(entry.value, scope) };
  refusePlainText(entry.value, context);
  const list = compileTemplate(entry.value, { type: "array" }, context, scope);
  const under = [...(scope.under ?? []), ...certainOf(list, variable)];
  const key = readKey(keyNode, context, { ...scope, types: scope.types.with(item), under });
  if (key === undefined) return { foreach: undefined, item };
  const foreach = { variable, list, key, parallel };
  checkLoopKeys(foreach, entry.value, { actors: actorsValue(actors) }, context);
  return { foreach, item };
}

/** Reports rounds over a partial list, around or inside a comparison. */
export function refuseRoundsInPart(
  node: SourceNode | undefined,
  { foreach }: Loop,
  { context, lists }: Pick<Surroundings, "context" | "lists">,
): void {
  if (node === undefined || foreach === undefined) return;
  const cut = lists.cutIn(expressionsIn(foreach.list));
  if (cut !== undefined) context.report(listInPart(cut), node.range);
}

function readKey(node: SourceNode | undefined, context: CheckContext, scope: ExpressionScope): Expression | undefined {
  const checked = readBare(node, context, scope);
  if (node === undefined || checked === undefined || KEY_TYPES.has(checked.type)) return checked?.expression;
  const message = `the key of a round is a text or a number, and this is ${checked.type}`;
  return context.report({ code: "expression.wrong-type", message }, node.range);
}

/** Returns the spot in a loop, where the item has a name, and the conditions by which the list was filtered hold. */
export function insideLoop(spot: Spot, { foreach, item }: Loop): Spot {
  if (foreach === undefined) return spot;
  const under = [...spot.under, ...certainOf(foreach.list, foreach.variable)];
  return { ...spot, variables: { ...spot.variables, ...item }, types: spot.types.with(item), under };
}

function certainOf(list: Template, variable: string): readonly Assumption[] {
  return list.kind === "expression" ? list.expression.itemAssumptions(variable) : [];
}

// Returns whether a word can be a name: it must have no meaning in tokenbook, and not be a CEL type such as `list`.
function canName(variable: string, types: TypeEnvironment): boolean {
  const parsed = Expression.parse(variable);
  const meaning = types.check(variable);
  const isName = !isProblem(parsed) && parsed.references[0]?.root === variable;
  return isName && !RESERVED.has(variable) && !isTypeName(meaning) && meaning.code === "expression.unknown-name";
}

const RESERVED: ReadonlySet<string> = new Set(["response", "one"]);

/** Reports a text without an expression in the place of a list. */
export function refusePlainText(node: SourceNode | undefined, context: CheckContext): void {
  const text = textOf(node);
  if (node === undefined || text === undefined || holdsExpression(text)) return;
  context.report(
    {
      code: "expression.wrong-type",
      message: "this is a text; a list is expected here",
      suggestion: `for an expression write: "\${{ ${text.slice(0, SHOWN_CHARS)} }}"`,
    },
    node.range,
  );
}

// Only gives the loop's name a type. The list itself is checked as a template, and its problems are reported there.
function itemOf(node: SourceNode, scope: ExpressionScope): Variable {
  if (node.kind === "list") return { type: commonType(node.items), id: commonId(node.items, scope) };
  const whole = wholeExpression(textOf(node) ?? "");
  const list = whole === undefined ? undefined : scope.types.read(whole.text);
  if (list === undefined || "code" in list) return { type: "dyn" };
  return { type: itemType(list.type) ?? "dyn", id: list.id };
}

function commonType(items: readonly SourceNode[]): TypeName {
  const [first = "dyn", ...others] = new Set(items.map(typeOfWritten));
  return others.length === 0 ? first : "dyn";
}

// A quoted numeral may be meant as a number.
function typeOfWritten(node: SourceNode): TypeName {
  if (node.kind !== "scalar" || node.value === null) return "dyn";
  if (typeof node.value === "string") return isPlainText(node.value) ? "string" : "dyn";
  return typeof node.value === "boolean" ? "bool" : "decimal";
}

function isPlainText(text: string): boolean {
  return !holdsExpression(text) && Decimal.parse(text) === undefined && readEntity(text) === undefined;
}

function commonId(items: readonly SourceNode[], scope: ExpressionScope): Variable["id"] {
  const [first, ...rest] = items.map((item) => itemOf(item, scope).id);
  return rest.every((id) => id?.kind === first?.kind) ? first : undefined;
}
