import { LIMITS } from "../../base/limits.ts";
import { Failure } from "../../base/failure.ts";
import { count, didYouMeanOr } from "../../base/text/text.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { child, entriesIn, type SourceNode, textOf, toJson } from "../../source/node.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import { checkGroupsOf } from "../settings/concurrency.ts";
import type { ExpressionScope } from "../check-context.ts";
import { isShipped, resolvePlaybook, type ShippedPlaybooks } from "../playbook-files.ts";
import { readHead } from "./step-head.ts";
import { givenProblems } from "../inputs/given-inputs.ts";
import { allRead } from "../keywords/keyword.ts";
import type { UseFields } from "../keywords/step.ts";
import type { InputKinds } from "../types/id-kinds.ts";
import type { CheckedPlaybook, NotIncluded } from "../included-playbooks.ts";
import type { IncludeStep, Playbook } from "../model.ts";
import type { InputDeclaration } from "../declarations.ts";
import type { Outline } from "../outline.ts";
import { withoutSecrets } from "../settings/secrets-and-variables.ts";
import { checkFields, mustNotWrite } from "./call-rules.ts";
import { holdsExpression } from "../expressions/expression-spans.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";
import { expressionsIn, type Template } from "../expressions/template.ts";
import { listInPart } from "../types/lists-in-part.ts";
import { compares, writesOf } from "../playbook-walk.ts";

/** Returns the playbook that a step includes, with the types of its outputs, or why it cannot be used. */
export function includedAt(
  { fields }: Outline,
  around: Pick<Surroundings, "context" | "included">,
): CheckedPlaybook | NotIncluded {
  const path = resolvePlaybook(around.context.file.path, textOf(fields.uses) ?? "");
  try {
    return around.included.find(path);
  } catch (error) {
    if (error instanceof Failure) return { unreadable: error };
    throw error;
  }
}

/** Checks and compiles a step that runs another playbook. */
export function readInclude(outline: Outline, spot: Spot, around: Surroundings): IncludeStep | undefined {
  const { node } = outline;
  checkFields(node, "include", around.context);
  const { uses, with: given, ...rest }: UseFields = outline.fields;
  allRead(rest);
  const name = textOf(uses) ?? "";
  const checked = includedAt(outline, around);
  if (typeof checked === "string" || !("playbook" in checked)) {
    const finding =
      checked === "missing" && isShipped(name) ? notShipped(name, around.included.files?.shipped) : notIncluded(name, checked);
    return around.context.report(finding, uses?.range ?? node.range);
  }
  const { playbook, diagnostics, inputKinds } = checked;
  if (playbook === undefined) return around.context.report(brokenInclude(name, diagnostics), uses?.range ?? node.range);
  const { common, inside } = readHead(outline, playbook.name, spot, around);
  const inputs = readIncludeInputs(
    { place: uses ?? node, given },
    { playbook, inputKinds },
    around,
    withoutSecrets(scopeAt(around, inside, { id: outline.id })),
  );
  const step: IncludeStep = { kind: "include", ...common, uses: name, playbook, inputs };
  checkGroupsOf(step, given, around.context);
  if (around.readOnly && compares(playbook)) refuseInPart(step, outline, around);
  if (around.readOnly) refuseWrites(step, uses, around);
  return step;
}

// The included playbook compares the items of its rounds, and the lists that it gets as inputs.
function refuseInPart({ playbook, inputs }: IncludeStep, outline: Outline, { context, lists }: Surroundings): void {
  const { node, fields } = outline;
  const rounds = lists.cutInRounds(outline);
  if (rounds !== undefined) context.report(listInPart(rounds), (fields.foreach ?? node).range);
  for (const { name, shape } of playbook.inputs) {
    const template = shape.type === "list" ? inputs.get(name) : undefined;
    const cut = template && lists.cutIn(expressionsIn(template));
    if (cut !== undefined) context.report(listInPart(cut), (child(fields.with, name) ?? node).range);
  }
}

function brokenInclude(name: string, diagnostics: CheckedPlaybook["diagnostics"]): Finding {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  return {
    code: "playbook.include-broken",
    message: `${name} has ${count(errors.length, "mistake")} of its own`,
    suggestion: first === undefined ? undefined : `fix ${first.file}:${first.line}:${first.column} first: ${first.message}`,
  };
}

