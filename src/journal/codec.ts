import { Failure, invariant } from "../base/failure.ts";
import { isForbiddenKey, isObject, type Json, parseJson, plainView, writeJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { masked, type Redact } from "../base/secret.ts";
import { harmlessJson } from "../base/text/harmless.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import type { Fact, RunRecord } from "../protocol/record.ts";
import type { SqlRow } from "../sql/database.ts";

// The fields that the service or the user wrote: their numbers are exact. All other numbers are counters of our own.
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

// The fields that tokenbook itself fills: the names by which records refer to each other, its words and its clocks. Their numbers are its
// own too. All other fields may come from a service or a person.
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "kind",
  "runId",
  "runKey",
  "target",
  "folder",
  "holder",
  "from",
  "unsent",
  "step",
  "to",
  "outcome",
  "failed",
  "forget",
  "kept",
  "operation",
  "meaning",
  "verdict",
  "waited",
  "uptime",
]);

// In these fields only the names for people are masked, because records refer to each other by ids and files.
const NAMED_FIELDS: ReadonlySet<string> = new Set(["playbook", "steps"]);

/**
 * Returns a fact as it is kept, and its body as it is on the disk. Secrets in texts are masked; a number that is a secret is masked as a
 * whole. Characters that a terminal would interpret are escaped, so that an export shows exactly the text that its hash covers. Throws a
 * Failure for a fact that `decode` would refuse.
 */
export function encode(fact: Fact, redact: Redact): { readonly clean: Fact; readonly body: string } {
  const wrong = unreadablePart(fact, LIMITS.recordDepth);
  if (wrong !== undefined) throw cannotBeReadBack(fact, wrong);
  const body = bodyOf(fact);
  if (redact(body) === body) return { clean: fact, body: harmlessJson(body) };
  const fields = Object.entries(fact).map(([name, value]) => {
    if (NAMED_FIELDS.has(name)) return [name, withNameMasked(value, redact)];
    return [name, OWN_FIELDS.has(name) || typeof value === "number" ? value : masked(value, redact)];
  });
  const clean = Object.fromEntries(fields) as Fact;
  return { clean, body: harmlessJson(bodyOf(clean)) };
}

// One unreadable record would make its whole run unreadable. Reading each record back would take longer, and twice the memory. So this
// function alone repeats what the reader refuses. Numbers never have more digits than the reader accepts (decision 187).
function unreadablePart(value: unknown, levels: number): string | undefined {
  if (typeof value !== "object" || value === null || value instanceof Decimal) return undefined;
  if (levels === 0) return `it is nested deeper than ${LIMITS.recordDepth} levels`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const wrong = unreadablePart(item, levels - 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  for (const [key, inner] of Object.entries(value)) {
    const wrong = isForbiddenKey(key) ? `the key ${JSON.stringify(key)} is not allowed` : unreadablePart(inner, levels - 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function cannotBeReadBack(fact: Fact, wrong: string): Failure {
  const about = "step" in fact ? ` of step "${fact.step}"` : "";
  return new Failure({
    code: "journal.unreadable",
    message: `the journal cannot record this (${fact.kind}${about}): ${wrong}`,
    why: "the record could not be read again, and the run could not be resumed; so nothing is recorded, and the run stops",
    next: "give this step a value with fewer lists and maps inside one another, or with other names",
  });
}

function withNameMasked(value: unknown, redact: Redact): unknown {
  if (Array.isArray(value)) return value.map((each) => withNameMasked(each, redact));
  const named = value as { readonly name: string };
  return { ...named, name: redact(named.name) };
}

function bodyOf({ kind: _kind, ...fact }: Fact): string {
  return writeJson(fact);
}

/** Returns the record of a row. */
export function decode(row: SqlRow): RunRecord {
  const fact = parseJson(String(row["body"]), LIMITS.recordDepth);
  invariant(isObject(fact), "a record's body is an object");
  const fields = Object.entries(fact).map(([name, value]) => [name, EXACT_FIELDS.has(name) ? value : withCounters(value)]);
  const place = {
    kind: String(row["kind"]),
    sequence: Number(row["sequence"]),
    epoch: Number(row["epoch"]),
    at: Number(row["at"]),
  };
  return { ...Object.fromEntries(fields), ...place };
}

// In a comparison, only the inputs of reads come from the user.
function withCounters(value: Json): unknown {
  if (!isObject(value) || !Array.isArray(value["reads"])) return plainView(value);
  const reads = (value["reads"] as readonly Json[]).map((read) => {
    const plain = plainView(read);
    return isObject(read) && "input" in read ? { ...(plain as object), input: read["input"] } : plain;
  });
  return { ...(plainView({ ...value, reads: [] }) as object), reads };
}
