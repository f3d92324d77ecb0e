import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../base/json/json.ts";
import { partAt, text } from "../base/json/parts.ts";
import { LIMITS } from "../base/limits.ts";
import { resolve } from "../contract/contract.ts";
import { DEFAULT_PROFILE } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import { validatorOf } from "../contract/validators.ts";
import { demandOf } from "../schema/demand.ts";
import type { SchemaViolation } from "../schema/validator.ts";
import { fromTexts, type ValueDialect } from "./dialect.ts";
import { payloadSchema } from "./input.ts";
import type { Operation } from "./operation.ts";

/** A successful answer that was read. */
export interface Answer {
  readonly kind: "answer";
  /** The value of `steps.ID.response`: the answer without its envelope. */
  readonly payload: Json;
  /** The envelope without the payload. */
  readonly envelope: JsonObject | undefined;
}

/** How an answer is read. */
export interface AnswerReading {
  /** Drops every invalid field instead of rejecting the answer. */
  readonly loosely?: boolean;
  /** How many records of the list were already read. */
  readonly taken?: number;
  /** How the service writes numbers and booleans; by default as in the default profile. */
  readonly dialect?: ValueDialect;
}

/** A 2xx answer that does not fit the contract. */
export interface Unreadable {
  readonly kind: "unreadable";
  /** Why it was not read, in words. */
  readonly why: string;
}

/** Returns whether a successful status says that a read is incomplete: with 202 the answer is still being made, with 206 this is a part of it. */
export function isUnfinished({ writes }: Operation, status: number): boolean {
  return !writes && (status === 202 || status === 206);
}

/** Loads the check of the answer. A write does this before it is sent, so that nothing can fail between its answer and the journal. */
export function readyToRead({ call }: Operation): void {
  if (call.response !== undefined) validatorOf(call.response);
}

/**
 * Reads a 2xx body according to the contract. An answer with another shape, or with an envelope that says neither success nor failure, is
 * unreadable. A field that is null although the contract does not allow this is dropped.
 */
export function readAnswer(
  operation: Operation,
  given: Json | undefined,
  { loosely = false, taken = 0, dialect = DEFAULT_PROFILE }: AnswerReading = {},
): Answer | Unreadable {
  const { response } = operation.call;
  if (response === undefined) return { kind: "answer", payload: null, envelope: undefined };
  if (given === undefined) return unreadable("the answer has no JSON body");
  const body = fitted(response, fromTexts(response, given, dialect), loosely);
  if ("problem" in body)
    return unreadable(`${["answer", ...placeIn(body.problem, taken)].join(".")} ${expectation(body.problem)}`);
  return understood(operation, body.fits);
}

function placeIn({ path: [first, ...rest] }: SchemaViolation, taken: number): readonly string[] {
  return first === undefined ? [] : [taken === 0 ? first : String(Number(first) + taken), ...rest];
}

/** Returns whether the records of an answer can be read as they arrive: the answer is the whole list, with nothing around it. */
export function isPlainList({ call, service, writes }: Operation): boolean {
  const { type } = resolve(call.response ?? {});
  return !writes && type === "array" && call.paging === undefined && service.envelope === undefined;
}

// Most answers fit at once, and are checked only once. Dropping a required field is a problem again.
function fitted(
  response: JsonSchema,
  body: Json,
  loosely: boolean,
): { readonly fits: Json } | { readonly problem: SchemaViolation } {
  const validate = validatorOf(response);
  const problems = validate(body);
  const [first] = problems;
  if (first === undefined) return { fits: body };
  const isLeftOut = ({ path }: SchemaViolation): boolean => path.length > 0 && (loosely || partAt(body, path) === null);
  const paths = problems.filter(isLeftOut).map(({ path }) => path);
  const fits = leavingOut(body, paths);
  if (paths.length > 0 && validate(fits).length === 0) return { fits };
  return { problem: problems.find((problem) => !isLeftOut(problem)) ?? first };
}

