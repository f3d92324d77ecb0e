import { getOrInsert, ownValue } from "../base/maps.ts";
import { hash } from "node:crypto";
import { isObject, type Json, plainView } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { resolve, schemaName } from "../contract/contract.ts";
import { type Profile, profileOf } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import type { KeptExchange } from "../exchanges/kept.ts";
import { refusalText } from "../operations/answer.ts";
import { fromTexts } from "../operations/dialect.ts";
import type { Operation } from "../operations/operation.ts";
import { isOwnError } from "../operations/own-error.ts";
import { conditionsOf, plainWords } from "../operations/refusal.ts";
import { operationAt } from "../operations/route.ts";
import { joined, parsed, statusesOf } from "./items.ts";

/** The kinds of differences between answers and the contract, with their words for people. */
export const FINDINGS = {
  field: "new field",
  type: "other type",
  word: "new word",
  absent: "never there",
  status: "other status",
  condition: "other condition",
} as const;

/** A difference between the answers of the service and the contract. */
export interface ContractFinding {
  /** The id, which is the same whenever it is found again. */
  readonly id: string;
  /** The kind of difference. */
  readonly kind: keyof typeof FINDINGS;
  /** The name of the operation. */
  readonly operation: string;
  /** The field of the answer, or the status. */
  readonly where: string;
  /** What differs, in words. */
  readonly message: string;
  /** The first value that was seen, as JSON, cut at `LIMITS.findingChars`; empty for `absent`. */
  readonly example: string;
  /** The line of the profile or the contract that should be changed or added. */
  readonly callsFor: string;
  /** The run that showed it first; null for `absent`, and if the exchange names none. */
  readonly run: string | null;
  /** The step that showed it first; null for `absent`, and before the first step of the run. */
  readonly step: string | null;
  /** The number of answers with it. */
  count: number;
}

interface Mismatch extends Pick<ContractFinding, "kind" | "where" | "message" | "callsFor"> {
  readonly value: unknown;
}

