import { Decimal } from "../base/decimal.ts";
import type { Json } from "../base/json.ts";
import { patternOf } from "../expression/pattern.ts";
import { child, type MapNode, type SourceNode, textOf, toJson } from "../source/node.ts";
import type { CheckContext } from "./context.ts";
import { inputProblem } from "./inputs.ts";
import type { ActorDeclaration, Identity, InputDeclaration, InputType } from "./model.ts";

/** The `inputs` of a playbook; defaults are checked against their own declaration. */
export function readInputs(node: SourceNode | undefined, context: CheckContext): readonly InputDeclaration[] {
  if (node?.kind !== "map") return [];
  return [...node.entries].map(([name, { value }]) => readInput(name, value, context));
}

function readInput(name: string, node: SourceNode, context: CheckContext): InputDeclaration {
  const given = child(node, "default");
  const enumeration = child(node, "enum");
  const declaration: InputDeclaration = {
    name,
    type: textOf(child(node, "type")) as InputType,
    description: textOf(child(node, "description")),
    default: given === undefined ? undefined : coerceInput(textOf(child(node, "type")), toJson(given)),
    pattern: textOf(child(node, "pattern")),
    enum:
      enumeration?.kind === "list"
        ? enumeration.items.map((item) => coerceInput(textOf(child(node, "type")), toJson(item)))
        : undefined,
    minimum: numeral(child(node, "minimum")),
    maximum: numeral(child(node, "maximum")),
  };
  checkPattern(declaration, child(node, "pattern"), context);
  checkRules(declaration, node, context);
  const problem = declaration.default === undefined ? undefined : inputProblem(declaration, declaration.default);
  if (problem !== undefined && given !== undefined) {
    context.report({ code: "playbook.input-default", message: `the default of "${name}" ${problem}` }, given.range);
  }
  return declaration;
}

function checkPattern({ pattern }: InputDeclaration, node: SourceNode | undefined, context: CheckContext): void {
  if (pattern === undefined || node === undefined) return;
  try {
    patternOf(pattern);
  } catch (error) {
    const message = `this pattern cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    context.report(
      { code: "playbook.input-pattern", message, suggestion: "patterns are RE2: no look-around, no back-references" },
      node.range,
    );
  }
}

// A rule that says nothing about the input's type would be a check that is never made.
function checkRules(declaration: InputDeclaration, node: SourceNode, context: CheckContext): void {
  const { name, type } = declaration;
  for (const [rule, types] of Object.entries(RULES)) {
    const place = node.kind === "map" ? node.entries.get(rule)?.key : undefined;
    if (place === undefined || types.includes(type)) continue;
    context.report(
      {
        code: "playbook.input-rule",
        message: `"${rule}" says nothing about "${name}", which is of type ${type}`,
        suggestion: `it is for ${types.join(" and ")}`,
      },
      place,
    );
  }
  const choices = child(node, "enum");
  declaration.enum?.forEach((choice, at) => {
    const problem = inputProblem({ ...declaration, enum: undefined }, choice);
    const place = choices?.kind === "list" ? choices.items[at]?.range : undefined;
    if (problem !== undefined && place !== undefined)
      context.report({ code: "playbook.input-enum", message: `this choice of "${name}" ${problem}` }, place);
  });
}

const RULES: Readonly<Record<string, readonly InputType[]>> = {
  pattern: ["string"],
  minimum: ["decimal", "integer"],
  maximum: ["decimal", "integer"],
};

/** A decimal may be quoted, so that other YAML readers do not round it. */
export function coerceInput(type: string | undefined, value: Json): Json {
  return (type === "decimal" || type === "integer") && typeof value === "string" ? (Decimal.parse(value) ?? value) : value;
}

function numeral(node: SourceNode | undefined): string | undefined {
  return node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;
}

/** The `actors` of a playbook. */
export function readActors(node: SourceNode | undefined): ReadonlyMap<string, ActorDeclaration> {
  if (node?.kind !== "map") return new Map();
  return new Map([...node.entries].map(([name, { value }]) => [name, readActor(name, value)]));
}

function readActor(name: string, node: SourceNode): ActorDeclaration {
  if (node.kind === "list") return { name, group: true, identities: node.items.map(readIdentity) };
  return { name, group: false, identities: [readIdentity(node)] };
}

/** An identity such as `{ ledger: "userId:alice", investor: BUYER_KEY }`. */
export function readIdentity(node: SourceNode): Identity {
  const ledger = textOf(child(node, "ledger"));
  const colon = ledger?.indexOf(":") ?? -1;
  return {
    ledger: ledger === undefined ? undefined : { attribute: ledger.slice(0, colon), value: ledger.slice(colon + 1) },
    investor: textOf(child(node, "investor")),
  };
}

/** The map under a key of the playbook, if it has one. */
export function section(root: MapNode, name: string): SourceNode | undefined {
  return root.entries.get(name)?.value;
}
