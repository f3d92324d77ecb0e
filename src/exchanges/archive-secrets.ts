import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, parseJson } from "../base/json/json.ts";
import { maskedText, type Redact, redactor, Secret } from "../base/secret.ts";
import { contract } from "../contract/contract.ts";
import { services } from "../services/services.ts";
import type { KeptExchange } from "./kept.ts";

/** Shorter values would also mask ordinary words. */
const SHORTEST = 6;

/** The names of headers and parameters whose values are keys. */
const SECRET_NAME = /^(?:x-api-key|authorization|proxy-authorization|(?:set-)?cookie|.*(?:token|secret|password|api[-_]?key))$/i;

/** Returns whether a parameter with this name contains a key. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Returns whether a header contains the key of an interface. */
export function isKeyHeader(name: string): boolean {
  return services.some(({ keyHeader }) => keyHeader.toLowerCase() === name.toLowerCase());
}

let known: ReadonlySet<string> | undefined;

/** Returns whether a field with this name contains a secret. Fields of the contract, such as vaultToken, do not. */
export function isSecretField(name: string): boolean {
  known ??= new Set(Object.values(contract.$defs).flatMap(({ properties = {} }) => Object.keys(properties)));
  return isSecretName(name) && !known.has(name);
}

/** Returns the keys, cookies and secret parameters of requests, each with the name of its header or parameter. */
export function secretsOfRequests(exchanges: readonly KeptExchange[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { headers, url } of exchanges) {
    for (const [name, value] of secretHeaders(headers)) found.set(value, name);
    for (const [name, value] of URL.parse(url)?.searchParams ?? [])
      if (isSecretField(name) && value.length >= SHORTEST) found.set(value, name);
  }
  return found;
}

/**
 * Returns the exchanges of an archive with its secrets masked wherever they appear: those in requests, those that answers set, and the values of all fields
 * that are named like secrets.
 */
export function maskedArchive(exchanges: readonly KeptExchange[]): readonly KeptExchange[] {
  const found = new Map<string, string>();
  for (const { url, body, answer } of exchanges) {
    const { password = "" } = URL.parse(url) ?? {};
    if (password.length >= SHORTEST) found.set(password, "password");
    for (const [name, value] of secretHeaders(answer?.headers ?? {})) found.set(value, name);
    for (const text of [body, answer?.text]) for (const [name, value] of secretFields(text)) found.set(value, name);
  }
  // These come last, so that a key is shown with the name of its header.
  for (const [value, name] of secretsOfRequests(exchanges)) found.set(value, name);
  const redact = redactor(Array.from(found, ([value, name]) => new Secret(name.replaceAll(/\W+/g, "_").toUpperCase(), value)));
  return exchanges.map((exchange) => maskedExchange(exchange, redact));
}

function maskedExchange({ url, headers, body, answer, ...rest }: KeptExchange, redact: Redact): KeptExchange {
  return {
    ...rest,
    url: maskedUrl(url, redact),
    headers: maskedHeaders(headers, redact),
    body: body === null ? null : maskedText(body, redact),
    answer:
      answer === null
        ? null
        : { ...answer, headers: maskedHeaders(answer.headers, redact), text: maskedText(answer.text, redact) },
  };
}

// The result is still a valid URL.
function maskedUrl(text: string, redact: Redact): string {
  const url = new URL(text);
  Object.assign(url, { username: "", password: "" });
  const secret = Array.from(url.searchParams).filter(([, value]) => redact(value) !== value);
  for (const [name, value] of secret) url.searchParams.set(name, redact(value));
  return url.href;
}

function maskedHeaders(headers: KeptExchange["headers"], redact: Redact): KeptExchange["headers"] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [redact(name), redact(value)]));
}

function secretHeaders(headers: KeptExchange["headers"]): readonly (readonly [string, string])[] {
  const secret = Object.entries(headers).filter(([name]) => isKeyHeader(name) || isSecretName(name));
  return secret.flatMap(([name, value]) => partsOf(value).map((part) => [name, part] as const));
}

// Splits headers such as `Bearer abc`, and cookies such as `a=b; c=d`.
function partsOf(header: string): readonly string[] {
  if (header.startsWith("${{")) return [];
  const parts = header.split(/[;\s]+/).map((part) => part.slice(part.startsWith("=") ? 1 : part.indexOf("=") + 1));
  return [header, ...parts].filter((part) => part.length >= SHORTEST && /[A-Za-z\d]/.test(part));
}

function secretFields(text: string | null | undefined): readonly (readonly [string, string])[] {
  try {
    return text === null || text === undefined ? [] : fieldsIn(parseJson(text));
  } catch {
    return []; // a text that is not JSON has no fields
  }
}

// Everything below a field that is named like a secret may be a secret.
function fieldsIn(value: Json, name?: string): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => fieldsIn(item, name));
  if (isObject(value))
    return Object.entries(value).flatMap(([field, inner]) => fieldsIn(inner, name ?? (isSecretField(field) ? field : undefined)));
  const text = value instanceof Decimal ? value.text : value;
  return name !== undefined && typeof text === "string" && text.length >= SHORTEST ? [[name, text]] : [];
}