/** Finds differences between answers and the contract, one exchange at a time. */
export class ContractCheck {
  readonly #profile: Profile;
  readonly #found = new Map<string, ContractFinding>();
  /** By operation and object: how often the object was there, and all fields that it had. */
  readonly #objects = new Map<string, SeenObject>();

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  /** Takes one exchange. Returns whether it was compared: one without an answer, or of an unknown operation, shows nothing. */
  take(exchange: KeptExchange): boolean {
    const { answer } = exchange;
    const operation = operationAt(exchange.method, exchange.url);
    if (operation === undefined || answer === null) return false;
    const note = (difference: Mismatch): void => this.#note(operation, exchange, difference);
    const { status, text } = answer;
    const value = parsed(text);
    if (statusesOf(operation.call).includes(status)) return this.#success(operation, { text, value }, note);
    if (status < 400) note(otherSuccess(operation, status));
    else if (!this.#isKnown(status)) note(otherRefusal(operation, { status, value: value as Json }, this.#profile));
    if (status >= 400 && isObject(value)) noteCondition(operation, refusalText(value as Json, text).condition, note);
    return true;
  }

  // An archive may contain no bodies.
  #success(
    operation: Operation,
    { text, value }: { text: string; value: unknown },
    note: (difference: Mismatch) => void,
  ): boolean {
    const { response } = operation.call;
    if (response === undefined) return true;
    if (text === "") return false;
    if (value === undefined) note(noJson(operation, text));
    else {
      const plain = plainView(fromTexts(response, value as Json, this.#profile));
      new AnswerWalk({ operation, profile: this.#profile, objects: this.#objects, note }).walk(response, plain);
    }
    return true;
  }

  #isKnown(status: number): boolean {
    return this.#profile.refusals.includes(status) || status >= 500 || NOT_NOW.has(status);
  }

  #note({ name }: Operation, { run, step }: KeptExchange, { value, ...difference }: Mismatch): void {
    const id = idOf(name, difference);
    const before = this.#found.get(id);
    const example = exampleOf(value);
    if (before !== undefined) before.count++;
    else this.#found.set(id, { id, operation: name, ...difference, example, run: run ?? null, step, count: 1 });
  }

  /** Returns the findings, including fields that were never there although they could have been there often enough. */
  findings(): readonly ContractFinding[] {
    const absent = [...this.#objects.values()].flatMap(({ operation, path, schema, seen, count }) => {
      if (count < LIMITS.absentAfter) return [];
      return Object.keys(resolve(schema).properties ?? {}).flatMap((name): readonly ContractFinding[] => {
        if (seen.has(name)) return [];
        const message = `the contract describes it, and none of ${count} answers has it`;
        const callsFor = contractLine(operation, schema, `say of ${name} when it is there, or remove it`);
        const difference = { kind: "absent", where: joined(path, name), message, callsFor } as const;
        const found = { operation: operation.name, example: "", run: null, step: null, count };
        return [{ id: idOf(operation.name, difference), ...difference, ...found }];
      });
    });
    return [...this.#found.values(), ...absent];
  }
}

/** Statuses that mean "not now", which any service and any gateway may send. The same is true of a failure (5xx), which is never a refusal. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429, 499]);
const ID_CHARS = 12;

function idOf(operation: string, { kind, where, message }: Pick<ContractFinding, "kind" | "where" | "message">): string {
  const what = kind === "absent" ? "" : message;
  return hash("sha256", JSON.stringify([operation, kind, where, what])).slice(0, ID_CHARS);
}

function exampleOf(value: unknown): string {
  return (JSON.stringify(value) ?? "").slice(0, LIMITS.findingChars);
}

function noJson({ call }: Operation, text: string): Mismatch {
  return {
    kind: "type",
    where: "answer",
    message: "it is not JSON: a gateway may have written it, or it is not the service's address",
    value: text,
    callsFor: `JSON by schemas/${call.interface}.openapi.yaml, ${call.method} ${call.path}`,
  };
}

function otherSuccess({ call }: Operation, status: number): Mismatch {
  return {
    kind: "status",
    where: String(status),
    message: `the contract names HTTP ${statusesOf(call).join(" or ")} for success`,
    value: status,
    callsFor: `schemas/${call.interface}.openapi.yaml, ${call.method} ${call.path}, responses: '${status}'`,
  };
}

// Only an error from the service itself shows that its status means a refusal.
function otherRefusal(operation: Operation, { status, value }: { status: number; value: Json }, profile: Profile): Mismatch {
  const side = operation.call.interface;
  const isOwn = isOwnError(operation, value, profileOf(profile, side).errors);
  const message = `the profile does not list HTTP ${status} as a refusal`;
  return {
    kind: "status",
    where: String(status),
    message: isOwn ? message : `${message}, and the error has no form that it declares`,
    value: status,
    callsFor: isOwn
      ? `profile: { refusals: [${[...profile.refusals, status].join(", ")}] }`
      : `profile: ${side}.errors, with the form of this error if no gateway writes it`,
  };
}

function noteCondition({ call }: Operation, condition: string | undefined, note: (difference: Mismatch) => void): void {
  if (condition === undefined || condition.trim() === "") return;
  if (conditionsOf(call).some((each) => plainWords(each) === plainWords(condition))) return;
  note({
    kind: "condition",
    where: "condition",
    message: `"${condition}" is not listed for this call`,
    value: condition,
    callsFor: `schemas/${call.interface}.openapi.yaml, ${call.method} ${call.path}, x-further-conditions: [${condition}]`,
  });
}

interface SeenObject {
  readonly operation: Operation;
  readonly path: string;
  readonly schema: JsonSchema;
  readonly seen: Set<string>;
  count: number;
}

interface WalkParts {
  readonly operation: Operation;
  readonly profile: Profile;
  readonly objects: Map<string, SeenObject>;
  readonly note: (difference: Mismatch) => void;
}

class AnswerWalk {
  readonly #parts: WalkParts;

  constructor(parts: WalkParts) {
    this.#parts = parts;
  }

  walk(schema: JsonSchema, value: unknown, path = "", named: JsonSchema = schema): void {
    const { oneOf, anyOf, ...plain } = resolve(schema);
    const around = schemaName(schema) === undefined ? named : schema;
    const all = oneOf ?? anyOf;
    const fitting = all?.find((each) => fits(resolve(each), value));
    if (fitting !== undefined) return this.walk(fitting, value, path, around);
    if (all !== undefined || !fits(plain, value)) return this.#otherType(plain, value, path, around);
    this.#word(plain, value, path, around);
    if (Array.isArray(value)) {
      for (const item of value as readonly unknown[]) this.walk(plain.items ?? {}, item, `${path}[]`, around);
    } else if (isObject(value)) this.#fields(schema, value, path, around);
  }

  #fields(schema: JsonSchema, value: object, path: string, named: JsonSchema): void {
    const { properties, additionalProperties = false } = resolve(schema);
    if (properties === undefined) return;
    const seen = this.#objectAt(schema, path);
    for (const [name, inner] of Object.entries(value)) {
      const where = joined(path, name);
      const property = ownValue(properties, name);
      if (property !== undefined) {
        seen.add(name);
        this.walk(property, inner, where, named);
      } else if (additionalProperties === false) {
        const callsFor = contractLine(this.#parts.operation, named, `${name}: { type: ${typeOf(inner)} }`);
        this.#parts.note({ kind: "field", where, message: "the contract does not have it", value: inner, callsFor });
      }
    }
  }

  #objectAt(schema: JsonSchema, path: string): Set<string> {
    const { operation, objects } = this.#parts;
    const key = `${operation.name} ${path}`;
    const object = getOrInsert(objects, key, () => ({ operation, path, schema, seen: new Set<string>(), count: 0 }));
    object.count++;
    return object.seen;
  }

  #otherType(schema: JsonSchema, value: unknown, path: string, named: JsonSchema): void {
    const { type = [] } = schema;
    const message = `it is ${typeOf(value)}, and the contract says ${[type].flat().join(" or ")}`;
    const { operation, profile, note } = this.#parts;
    const setting = AS_TEXTS.find((each) => fits(schema, plainView(fromTexts(schema, value as Json, { ...profile, ...each }))));
    const callsFor =
      setting === undefined
        ? contractLine(operation, named, `${path}: { type: [${[type].flat().join(", ")}, ${typeOf(value)}] }`)
        : `profile: { ${Object.entries(setting).map(([name, text]) => `${name}: ${text}`)} }`;
    note({ kind: "type", where: path, message, value, callsFor });
  }

  #word({ enum: listed, examples = [], "x-words": words }: JsonSchema, value: unknown, path: string, named: JsonSchema): void {
    const { operation, profile, note } = this.#parts;
    if (typeof value === "object" || (listed === undefined && words === undefined)) return;
    const setting =
      words === undefined ? undefined : (profileOf(profile, operation.call.interface) as unknown as ProfileSettings)[words];
    if ((listed ?? [...textsIn(setting), ...examples]).includes(value as string)) return;
    note({
      kind: "word",
      where: path,
      message: `${JSON.stringify(value)} is none of its known words`,
      value,
      callsFor:
        setting === undefined
          ? contractLine(operation, named, `${path}: add ${JSON.stringify(value)}`)
          : `profile: ${operation.call.interface}.${words ?? ""}, with ${JSON.stringify(value)} where it belongs`,
    });
  }
}

/** The profile settings with which a text can be a number or a boolean. */
const AS_TEXTS = [{ numbers: "text" }, { booleans: "text" }] as const;

type ProfileSettings = Readonly<Record<string, unknown>>;

function textsIn(value: unknown): readonly unknown[] {
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [value];
}

function fits({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true;
  const is = typeOf(value);
  return [type].flat().some((each) => each === is || (each === "integer" && is === "number" && Number.isInteger(value)));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function contractLine({ call }: Operation, schema: JsonSchema, line: string): string {
  const name = schemaName(schema);
  const at = name === undefined ? `${call.method} ${call.path}` : `components.schemas.${name}`;
  return `schemas/${call.interface}.openapi.yaml, ${at}: ${line}`;
}
