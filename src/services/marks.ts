import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import { field, recordsIn } from "../base/json/parts.ts";
import type { GivenNames } from "./given-names.ts";

/** The key of our mark in a free-form object. */
const MARK_KEY = "tokenbook";

/** Adds the run's mark to the free-form `data` of a request. */
export function markData(input: JsonObject, names: GivenNames): JsonObject {
  const data = isObject(input["data"]) ? input["data"] : {};
  return { ...input, data: { ...data, [MARK_KEY]: names.mark } };
}

/** Adds the run's mark to a `comment`, after the playbook's own text. */
export function markComment(input: JsonObject, names: GivenNames): JsonObject {
  const comment = typeof input["comment"] === "string" ? `${input["comment"]} ` : "";
  return { ...input, comment: `${comment}[${names.mark}]` };
}

/** Returns whether a record's free-form `data` has the mark. */
export function carriesMark(record: JsonObject, mark: string): boolean {
  return field(record["data"], MARK_KEY) === mark;
}

/** Returns whether a record's free-form `data` has no mark at all. The service may not keep marks. */
export function isUnmarked({ data }: JsonObject): boolean {
  return typeof field(data, MARK_KEY) !== "string";
}

/** Chooses the object's id if the playbook has none. */
export function chooseId(input: JsonObject, names: GivenNames): JsonObject {
  return typeof input["id"] === "string" ? input : { id: names.id(), ...input };
}

/** Chooses the ids of a vault's share tokens if the playbook has none. */
export function chooseShareIds(input: JsonObject, names: GivenNames): JsonObject {
  const definitions = input["vaultToken"];
  if (!Array.isArray(definitions)) return input;
  const named = definitions.map((definition: Json, at) =>
    isObject(definition) && definition["id"] === undefined ? { id: names.id(`share${at}`), ...definition } : definition,
  );
  return { ...input, vaultToken: named };
}

/** Returns the ids of a vault's share tokens, as they were sent. */
export function shareIds({ vaultToken }: JsonObject): Json | undefined {
  return Array.isArray(vaultToken) ? recordsIn(vaultToken).flatMap(({ id }) => (id === undefined ? [] : [id])) : undefined;
}

const COMMENT_MARK = /\s*\[tokenbook:[^\]]*\]$/;

/** Returns a body without the marks that tokenbook added. */
export function withoutMarks(value: Json): Json {
  if (typeof value === "string") return value.replace(COMMENT_MARK, "");
  if (Array.isArray(value)) return value.map((item: Json) => withoutMarks(item));
  if (!isObject(value)) return value;
  const others = Object.entries(value).filter(([name, inner]) => !isMark(name, inner));
  return Object.fromEntries(others.map(([name, inner]) => [name, withoutMarks(inner)]));
}

function isMark(name: string, value: Json): boolean {
  if (name === MARK_KEY && typeof value === "string") return value.startsWith("tokenbook:");
  return name === "comment" && typeof value === "string" && value !== "" && withoutMarks(value) === "";
}
