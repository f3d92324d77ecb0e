import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { resolve } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { answerPlace, type CallTarget } from "../answer-place.ts";
import { isSecretField } from "../../exchanges/archive-secrets.ts";
import type { Expr, WrittenValue } from "../value.ts";
import type { HarSecrets } from "./har-secrets.ts";

interface GivenId {
  readonly expression: Expr;
  /** The id of the step whose answer gave it. */
  readonly step: string;
}

/** Replaces ids that an answer returned and a later request used with expressions. An id that a request sent first was chosen by the caller and stays. */
export class HarIds {
  readonly #given = new Map<string, GivenId>();
  readonly #sent = new Set<string>();

  /** Takes the ids of an answer. `offset` is the number of records on the pages before it. */
  take(call: CallTarget, answer: Json, offset = 0): void {
    const { paging } = call.operation.call;
    for (const { text, path } of idsIn(call.operation.call.response ?? {}, answer, [])) {
      const list = paging === undefined ? -1 : path.indexOf(paging.items);
      const place = list < 0 ? path : path.with(list + 1, String(Number(path[list + 1]) + offset));
      this.bind(text, call, place);
    }
  }

  /** Takes one id, which is at this path in the answer of a call. */
  bind(text: string, call: CallTarget, path: readonly string[]): void {
    const expression = answerPlace(call, path);
    if (expression === undefined || text === "" || this.#sent.has(text) || this.#given.has(text)) return;
    this.#given.set(text, { expression, step: call.id });
  }

  /** Forgets the ids of a call that turned out to be refused, whose answer no other step can use. */
  forget({ id }: CallTarget): void {
    for (const [text, { step }] of this.#given) if (step === id) this.#given.delete(text);
  }

  /** Returns the input of a request with ids as expressions and without secrets. */
  bound(input: JsonObject, secrets: HarSecrets): Readonly<Record<string, WrittenValue>> {
    return this.#fields(input, undefined, secrets);
  }

  // Everything below a field that is named like a secret may be a secret.
  #fields(fields: JsonObject, above: string | undefined, secrets: HarSecrets): Readonly<Record<string, WrittenValue>> {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, this.#value(value, above ?? name, secrets)]));
  }

  #value(value: Json, field: string, secrets: HarSecrets): WrittenValue {
    if (typeof value === "string") {
      const given = this.#given.get(value)?.expression;
      if (given === undefined) this.#sent.add(value);
      return given ?? secrets.hide(value, field);
    }
    if (value instanceof Decimal) return secrets.hideNumber(value, field);
    if (Array.isArray(value)) return value.map((item: Json) => this.#value(item, field, secrets));
    return isObject(value) ? this.#fields(value, isSecretField(field) ? field : undefined, secrets) : value;
  }
}

interface FoundId {
  readonly text: string;
  readonly path: readonly string[];
}

function idsIn(schema: JsonSchema, value: Json, path: readonly string[]): readonly FoundId[] {
  const resolved = resolve(schema);
  const { properties = {}, items = {} } = resolved;
  if (typeof value === "string") return resolved["x-id"] === undefined ? [] : [{ text: value, path }];
  if (Array.isArray(value)) return value.flatMap((item: Json, at) => idsIn(items, item, [...path, String(at)]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const inner = properties[name];
    return inner === undefined ? [] : idsIn(inner, field, [...path, name]);
  });
}
