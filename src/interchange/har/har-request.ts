import { isObject, type Json, type JsonObject, parseJson } from "../../base/json/json.ts";
import { DEFAULT_PROFILE, profileOf } from "../../contract/profile.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { inputParameters } from "../../operations/input.ts";
import type { Operation } from "../../operations/operation.ts";
import { operationAt, pathValues } from "../../operations/route.ts";
import { withoutMarks } from "../../services/marks.ts";
import { typed } from "../value.ts";

/** A recorded request as a call of an operation. */
export interface HarCall {
  /** The operation, identified by the method and the address. */
  readonly operation: Operation;
  /** The input of the call: its parameters and the fields of its body, without the marks of runs. */
  readonly with: JsonObject;
  /** The acting entity as it was sent; `undefined` if the key acts. */
  readonly acting: string | undefined;
  /** The value of the header with the key. */
  readonly key: string | undefined;
  /** The requested page. */
  readonly page: string | undefined;
  /** The parameters that the operation does not have. */
  readonly unknown: readonly string[];
}

/** Why a request is not a call. */
export class NoCall extends Error {}

/** Returns the call of a recorded request. Throws a {@link NoCall}. */
export function callIn(exchange: KeptExchange): HarCall {
  const { method, url, headers } = exchange;
  const operation = operationAt(method, url);
  if (operation === undefined) throw new NoCall("it belongs to neither interface of the service");
  const { service } = operation;
  const query = new Map(URL.parse(url)?.searchParams ?? []);
  const { paging } = service;
  const acting = actingIn(service, query, headers);
  const page = taken(query, wireName(operation, paging.parameter));
  for (const { name, profile = name } of operation.call.parameters) if (name === "async") query.delete(profile);
  const given = parametersIn(operation, query, url);
  const body = bodyIn(operation, exchange.body);
  return {
    operation,
    with: { ...given, ...body },
    acting,
    key: headers[service.keyHeader.toLowerCase()],
    page,
    unknown: [...query.keys()],
  };
}

/** Returns whether two requests are the same, with the same key and the same acting entity (decision 213). */
export function isSameRequest(one: KeptExchange, other: KeptExchange): boolean {
  return one.method === other.method && one.url === other.url && one.body === other.body && callerOf(one) === callerOf(other);
}

// The key is in a header; the acting entity is in a header or in the address.
function callerOf({ method, url, headers }: KeptExchange): string {
  const service = operationAt(method, url)?.service;
  if (service === undefined) return "";
  return JSON.stringify([headers[service.keyHeader.toLowerCase()], actingIn(service, new Map(), headers)]);
}

// Removes the acting entity from the query if it is there.
function actingIn(
  { identity }: Operation["service"],
  query: Map<string, string>,
  headers: KeptExchange["headers"],
): string | undefined {
  if (identity.kind !== "entity") return undefined;
  const place = identity.onBehalfOf(DEFAULT_PROFILE);
  return place.in === "query" ? taken(query, place.name) : headers[place.name.toLowerCase()];
}

function taken(query: Map<string, string>, name: string): string | undefined {
  const value = query.get(name);
  query.delete(name);
  return value;
}

function wireName({ call }: Operation, name: string): string {
  return profileOf(DEFAULT_PROFILE, call.interface).parameters[name] ?? name;
}

function parametersIn(operation: Operation, query: Map<string, string>, url: string): JsonObject {
  const inPath = pathValues(operation, url);
  const values = inputParameters(operation).flatMap(({ name, in: place, profile, schema }) => {
    const wire = profile === undefined ? name : wireName(operation, profile);
    const text = place === "path" ? inPath[name] : taken(query, wire);
    return text === undefined ? [] : [[name, schema.type === "string" ? text : typed(text)] as const];
  });
  return Object.fromEntries(values);
}

function bodyIn({ call, meaning, batches }: Operation, text: string | null): JsonObject {
  if (call.body === undefined) return {};
  const body = withoutMarks(parsed(text));
  if (!batches) return fieldsOf(body);
  if (meaning.wraps === undefined) return itemsOf(body);
  const { [meaning.wraps]: list = [], ...shared } = fieldsOf(body);
  return { ...shared, ...itemsOf(list) };
}

function parsed(text: string | null): Json {
  if (text === null || text === "") throw new NoCall("the archive does not have its body");
  try {
    return parseJson(text);
  } catch {
    throw new NoCall("its body is no JSON");
  }
}

function fieldsOf(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new NoCall("its body is no map of fields");
}

// A list of one item is written as the item.
function itemsOf(value: Json): JsonObject {
  if (!Array.isArray(value) || value.length === 0) throw new NoCall("its body has no list of items");
  const [only, ...more] = value as readonly Json[];
  return only !== undefined && more.length === 0 ? fieldsOf(only) : { items: value as readonly Json[] };
}
