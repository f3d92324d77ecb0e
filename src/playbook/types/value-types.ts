import { getOrInsert, mapValues, objectOf } from "../../base/maps.ts";
import { present } from "../../base/present.ts";
import { Recent } from "../../base/recent.ts";
import { resolve, schemaName } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { ENTITY_TYPE } from "../../expression/entity.ts";
import { DATE_KIND, type IdKind } from "../../expression/nominal.ts";
import {
  type AboutType,
  type FieldValues,
  type IdFields,
  type TypeName,
  TypeEnvironment,
  type Variable,
  type Words,
} from "../../expression/types.ts";
import { responseSchema } from "../../operations/input.ts";
import type { Operation } from "../../operations/operation.ts";
import { idFieldsOf, yieldedIds } from "./id-kinds.ts";
import { usualOutcomes, type VisibleOutcomes } from "./outcomes.ts";
import type { ActorDeclaration } from "../model.ts";
import type { InputDeclaration, ValueShape } from "../declarations.ts";

/** Returns the type of a schema in the contract. A named schema becomes a named type, once. */
function typeOfSchema(types: TypeEnvironment, schema: JsonSchema, hint: string): TypeName {
  const name = schemaName(schema);
  const resolved = resolve(schema);
  switch (resolved.type) {
    case "string":
      return "string";
    case "number":
    case "integer":
      return "decimal";
    case "boolean":
      return "bool";
    case "array":
      return `list<${typeOfSchema(types, resolved.items ?? {}, `${hint}Item`)}>`;
    case "object":
      return typeOfObject(types, resolved, name ?? hint);
    default:
      return "dyn"; // several types, or null allowed: only the value shows its type
  }
}

function typeOfObject(types: TypeEnvironment, schema: JsonSchema, name: string): TypeName {
  if (types.has(name)) return name;
  if (name === "Entity") return ENTITY_TYPE;
  if (schema.properties === undefined || schema.additionalProperties === true) return "map<string, dyn>";
  const fields = mapValues(schema.properties, (inner, field) => typeOfSchema(types, inner, name + capital(field)));
  return types.define(name, fields, { words: wordsOf(schema), ids: idFieldsOf(schema, name) });
}

function wordsOf({ properties = {} }: JsonSchema): Words {
  return (field) => properties[field]?.description ?? resolve(properties[field] ?? {}).description;
}

const RUN_WORDS: Readonly<Record<string, string>> = {
  id: "The run's id, for `runs show` and `resume`.",
  key: "Some letters and digits that no other run has: part of the names of what it creates.",
  startedAt: "When the run began, as a date with time and zone.",
};

// A date has several spellings, such as 2026-01-31 and 2026-01-31T00:00:00Z.
const DATE: IdKind = { kind: DATE_KIND, from: "a date" };

const ABOUT_RUN: AboutType = { words: (field) => RUN_WORDS[field], ids: { startedAt: DATE } };

/** The type of an empty object, such as `inputs` without declarations. */
const NOTHING: TypeName = "Nothing";

const ACTORS: TypeName = "Actors";

interface OperationTypes {
  readonly answer: AnswerTypes;
  readonly step: TypeName;
}

/** The type of an answer, and the types for expressions that use only the answer. */
export interface AnswerTypes {
  /** The type of `response` in expressions. */
  readonly response: TypeName;
  /** The types for expressions that use only the answer. */
  readonly types: TypeEnvironment;
}

// The contract is the same for all playbooks of a process, and registering a type takes longer than checking a step.
let known = commonTypes();
const ofOperations = new Map<Operation, OperationTypes>();

function commonTypes(): TypeEnvironment {
  const types = TypeEnvironment.empty();
  types.define(NOTHING, {});
  runType(types);
  return types;
}

/** Returns types to which a playbook may add its own: the types of the contract that these operations need, and those of the actors. */
export function contractTypes(operations: Iterable<Operation>, actors: ReadonlyMap<string, ActorDeclaration>): TypeEnvironment {
  for (const operation of operations) typesOfOperation(operation);
  return (actors.size === 0 ? known : ofActors.of(JSON.stringify(actorFields(actors)))).copy();
}

// The playbooks of a project usually have the same actors.
const ofActors = new Recent((fields) => {
  const types = known.copy();
  types.define(ACTORS, JSON.parse(fields) as Record<string, TypeName>);
  return types;
});

function actorFields(actors: ReadonlyMap<string, ActorDeclaration>): Readonly<Record<string, TypeName>> {
  return Object.fromEntries(
    Array.from(actors.values(), ({ name, group }) => [name, group ? `list<${ENTITY_TYPE}>` : ENTITY_TYPE]),
  );
}

function typesOfOperation(operation: Operation): OperationTypes {
  return getOrInsert(ofOperations, operation, () => {
    known = known.copy();
    ofActors.clear();
    const schema = responseSchema(operation);
    const response = schema === undefined ? "dyn" : typeOfSchema(known, schema, `${typeWord(operation.name)}Response`);
    const step = defineStep(known, operation, { response, outcomes: usualOutcomes(operation) });
    return { answer: { response, types: known.with({ response }) }, step };
  });
}

