import { getOrInsert } from "../../base/maps.ts";
import { resolve } from "../../contract/contract.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { DATE_KIND, type DateAsText, type KnownId, type MixedIds } from "../../expression/nominal.ts";
import type { IdFields } from "../../expression/types.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Finding } from "../../source/diagnostic.ts";

// The kinds of ids. Using the id of a vault as that of a token is always a mistake. If a kind is unknown, every id fits.

// The tokens and transactions of the investor interface may be the same as those of the ledger: the description does not say.
const SAME: Readonly<Record<string, string>> = { investorToken: "token", purchase: "transaction" };

const WORDS: Readonly<Record<string, string>> = {
  account: "an account",
  approval: "an approval request",
  asset: "an asset",
  receipt: "a receipt",
  sale: "a sale",
  token: "a token",
  transaction: "a transaction",
  transfer: "a transfer request",
  vault: "a vault",
};

function wordsOf(kind: string): string {
  return WORDS[kind] ?? kind;
}

/** Returns the kind of thing that a text of this schema identifies, or that the texts of its list identify. */
function kindOfSchema(schema: JsonSchema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  const resolved = resolve(schema);
  const own = resolved["x-id"];
  if (own !== undefined) return SAME[own] ?? own;
  if (resolved.items !== undefined) return kindOfSchema(resolved.items);
  const branches = resolved.oneOf ?? resolved.anyOf ?? [];
  const [first, ...rest] = branches.map(kindOfSchema);
  return rest.every((kind) => kind === first) ? first : undefined;
}

/** Returns the fields of a record that are ids. `name` is a word for the record. */
export function idFieldsOf({ properties = {} }: JsonSchema, name: string): IdFields {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([field, schema]) => {
      const kind = kindOfSchema(schema);
      return kind === undefined ? [] : [[field, { kind, from: `\`${field}\` of ${name}` }] as const];
    }),
  );
}

/** Returns the ids that a step of an operation gives to later steps, without fields that the step itself defines. */
export function yieldedIds({ name, yields }: Operation, taken: readonly string[]): IdFields {
  return Object.fromEntries(
    Object.entries(yields)
      .filter(([field]) => !taken.includes(field))
      .map(([field, { id }]) => [field, { kind: SAME[id] ?? id, from: name }]),
  );
}

const made = new Map<Operation, ReadonlySet<string>>();

/** Returns the kinds of things that an operation creates. The playbook may choose any name for them, even the name of another thing. */
export function kindsMadeBy(operation: Operation): ReadonlySet<string> {
  return getOrInsert(made, operation, () => new Set(Object.values(operation.yields).map(({ id }) => id)));
}

/** Returns the finding for a comparison of ids of two kinds. */
export function mixedFinding({ left, right }: MixedIds): Finding {
  return {
    code: "expression.mixed-ids",
    message: `${left.text} is the id of ${wordsOf(left.kind)}, and ${right.text} that of ${wordsOf(right.kind)}`,
    why: `the one comes from ${left.from}, the other from ${right.from}`,
    suggestion: "compare ids of one kind",
  };
}

/** Returns the finding for a date in a comparison of texts. */
export function dateFinding({ text, operator }: DateAsText): Finding {
  return {
    code: "expression.date-as-text",
    message: `${text} is the text of a date, and ${operator} compares texts`,
    why: "2026-01-31 and 2026-01-31T01:00:00+01:00 are the same time, and different texts",
    suggestion:
      operator === "in"
        ? `write list.exists(each, date(each) == date(${text}))`
        : "write date(…) around both sides, which compares times",
  };
}

const NOTHING_MADE: ReadonlySet<string> = new Set();

/** Returns the finding for an id in the place of an id of another kind, if this is certain. */
export function misplacedFinding(
  given: KnownId | undefined,
  schema: JsonSchema | undefined,
  makes: ReadonlySet<string> = NOTHING_MADE,
): Finding | undefined {
  const wanted = kindOfSchema(schema);
  if (given === undefined || wanted === undefined || given.kind === wanted || makes.has(wanted)) return undefined;
  if (given.kind === DATE_KIND) return undefined;
  const { description } = resolve(schema ?? {});
  return {
    code: "expression.mixed-ids",
    message: `${given.text} is the id of ${wordsOf(given.kind)}; here the id of ${wordsOf(wanted)} is expected`,
    why: `it comes from ${given.from}${description === undefined ? "" : `; expected here: ${description}`}`,
    suggestion: `use the id of ${wordsOf(wanted)}`,
  };
}

/** The kinds of ids that the inputs of a playbook must be, judging by where they are used. */
export class InputKinds {
  readonly #wanted = new Map<string, ReadonlySet<string>>();

  /** Records that the value of an expression, if it is a single input, is used as an id of this schema's kind. */
  note(text: string, schema: JsonSchema | undefined): void {
    const [, name] = /^\s*inputs\.(\w+)\s*$/.exec(text) ?? [];
    const kind = kindOfSchema(schema);
    if (name !== undefined && kind !== undefined) this.#wanted.set(name, new Set([...(this.#wanted.get(name) ?? []), kind]));
  }

  /** Returns the only kind of id as which an input is used. */
  kindOf(name: string): string | undefined {
    const [kind, other] = this.#wanted.get(name) ?? [];
    return other === undefined ? kind : undefined;
  }
}