// Only fields of objects are dropped, because an item of a list cannot be absent.
function leavingOut(value: Json, paths: readonly (readonly string[])[]): Json {
  if (paths.length === 0 || !(Array.isArray(value) || isObject(value))) return value;
  const below = Map.groupBy(paths, ([key = ""]) => key);
  const copy = (Array.isArray(value) ? [...(value as readonly Json[])] : { ...value }) as Record<string, Json>;
  for (const [key, found] of below) {
    const inner = copy[key];
    if (inner === undefined) continue;
    if (!Array.isArray(value) && found.some((path) => path.length === 1)) delete copy[key];
    else
      copy[key] = leavingOut(
        inner,
        found.map((path) => path.slice(1)).filter((path) => path.length > 0),
      );
  }
  return copy;
}

function understood(operation: Operation, body: Json): Answer | Unreadable {
  const opened = operation.service.envelope?.open(body) ?? { payload: body, envelope: undefined };
  if ("kind" in opened) return opened;
  const why = contradiction(operation, opened.payload);
  return why === undefined ? { kind: "answer", ...opened } : unreadable(why);
}

function expectation(problem: SchemaViolation): string {
  const { allowedValues } = problem.params;
  return Array.isArray(allowedValues)
    ? `must be one of ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}`
    : demandOf(problem);
}

function unreadable(why: string): Unreadable {
  return { kind: "unreadable", why };
}

// The schemas make every field optional, so this function says which fields an answer must have.
function contradiction(operation: Operation, payload: Json): string | undefined {
  if (!isObject(payload)) return undefined;
  if (operation.writes && operation.service.receipts !== undefined) return withoutIds(operation, payload);
  const { properties } = resolve(payloadSchema(operation, operation.call.response ?? {}) ?? {});
  const known = Object.keys(properties ?? {});
  if (known.length > 0 && !known.some((name) => Object.hasOwn(payload, name))) {
    return `the answer has none of the fields that it should have: ${known.join(", ")}`;
  }
  if (isError(payload) && !known.includes("message"))
    return `the answer is an error: its status is ${writeJson(payload["status"])}`;
  const list = COUNTED.find((name) => properties?.["count"] !== undefined && properties[name] !== undefined);
  return list === undefined ? undefined : miscounted(payload, list);
}

// Error bodies may look like this with any HTTP status.
function isError(payload: JsonObject): payload is JsonObject & { readonly status: string } {
  const { status, message } = payload;
  return typeof status === "string" && status.toLowerCase() === "error" && text(message) !== undefined;
}

/** The lists whose lengths `count` gives. */
const COUNTED = ["records", "assets"];

// A call with async=true has not happened yet. Only its receipt shows whether it will.
function withoutIds({ async }: Operation, { transactionId, receiptId }: JsonObject): string | undefined {
  if (text(receiptId) !== undefined) return undefined;
  if (text(transactionId) === undefined) return "the answer names neither a transaction nor a receipt";
  return async ? "the answer names no receipt, although it was asked for with async=true" : undefined;
}

// A missing or null list is empty only if the count is 0.
function miscounted(payload: JsonObject, list: string): string | undefined {
  const { count = null, [list]: items = null } = payload;
  const isCounted = count instanceof Decimal;
  if (!Array.isArray(items)) {
    const isEmpty = isCounted && count.isZero();
    return isEmpty ? undefined : `answer.${list} is missing, and answer.count is not 0 but ${writeJson(count)}`;
  }
  const addsUp = !isCounted || count.equals(Decimal.of(items.length));
  return addsUp ? undefined : `answer.count is ${count.text}, and answer.${list} holds ${items.length}`;
}

/** Returns the text of a refusal, whatever the shape of its body. */
export function refusalText(
  body: Json | undefined,
  whole: string,
): { readonly message: string; readonly condition: string | undefined } {
  if (!isObject(body)) return { message: whole.trim().slice(0, LIMITS.refusalChars) || "no message", condition: undefined };
  const said = [body["message"], body["error"], body["errors"]].find(saysSomething);
  const message = typeof said === "string" ? said : writeJson(said ?? body);
  return {
    message: message.slice(0, LIMITS.refusalChars),
    condition: typeof body["condition"] === "string" ? body["condition"] : undefined,
  };
}

function saysSomething(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== "";
}