/** The types of an operation's answer. */
export function answerOf(operation: Operation): AnswerTypes {
  return typesOfOperation(operation).answer;
}

/** The type of `response` in an operation's conditions. */
export function responseType(operation: Operation): TypeName {
  return answerOf(operation).response;
}

/** Returns the type of `steps.ID` for a call: response, receipt, outcome, and what the operation yields. `more` are fields of this step only. */
export function stepType(types: TypeEnvironment, operation: Operation, outcomes: VisibleOutcomes, more?: OwnFields): TypeName {
  const { answer, step } = typesOfOperation(operation);
  if (more === undefined && outcomes.word === "") return step;
  return defineStep(types, operation, { response: answer.response, outcomes, ...present({ more }) });
}

interface OwnFields {
  readonly id: string;
  readonly fields: Readonly<Record<string, TypeName>>;
  /** What the operation yields elsewhere, and this step does not. */
  readonly without: readonly string[];
}

interface StepShape {
  readonly response: TypeName;
  readonly outcomes: VisibleOutcomes;
  readonly more?: OwnFields;
}

function defineStep(types: TypeEnvironment, operation: Operation, { response, outcomes, more }: StepShape): TypeName {
  const name = `${typeWord(operation.name)}${outcomes.word}Step${more === undefined ? "" : `_${more.id}`}`;
  const { receipts, envelope } = operation.service;
  const without = more?.without ?? [];
  const yields = Object.entries(operation.yields).filter(([field]) => !without.includes(field));
  const fields = {
    response,
    outcome: "string",
    ...(operation.writes && receipts !== undefined ? { receipt: typeOfSchema(types, receipts.schema, "Receipt") } : {}),
    ...(envelope === undefined ? {} : { envelope: "map<string, dyn>" }),
    ...Object.fromEntries(yields.map(([field, { type }]) => [field, type])),
    ...more?.fields,
  };
  const words: Words = (field) => operation.yields[field]?.description ?? STEP_WORDS[field];
  const ids = yieldedIds(operation, [...Object.keys(more?.fields ?? {}), ...without]);
  return types.define(name, fields, { words, ids, values: { outcome: outcomes.values } });
}

const STEP_WORDS: Readonly<Record<string, string>> = {
  response: "The answer of the service.",
  receipt: "The receipt that the step waited for; a lost answer also loses its id, and then there is no receipt.",
  envelope: "The fields beside the response: `status`, `pagination`.",
  outcome:
    "The outcome of the step: ok, changed, unchanged, skipped or rescued; of a step in a block also failed, pending, unknown, conflict or drift.",
  outputs: "The outputs of the playbook that the step runs.",
  ensured: "The last answer that `ensure` read.",
};

/** Returns whether `steps.ID` of a call already has a field with this name. What a step discovers is added to the other fields. */
export function isFieldOfStep({ yields }: Operation, name: string): boolean {
  return Object.hasOwn(STEP_WORDS, name) || Object.hasOwn(yields, name);
}

/** Returns the type of `steps.ID` for a call that must be refused. The service answers it with a message, and makes nothing. */
export function refusedType(types: TypeEnvironment, outcomes: VisibleOutcomes): TypeName {
  const { words, ...about } = aboutOutcome(outcomes);
  const fields = { outcome: "string", refusal: "string" } as const;
  return types.define(`${outcomes.word}Step`, fields, {
    ...about,
    words: (field) => (field === "refusal" ? "The message of the refusal." : words?.(field)),
  });
}

/** Returns the type of `steps.ID` for a block. */
export function blockType(types: TypeEnvironment, outcomes: VisibleOutcomes): TypeName {
  return types.define(`${outcomes.word}Block`, { outcome: "string" }, aboutOutcome(outcomes));
}

/** Returns the type of `steps.ID` for an included playbook, which has its outputs. */
export function includeType(
  types: TypeEnvironment,
  { id, outcomes }: { readonly id: string; readonly outcomes: VisibleOutcomes },
  outputs: ReadonlyMap<string, Variable>,
): TypeName {
  const fields = Array.from(outputs, ([name, { type }]) => [name, PORTABLE.test(type) ? type : "dyn"] as const);
  const ids = [...outputs].flatMap(([name, output]) => (output.id === undefined ? [] : [[name, output.id] as const]));
  const outputsType = types.define(`Outputs_${id}`, Object.fromEntries(fields), { ids: Object.fromEntries(ids) });
  return types.define(`Include_${id}`, { outcome: "string", outputs: outputsType }, aboutOutcome(outcomes));
}

function aboutOutcome({ values }: VisibleOutcomes): AboutType {
  return { words: (field) => STEP_WORDS[field], values: { outcome: values } };
}

// Types that have the same meaning in every playbook.
const PORTABLE = /^(?:(?:list<|map<string, )*(?:string|decimal|bool|dyn)>*)$/;

