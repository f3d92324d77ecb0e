import { Failure, invariant } from "../base/failure.ts";
import { isForbiddenKey, isObject, type Json, parseJson, plainView, writeJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { masked, type Redact } from "../base/secret.ts";
import { harmlessJson } from "../base/text/harmless.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import type { Fact, RunRecord } from "../protocol/record.ts";
import type { SqlRow } from "../sql/database.ts";

/**
 * How the fields of records are kept. `foreign`: the service or the user wrote it, so its numbers are exact, and its secrets are masked. `text`: only its
 * texts may come from a service or a person, so they are masked; its numbers are counters of our own. `own`: tokenbook itself fills it, with names by which
 * records refer to each other, its words and its clocks. `named`: only the names for people in it are masked, because records refer to each other by ids and files.
 */
const FIELDS: Readonly<Record<FieldOf<Fact>, "foreign" | "text" | "own" | "named">> = {
  inputs: "foreign",
  data: "foreign",
  input: "foreign",
  baseline: "foreign",
  payload: "foreign",
  envelope: "foreign",
  receipt: "foreign",
  value: "foreign",
  outputs: "foreign",
  rounds: "foreign",
  evidence: "foreign",
  problem: "foreign",
  warning: "foreign",
  held: "foreign",
  kind: "own",
  runId: "own",
  runKey: "own",
  target: "own",
  folder: "own",
  holder: "own",
  from: "own",
  unsent: "own",
  step: "own",
  to: "own",
  outcome: "own",
  failed: "own",
  forget: "own",
  kept: "own",
  operation: "own",
  meaning: "own",
  verdict: "own",
  waited: "own",
  uptime: "own",
  playbook: "named",
  steps: "named",
  format: "text",
  env: "text",
  idempotencyKey: "text",
  anyway: "text",
  confirmed: "text",
  sources: "text",
  who: "text",
  because: "text",
  notes: "text",
  waitedMs: "text",
  actor: "text",
  as: "text",
  request: "text",
  separable: "text",
  baselineAt: "text",
  startedAt: "text",
  attempt: "text",
  status: "text",
  receiptId: "text",
  message: "text",
  condition: "text",
  retryAfterMs: "text",
  durationMs: "text",
  serviceAt: "text",
  committed: "text",
  transactionId: "text",
  spends: "text",
  alsoSpends: "text",
  requests: "text",
  comparison: "text",
  interrupted: "text",
};

type FieldOf<F> = F extends unknown ? keyof F : never;

function kindOf(field: string): (typeof FIELDS)[keyof typeof FIELDS] {
  // A later version may have added a field.
  return Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : "text";
}

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
    const kind = kindOf(name);
    if (kind === "named") return [name, withNameMasked(value, redact)];
    return [name, kind === "own" || typeof value === "number" ? value : masked(value, redact)];
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
  const fields = Object.entries(fact).map(([name, value]) => [name, kindOf(name) === "foreign" ? value : withCounters(value)]);
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
