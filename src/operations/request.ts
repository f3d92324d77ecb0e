import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../base/json/json.ts";
import { without } from "../base/json/parts.ts";
import { type Method, resolve } from "../contract/contract.ts";
import { DEFAULT_PROFILE, fieldNames, type InterfaceProfile, type Profile, profileOf } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { inputParameters } from "./input.ts";
import type { Operation } from "./operation.ts";

/** A complete request, except for its origin and key. */
export interface ServiceRequest {
  /** The HTTP method. */
  readonly method: Method;
  /** The path below the interface's root, with its query. */
  readonly path: string;
  /** The headers that the operation needs. The transport adds the others. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; undefined if the call has none. */
  readonly body: Json | undefined;
}

/** The parts of a call in addition to its input. */
export interface CallContext {
  /** The environment's settings for what the service description leaves open. */
  readonly profile: Profile;
  /** The acting entity, such as `userId:alice`, for calls on behalf of an entity. */
  readonly actingEntity: string | undefined;
  /** The page to read: a bookmark or a page number. */
  readonly page?: string | number;
}

/** Builds the request of an operation from a completed input. Writes that can be asynchronous are, because then their receipt id arrives at once. */
export function buildRequest(operation: Operation, input: JsonObject, context: CallContext): ServiceRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = operation.call.path;
  for (const parameter of inputParameters(operation)) {
    const value = input[parameter.name] ?? pageSizeOf(operation, parameter.name, context.profile);
    if (value === undefined || value === null) continue;
    const text = typeof value === "object" && !(value instanceof Decimal) ? writeJson(value) : String(value);
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, () => encodeURIComponent(text));
    else
      query.set(parameter.profile === undefined ? parameter.name : wireName(operation, parameter.profile, context.profile), text);
  }
  if (operation.async) query.set("async", "true");
  if (context.page !== undefined)
    query.set(wireName(operation, operation.service.paging.parameter, context.profile), String(context.page));
  actOnBehalf(operation, context, query, headers);
  const search = query.toString();
  return {
    method: operation.call.method,
    path: search === "" ? path : `${path}?${search}`,
    headers,
    body: bodyOnTheWire(operation, bodyOf(operation, input), context.profile),
  };
}

// The page size that the service uses by default is not sent.
function pageSizeOf({ call, service }: Operation, parameter: string, profile: Profile): Decimal | undefined {
  if (call.paging === undefined || parameter !== service.paging.size) return undefined;
  const { pageSize } = profileOf(profile, call.interface);
  const isUsual = pageSize === undefined || pageSize === profileOf(DEFAULT_PROFILE, call.interface).pageSize;
  return isUsual ? undefined : Decimal.of(pageSize);
}

function actOnBehalf(
  { service: { identity } }: Operation,
  context: CallContext,
  query: URLSearchParams,
  headers: Record<string, string>,
): void {
  if (identity.kind !== "entity" || context.actingEntity === undefined) return;
  const { in: place, name } = identity.onBehalfOf(context.profile);
  if (place === "header") headers[name] = context.actingEntity;
  else query.set(name, context.actingEntity);
}

function wireName({ call }: Operation, name: string, profile: Profile): string {
  const { parameters } = profileOf(profile, call.interface);
  return Object.hasOwn(parameters, name) ? (parameters[name] ?? name) : name;
}

function bodyOnTheWire({ call }: Operation, body: Json | undefined, profile: Profile): Json | undefined {
  return body === undefined || call.body === undefined ? body : onTheWire(call.body, body, profileOf(profile, call.interface));
}

// The profile gives the names of fields that the description does not name.
function onTheWire(schema: JsonSchema, value: Json, profile: InterfaceProfile): Json {
  const { properties = {}, items, "x-profile": key } = resolve(schema);
  if (Array.isArray(value)) return value.map((item: Json) => onTheWire(items ?? {}, item, profile));
  if (!isObject(value)) return value;
  const names = fieldNames(profile, key);
  const fields = Object.entries(value).map(([name, field]) => [
    names?.[name] ?? name,
    onTheWire(properties[name] ?? {}, field, profile),
  ]);
  return Object.fromEntries(fields) as JsonObject;
}

function bodyOf(operation: Operation, input: JsonObject): Json | undefined {
  const { body } = operation.call;
  if (body === undefined) return undefined;
  const fields = without(
    input,
    inputParameters(operation).map(({ name }) => name),
  );
  if (!operation.batches) return fields;
  const { wraps } = operation.meaning;
  if (wraps === undefined) return itemsOf(fields);
  const shared = sharedFields(operation, wraps);
  const items = itemsOf(without(fields, shared));
  return { ...only(fields, shared), [wraps]: items };
}

function itemsOf(fields: JsonObject): readonly Json[] {
  const { items } = fields;
  return Array.isArray(items) ? items : [fields];
}

function sharedFields(operation: Operation, wraps: string): ReadonlySet<string> {
  const properties = Object.keys(resolve(operation.call.body ?? {}).properties ?? {});
  return new Set(properties.filter((name) => name !== wraps));
}

function only(fields: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
}
