import { Decimal } from "../../base/numbers/decimal.ts";
import { isForbiddenKey, type Json, shownJson } from "../../base/json/json.ts";
import { listOf } from "../../base/json/parts.ts";
import { type Expression, ifKnown, type Scope } from "../../expression/expression.ts";
import { unknownValue } from "../../expression/unknown.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Finding } from "../../source/diagnostic.ts";
import type { Range, SourceNode } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import type { Foreach, Side } from "../model.ts";
import { bind, type Template } from "../expressions/template.ts";

// Keys that are the same in every run, so that they can be checked before a run.

/** The rule for the key of a round, as the end of a sentence. */
export const KEY_RULE =
  "must give a number, or a text of one line without brackets that is not empty and none of __proto__, constructor and prototype, which the runtime reserves";

/** Returns the key of a round as the journal keeps it; `undefined` if the value cannot be a key. */
export function spellKey(value: Json): string | undefined {
  if (typeof value === "string" && value !== "" && !/[[\]\n]/.test(value)) return isForbiddenKey(value) ? undefined : value;
  return value instanceof Decimal ? value.canonical() : undefined;
}

/** Reports a key in a written list that two rounds have, or that cannot be a key. `known` holds the values that are the same in every run. */
export function checkLoopKeys({ variable, list, key }: Foreach, node: SourceNode, known: Scope, context: CheckContext): void {
  const items = itemsOf(list, known);
  if (items.length > LIMITS.foreachItems) return context.report(tooManyItems(items.length), node.range);
  const places = node.kind === "list" ? node.items.map(({ range }) => range) : [];
  const placeOf = (at: number): Range => places[at] ?? node.range;
  const keys = items.map((item, at) => {
    const value = knownValue(key, { ...known, [variable]: item });
    const spelt = value === undefined ? undefined : spellKey(value);
    if (value !== undefined && spelt === undefined) context.report(noKey(value, key), placeOf(at));
    return spelt;
  });
  reportTwice(keys, placeOf, `results are kept by key (${key.text.trim()}), and one would hide the other`, context);
}

/** Reports a key that two written rows of a side have. */
export function checkRowKeys({ source, where, key, sums, once }: Side, range: Range, context: CheckContext): void {
  if (source.kind !== "list" || sums || once !== undefined) return;
  const rows = knownValue(source.rows, {});
  if (!Array.isArray(rows)) return;
  const keys = rows.map((row: Json) => {
    if (where !== undefined && knownValue(where, { row }) !== true) return undefined;
    const parts = Array.from(key.values(), (part) => spellPart(knownValue(part, { row })));
    return parts.includes(undefined) ? undefined : parts.join(", ");
  });
  reportTwice(keys, () => range, "a row of the other side would match both of them", context);
}

function spellPart(value: Json | undefined): string | undefined {
  return typeof value === "boolean" ? String(value) : value === undefined ? undefined : spellKey(value);
}

function noKey(value: Json, key: Expression): Finding {
  return {
    code: "playbook.loop-key",
    message: `${shownJson(value)} is no key of a round: key ${KEY_RULE}`,
    suggestion: `make key: ${key.text.trim()} give another text for this item`,
  };
}

function tooManyItems(items: number): Finding {
  return {
    code: "playbook.loop-too-long",
    message: `a foreach over ${items} items; the limit is ${LIMITS.foreachItems}`,
    why: "the list is the same in every run, so no run could begin",
    suggestion: "split the list, and run the playbook once for each part",
  };
}

function reportTwice(
  keys: readonly (string | undefined)[],
  placeOf: (at: number) => Range,
  why: string,
  context: CheckContext,
): void {
  const first = new Map<string, number>();
  for (const [at, key] of keys.entries()) {
    if (key === undefined) continue;
    const before = first.get(key);
    if (before === undefined) first.set(key, at);
    else {
      const message = `the key ${JSON.stringify(key)} occurs twice: in items ${before + 1} and ${at + 1}`;
      context.report(
        { code: "playbook.key-twice", message, why, suggestion: "remove one of them, or give each another key" },
        placeOf(at),
      );
    }
  }
}

function itemsOf(list: Template, known: Scope): readonly Json[] {
  if (list.kind === "list") return list.items.map((item) => valueOf(item, known));
  return listOf(valueOf(list, known));
}

// A part that only a run knows becomes an unknown value, which reports itself when it is used.
function valueOf(template: Template, known: Scope): Json {
  if (template.kind === "list") return template.items.map((item) => valueOf(item, known));
  if (template.kind === "object")
    return Object.fromEntries(template.entries.map(([name, value]) => [name, valueOf(value, known)]));
  return ifKnown(() => bind(template, known), undefined) ?? unknownValue("only a run knows this");
}

function knownValue(expression: Expression, scope: Scope): Json | undefined {
  return ifKnown(() => expression.evaluate(scope), undefined);
}
