import { invariant } from "../base/failure.ts";
import { isObject, parseJson, plainView, writeJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { masked, type Redact } from "../base/secret.ts";
import { harmlessJson } from "../base/text/harmless.ts";
import type { Fact, RunRecord } from "../protocol/record.ts";
import type { SqlRow } from "../sql/database.ts";

// What the service or the user wrote: its numbers are exact. All other numbers are counters of ours.
const EXACT_FIELDS: ReadonlySet<string> = new Set([
  "inputs",
  "data",
  "input",
  "baseline",
  "payload",
  "envelope",
  "receipt",
  "value",
  "outputs",
  "rounds",
  "evidence",
  "problem",
  "warning",
  "held",
]);

// Where a secret may have got into; our own words are never taken for one.
const MASKED_FIELDS: ReadonlySet<string> = new Set([
  ...EXACT_FIELDS,
  "message",
  "condition",
  "request",
  "env",
  "actor",
  "as",
  "idempotencyKey",
  "anyway",
  "sources",
  "notes",
  "comparison",
]);

// Of what the playbook says, only names for people: ids and files are how records find one another.
const NAMED_FIELDS: ReadonlySet<string> = new Set(["playbook", "steps"]);

/**
 * Returns a fact as it is kept, and its body as it is on the disk. Texts are masked, and numbers that are a secret, whole. What a
 * terminal would obey is escaped, so that an export shows the very text that its hash is of.
 */
export function encode(fact: Fact, redact: Redact): { readonly clean: Fact; readonly body: string } {
  const body = bodyOf(fact);
  if (redact(body) === body) return { clean: fact, body: harmlessJson(body) };
  const fields = Object.entries(fact).map(([name, value]) => {
    if (NAMED_FIELDS.has(name)) return [name, withNameMasked(value, redact)];
    return [name, MASKED_FIELDS.has(name) ? masked(value, redact) : value];
  });
  const clean = Object.fromEntries(fields) as Fact;
  return { clean, body: harmlessJson(bodyOf(clean)) };
}

function withNameMasked(value: unknown, redact: Redact): unknown {
  if (Array.isArray(value)) return value.map((each) => withNameMasked(each, redact));
  const named = value as { readonly name: string };
  return { ...named, name: redact(named.name) };
}

function bodyOf({ kind: _kind, ...fact }: Fact): string {
  return writeJson(fact);
}

/** A record as it was kept. */
export function decode(row: SqlRow): RunRecord {
  const fact = parseJson(String(row["body"]), LIMITS.recordDepth);
  invariant(isObject(fact), "a record's body is an object");
  const fields = Object.entries(fact).map(([name, value]) => [name, EXACT_FIELDS.has(name) ? value : plainView(value)]);
  const place = {
    kind: String(row["kind"]),
    sequence: Number(row["sequence"]),
    epoch: Number(row["epoch"]),
    at: Number(row["at"]),
  };
  return { ...Object.fromEntries(fields), ...place };
}