/** Returns the type of `inputs`. */
export function inputsType(types: TypeEnvironment, inputs: readonly InputDeclaration[]): TypeName {
  if (inputs.length === 0) return NOTHING;
  const fields = inputs.map(({ name, shape }) => [name, typeOfShape(types, shape, `Inputs${capital(name)}`)]);
  const words: Words = (field) => inputs.find(({ name }) => name === field)?.description;
  const shapes = inputs.map(({ name, shape }) => [name, shape] as const);
  const about = { words, ids: datesIn(shapes), values: choicesIn(shapes) };
  return types.define("Inputs", Object.fromEntries(fields) as Record<string, TypeName>, about);
}

/** Returns the type of a value; `hint` begins the names of new types. */
export function typeOfShape(types: TypeEnvironment, shape: ValueShape, hint: string): TypeName {
  if (shape.nullable === true) return "dyn";
  switch (shape.type) {
    case "string":
    case "date":
      return "string";
    case "integer": // like every number, unless it is written in the expression itself
    case "decimal":
      return "decimal";
    case "boolean":
      return "bool";
    case "entity":
      return ENTITY_TYPE;
    case "list":
      return `list<${shape.items === undefined ? "dyn" : typeOfShape(types, shape.items, `${hint}Item`)}>`;
    case "object":
      return typeOfProperties(types, shape, hint);
    case "any":
      return "dyn";
  }
}

function typeOfProperties(types: TypeEnvironment, { properties, required, values }: ValueShape, hint: string): TypeName {
  if (properties === undefined) {
    return `map<string, ${values === undefined ? "dyn" : typeOfShape(types, values, `${hint}Value`)}>`;
  }
  const fields = objectOf(properties, (shape, field) => typeOfShape(types, shape, hint + capital(field)));
  const optional = new Set([...properties.keys()].filter((field) => required?.has(field) !== true));
  const about = { ids: datesIn(properties), optional, values: choicesIn(properties) };
  return types.define(freeName(types, hint), fields, about);
}

function datesIn(fields: Iterable<readonly [string, ValueShape]>): IdFields {
  return Object.fromEntries([...fields].flatMap(([name, shape]) => (isDate(shape) ? [[name, DATE] as const] : [])));
}

function choicesIn(properties: Iterable<readonly [string, ValueShape]>): FieldValues {
  const chosen = [...properties].filter(([, { type, enum: choices }]) => type === "string" && choices !== undefined);
  return Object.fromEntries(
    chosen.map(([name, { enum: choices = [] }]) => [name, choices.filter((choice) => typeof choice === "string")]),
  );
}

function isDate({ type, items }: ValueShape): boolean {
  return type === "date" || (items !== undefined && isDate(items));
}

// Fields may have any names, so two paths may give the same word.
function freeName(types: TypeEnvironment, hint: string): TypeName {
  const word = hint.replaceAll(/\W/g, "");
  let name = word;
  for (let at = 2; types.has(name); at++) name = `${word}${at}`;
  return name;
}

/** Returns the type of `actors` that `contractTypes` has defined. */
export function actorsType(actors: ReadonlyMap<string, ActorDeclaration>): TypeName {
  return actors.size === 0 ? NOTHING : ACTORS;
}

/** Returns the type of `secrets` or `env`, which has a text for each name. */
export function textsType(types: TypeEnvironment, type: TypeName, names: readonly string[]): TypeName {
  return names.length === 0 ? NOTHING : types.define(type, Object.fromEntries(names.map((name) => [name, "string"])));
}

/** Returns the type of `run`. */
export function runType(types: TypeEnvironment): TypeName {
  return types.define("Run", { id: "string", key: "string", startedAt: "string" }, ABOUT_RUN);
}

const kinds = new WeakMap<JsonSchema, ReadonlySet<string> | "any">();

/** Returns the kinds of JSON value that a schema admits; `undefined` if it admits any. */
export function kindsOf(schema: JsonSchema | undefined): ReadonlySet<string> | undefined {
  if (schema === undefined) return undefined;
  const found = getOrInsert(kinds, schema, () => kindsIn(schema) ?? "any");
  return found === "any" ? undefined : found;
}

function kindsIn(schema: JsonSchema): ReadonlySet<string> | undefined {
  const resolved = resolve(schema);
  const branches = resolved.oneOf ?? resolved.anyOf;
  if (branches !== undefined) {
    const inner = branches.map(kindsOf);
    return inner.some((kind) => kind === undefined) ? undefined : new Set(inner.flatMap((kind) => [...(kind ?? [])]));
  }
  if (resolved.type === undefined) return undefined;
  const named = typeof resolved.type === "string" ? [resolved.type] : resolved.type;
  return new Set(named.map((type) => (type === "integer" ? "number" : type)));
}

/** Returns the kind of JSON value that an expression of this type gives; `undefined` if only the value shows it. */
export function kindOfType(type: TypeName): string | undefined {
  if (type === "string") return "string";
  if (type === "decimal" || type === "int") return "number";
  if (type === "bool") return "boolean";
  if (type === "null") return "null";
  if (type.startsWith("list")) return "array";
  return type === "dyn" || type.startsWith("optional") ? undefined : "object";
}

function typeWord(operationName: string): string {
  return operationName.split(".").map(capital).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