function notIncluded(name: string, why: NotIncluded): Finding {
  if (typeof why === "object" && "unreadable" in why) {
    const { message, next } = why.unreadable;
    return { code: "playbook.include-missing", message, suggestion: next };
  }
  if (typeof why === "object" && "refused" in why) {
    const { message, ...rest } = why.refused;
    return { code: "playbook.include-missing", message: `${name} ${message}`, ...rest };
  }
  if (typeof why === "object") {
    return {
      code: "playbook.include-cycle",
      message: `this playbook would run itself: ${why.cycle.join(" → ")}`,
      suggestion: "remove the step, or split what both need into a playbook of its own",
    };
  }
  const message = {
    missing: `there is no file ${name}`,
    "too-deep": `${name} is included more than ${LIMITS.includeDepth} levels deep`,
    "too-many": `this playbook includes more than ${LIMITS.includes} others`,
  }[why];
  const suggestion = why === "missing" ? "paths are relative to the playbook that names them" : undefined;
  return { code: "playbook.include-missing", message, suggestion };
}

function notShipped(name: string, shipped: ShippedPlaybooks | undefined): Finding {
  const otherwise = "`tokenbook library` lists them; name your own file from its folder, as in ./mint.yaml";
  return {
    code: "playbook.include-missing",
    message: `no playbook "${name}" is in the library`,
    suggestion: didYouMeanOr(name, shipped?.names ?? [], otherwise),
  };
}

function readIncludeInputs(
  { place, given }: { readonly place: SourceNode; readonly given: SourceNode | undefined },
  { playbook, inputKinds }: { readonly playbook: Playbook; readonly inputKinds: InputKinds },
  { context }: Surroundings,
  scope: ExpressionScope,
): ReadonlyMap<string, Template> {
  const declared = new Map(playbook.inputs.map((input) => [input.name, input]));
  const inputs = entriesIn(given).flatMap(([name, { key, value }]) => {
    const input = declared.get(name);
    if (input === undefined) {
      context.report(unknownInput(name, playbook), key);
      return [];
    }
    const [problem] = holdsAny(value) ? [] : givenProblems(input, toJson(value));
    if (problem !== undefined) context.report({ code: "playbook.include-input", message: problem }, value.range);
    return [[name, compileTemplate(value, schemaOf(input, inputKinds), context, scope)] as const];
  });
  const missing = playbook.inputs.filter(({ name, default: value }) => value === undefined && child(given, name) === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ name, type }) => `${name} (${type})`).join(", ");
    const message = `${playbook.file} must be given ${names}`;
    context.report(
      { code: "playbook.include-input", message, suggestion: `give ${missing.length === 1 ? "it" : "them"} under with:` },
      place.range,
    );
  }
  return new Map(inputs);
}

function unknownInput(name: string, playbook: Playbook): Finding {
  const names = playbook.inputs.map((input) => input.name);
  const known = names.length === 0 ? `${playbook.file} takes no inputs` : `it takes: ${names.join(", ")}`;
  return {
    code: "playbook.include-input",
    message: `${playbook.file} has no input "${name}"`,
    suggestion: didYouMeanOr(name, names, known),
  };
}

// The value of an expression is known only in a run.
function holdsAny(node: SourceNode): boolean {
  if (node.kind === "list") return node.items.some(holdsAny);
  if (node.kind === "map") return [...node.entries.values()].some(({ value }) => holdsAny(value));
  return typeof node.value === "string" && holdsExpression(node.value);
}

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  string: { type: "string" },
  integer: { type: "integer" },
  decimal: { type: "number" },
  boolean: { type: "boolean" },
  list: { type: "array" },
  object: { type: "object" },
};

function schemaOf({ name, shape }: InputDeclaration, kinds: InputKinds): JsonSchema | undefined {
  const kind = kinds.kindOf(name);
  const schema = SCHEMAS[shape.type];
  return kind === undefined ? schema : { ...schema, "x-id": kind, description: `${name}, which is used as such an id` };
}

function refuseWrites(step: IncludeStep, uses: SourceNode | undefined, { context }: Surroundings): void {
  const [write] = writesOf([step], context.file.path);
  if (write === undefined || uses === undefined) return;
  context.report(mustNotWrite(write.operation.name, `it is reached by ${write.chain.join(" → ")}`), uses.range);
}
