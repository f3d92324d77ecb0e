import { type ContractOperation, type Parameter, resolve } from "../contract/contract.ts";
import { fieldNames, type Profile, profileOf } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import type { KeptExchange } from "../exchanges/kept.ts";
import type { Operation } from "../operations/operation.ts";
import { pathValues } from "../operations/route.ts";
import { hasEntities } from "../services/services.ts";
import type { Dimension } from "./dimensions.ts";

/** The ways to lose the answer to a write. */
export const LOST = { none: "no answer", untrusted: "an answer that nobody can trust", ended: "the process ended" } as const;

/** All items of an operation that can be covered: the names of the items by dimension. */
export type OperationItems = Readonly<Record<Dimension, readonly string[]>>;

/** Returns all items of an operation that can be covered. */
export function itemsOf({ call, writes }: Operation): OperationItems {
  const found: FoundItems = { fields: new Set(), words: new Set() };
  for (const { name, schema } of call.parameters) addWords(found, schema, name);
  for (const { side, schema } of sidesOf(call)) describe(schema, { side, path: "", found, around: [] });
  return {
    operations: ["called"],
    successes: ["done"],
    refusals: call.conditions,
    lost: writes ? Object.values(LOST) : [],
    parameters: call.parameters.map(parameterItem),
    fields: [...found.fields],
    codes: [...statusesOf(call).map(String), OTHERS],
    words: [...found.words],
  };
}

/** Any status that the contract does not name, which means a refusal. */
const OTHERS = "default";
const ERROR: JsonSchema = { $ref: "contract#/$defs/Error" };

/** Returns the success statuses of the contract. */
export function statusesOf({ successStatus, otherStatuses = [] }: ContractOperation): readonly number[] {
  return [successStatus, ...otherStatuses];
}

function sidesOf(call: ContractOperation): readonly { readonly side: string; readonly schema: JsonSchema }[] {
  return [
    ...(call.body === undefined ? [] : [{ side: REQUEST, schema: call.body }]),
    ...(call.response === undefined ? [] : [{ side: String(call.successStatus), schema: call.response }]),
    { side: OTHERS, schema: ERROR },
  ];
}

const REQUEST = "request";

function parameterItem({ in: place, name }: Pick<Parameter, "in" | "name">): string {
  return `${place} ${name}`;
}

interface FoundItems {
  readonly fields: Set<string>;
  readonly words: Set<string>;
}

interface ItemContext {
  readonly side: string;
  readonly path: string;
  readonly found: FoundItems;
  /** The schemas around this one. A schema that contains itself is described only once. */
  readonly around: readonly JsonSchema[];
}

function describe(given: JsonSchema, { side, path, found, around }: ItemContext): void {
  const schema = resolve(given);
  if (around.includes(schema)) return;
  const within = { side, found, around: [...around, schema] };
  if (side === REQUEST) addWords(found, schema, path);
  for (const inner of alternativesOf(schema)) describe(inner, { ...within, path });
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    found.fields.add(`${side} ${joined(path, name)}`);
    describe(property, { ...within, path: joined(path, name) });
  }
  if (schema.items !== undefined) describe(schema.items, { ...within, path: `${path}[]` });
}

function alternativesOf({ oneOf = [], anyOf = [] }: JsonSchema): readonly JsonSchema[] {
  return [...oneOf, ...anyOf];
}

/** Returns the path of a field. */
export function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function addWords({ words }: FoundItems, schema: JsonSchema, path: string): void {
  for (const value of resolve(schema).enum ?? []) words.add(`${path} = ${value}`);
}

/** Calls `cover` for each item that an exchange covers. */
export function coverBy(
  exchange: KeptExchange,
  operation: Operation,
  profile: Profile,
  cover: (dimension: Dimension, item: string) => void,
): void {
  const { call } = operation;
  cover("operations", "called");
  for (const parameter of call.parameters) {
    const value = valueOf(exchange, operation, parameter, profile);
    if (value === undefined) continue;
    cover("parameters", parameterItem(parameter));
    cover("words", `${parameter.name} = ${value}`);
  }
  const { body, answer } = exchange;
  const see = (side: string, schema: JsonSchema | undefined, text: string): void => {
    const value = parsed(text);
    if (schema === undefined || value === undefined) return;
    meet(
      schema,
      value,
      { path: "", names: (key) => fieldNames(profileOf(profile, call.interface), key), around: [] },
      (path, seen) => {
        cover("fields", `${side} ${path}`);
        if (side === REQUEST && typeof seen !== "object") cover("words", `${path} = ${String(seen)}`);
      },
    );
  };
  if (body !== null) see(REQUEST, call.body, body);
  if (answer === null) return;
  const isNamed = statusesOf(call).includes(answer.status);
  const code = isNamed ? String(answer.status) : OTHERS;
  cover("codes", code);
  see(code, isNamed ? call.response : ERROR, answer.text);
}

function valueOf(
  { url, headers }: KeptExchange,
  operation: Operation,
  { name, in: place, profile: key }: Parameter,
  profile: Profile,
): string | undefined {
  const { call, service } = operation;
  const query = URL.parse(url)?.searchParams;
  if (key === "onBehalfOf" && hasEntities(service)) {
    const acting = service.identity.onBehalfOf(profile);
    return acting.in === "query" ? (query?.get(acting.name) ?? undefined) : headers[acting.name];
  }
  if (place === "path") return pathValues(operation, url)[name];
  const { parameters } = profileOf(profile, call.interface);
  return query?.get(key === undefined ? name : (parameters[key] ?? name)) ?? undefined;
}

/** Returns the value of a JSON text; `undefined` for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Meeting {
  readonly path: string;
  /** Returns the names of body fields on the wire, by the body's key in the profile. */
  readonly names: (key: string | undefined) => Readonly<Record<string, string>> | undefined;
  readonly around: readonly JsonSchema[];
}

// Walks through a value and its schema together, and visits each described field of the value. List items have the path of their list.
function meet(
  given: JsonSchema,
  value: unknown,
  { path, names, around }: Meeting,
  visit: (path: string, value: unknown) => void,
): void {
  const schema = resolve(given);
  if (around.includes(schema)) return;
  const within = { names, around: [...around, schema] };
  for (const inner of alternativesOf(schema)) meet(inner, value, { ...within, path }, visit);
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const item of value as readonly unknown[]) {
      if (typeof item !== "object") visit(`${path}[]`, item);
      meet(schema.items, item, { ...within, path: `${path}[]` }, visit);
    }
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  const wire = names(schema["x-profile"]);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = (value as Readonly<Record<string, unknown>>)[wire?.[name] ?? name];
    if (field === undefined) continue;
    visit(joined(path, name), field);
    meet(property, field, { ...within, path: joined(path, name) }, visit);
  }
}
