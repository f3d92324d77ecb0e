import reportSchema from "../../schemas/report.schema.json" with { type: "json" };
import { services } from "../services/services.ts";
import type { Fact } from "./record.ts";

type Schema = Readonly<Record<string, unknown>>;
type FactOf<Kind extends Fact["kind"]> = Omit<Extract<Fact, { kind: Kind }>, "kind" | "sources" | "data">;
type OptionalKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? Key : never }[keyof T];

/** The type of the fields of an event. It does not compile if a kind or a field is missing here. */
type Described = {
  readonly [Kind in Fact["kind"]]: {
    readonly says: string;
    readonly required: Readonly<Record<Exclude<keyof FactOf<Kind>, OptionalKeys<FactOf<Kind>>>, Schema>>;
    readonly optional: Readonly<Record<OptionalKeys<FactOf<Kind>>, Schema>>;
  };
};

const text: Schema = { type: "string" };
const textOrNull: Schema = { type: ["string", "null"] };
const identity = {
  ...textOrNull,
  description: "The acting entity or the credential. Null: the key itself; in a write, a key whose entity is not known.",
};
const whole: Schema = { type: "integer", minimum: 0 };
const wholeOrNull: Schema = { type: ["integer", "null"], minimum: 0 };
const milliseconds: Schema = { type: "number" };
const flag: Schema = { type: "boolean" };
const anything: Schema = {};
const map: Schema = { type: "object" };
const mapOrNull: Schema = { type: ["object", "null"] };
const texts: Schema = { type: "array", items: text };
const called: Schema = { ...text, minLength: 1 };
const step: Schema = { ...called, description: "The step's address: its id, and the keys of its rounds." };
const attempt: Schema = { ...whole, description: "The number of the attempt of the write, from 0." };
const waitedMs: Schema = {
  ...whole,
  description: "How long the step could not continue since its event before this one, in milliseconds. Left out if it could.",
};
const moment: Schema = { type: "integer", description: "Milliseconds since the Unix epoch." };

function object(required: Readonly<Record<string, Schema>>, optional: Readonly<Record<string, Schema>> = {}): Schema {
  return {
    type: "object",
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

const serviceAt: Schema = { ...moment, description: "The latest time that the service had given to the run." };
const uptime: Schema = {
  ...object({ boot: text, ms: milliseconds }),
  description: "How long the machine had been running, and the kernel's name for that start.",
};

function listOf(items: Schema): Schema {
  return { type: "array", items };
}

function oneOf(...values: readonly string[]): Schema {
  return { enum: values };
}

const comparison: Schema = { $ref: "#/$defs/comparison" };
const held: Schema = { $ref: "#/$defs/held" };
const problem = object({ code: text, message: text }, { why: text, next: text, evidence: anything });
const holder = object(
  { host: text, bootId: text, pid: whole, startedAt: text },
  {
    lock: {
      ...object({ file: text, inode: text }),
      description: "The file on which the process keeps a lock as long as it is alive.",
    },
    beat: { ...text, description: "The name of its heartbeat on a database server." },
    space: { ...text, description: "The process namespace to which its pid belongs." },
  },
);
const playbook = object({ file: text, name: text, digest: { ...text, description: "SHA-256 of the playbook's text, in hex." } });
const heading = object(
  { id: called, name: text, uses: text, line: whole },
  { kind: oneOf("block", "include", "check"), depth: whole, file: text },
);
const target = object({
  environment: text,
  ...Object.fromEntries(
    services.flatMap(({ name, settings }) => [name, ...Object.keys(settings)]).map((field) => [field, textOrNull]),
  ),
});

const confirmed = {
  ...object(
    { who: text, how: oneOf("asked", "yes", "plan") },
    { approval: object({ who: text, because: text, plan: text, at: whole }) },
  ),
  description:
    "A person consented to the writes of the run in a protected environment: asked, by --yes, or with a plan that somebody else approved.",
};

const EVENTS: Described = {
  "run.opened": {
    says: "A run began: its steps, its target and its inputs.",
    required: { format: { const: 1 }, runId: text, runKey: text, playbook, steps: listOf(heading), inputs: map, target },
    optional: {
      env: { type: "object", additionalProperties: { type: "object", additionalProperties: text } },
      folder: { ...text, description: "Where the paths of its files begin, from the folder of tokenbook.yaml." },
      idempotencyKey: { ...text, description: "The name that the caller gave the run with --key." },
      anyway: {
        ...object({ who: text, because: text, runs: texts }),
        description: "A person began the run although these runs had left writes open.",
      },
      confirmed,
    },
  },
  "run.claimed": { says: "A process took the run.", required: { holder }, optional: {} },
  "run.released": {
    says: "A person released the run, which another process held.",
    required: { from: holder, who: text, because: text },
    optional: { unsent: listOf(object({ step, attempt: whole })) },
  },
  "run.edited": {
    says: "The run continued with an edited playbook.",
    required: { playbook, steps: listOf(heading), notes: texts },
    optional: { confirmed },
  },
  "step.expanded": {
    says: "A foreach has its list.",
    required: { step, rounds: listOf(object({ key: text, item: anything })) },
    optional: {},
  },
  "step.begun": { says: "A block, or an included playbook, began.", required: { step }, optional: { inputs: map } },
  "block.turned": {
    says: "A block continued with its rescue or its always, or again from its first step.",
    required: { step, to: oneOf("rescue", "always", "again") },
    optional: { outcome: oneOf("ok", "rescued", "failed"), failed: text, problem, forget: texts, kept: texts, waitedMs },
  },
  "attempt.intended": {
    says: "A write was about to be sent. Durable before its first byte left.",
    required: {
      step,
      attempt,
      operation: text,
      actor: textOrNull,
      input: map,
      request: object({ method: text, path: text, digest: text }),
    },
    optional: {
      as: identity,
      separable: {
        const: true,
        description: "It has several items, and a refusal is not proof that none of them took effect.",
      },
      baseline: mapOrNull,
      baselineAt: object({ date: textOrNull, sequence: whole }, { quietMs: whole, recent: flag }),
      startedAt: { ...moment, description: "When the step began; only of its first attempt." },
      uptime,
      waitedMs,
    },
  },
  "attempt.answered": {
    says: "An answer came, or none did.",
    required: {
      step,
      attempt,
      meaning: oneOf("not-sent", "refused", "refused-later", "ambiguous", "acknowledged"),
      status: wholeOrNull,
      payload: anything,
      envelope: mapOrNull,
      receiptId: textOrNull,
      message: textOrNull,
      condition: textOrNull,
      retryAfterMs: { type: ["number", "null"] },
      durationMs: milliseconds,
    },
    optional: { uptime, serviceAt },
  },
  "receipt.read": {
    says: "A receipt reported the final state of a write.",
    required: { step, attempt, committed: flag, receipt: map },
    optional: { serviceAt, waitedMs },
  },
  "attempt.settled": {
    says: "The outcome of a write, decided by other evidence than its own answer.",
    required: { step, attempt, verdict: oneOf("applied", "absent", "superseded", "unchanged"), evidence: anything },
    optional: { transactionId: text, spends: text, alsoSpends: texts, serviceAt, waitedMs },
  },
  "step.completed": {
    says: "A step is done.",
    required: {
      step,
      outcome: oneOf("ok", "changed", "unchanged", "skipped", "rescued"),
      value: { ...map, description: "What the step gives to later steps." },
      startedAt: moment,
      requests: whole,
    },
    optional: { actor: textOrNull, as: identity, warning: problem, comparison, held, waitedMs },
  },
  "step.stopped": {
    says: "A step did not end as expected. The run ends with it, unless a rescue follows.",
    required: { step, outcome: oneOf("failed", "pending", "unknown", "conflict", "drift"), problem, startedAt: moment },
    optional: { requests: whole, actor: textOrNull, as: identity, comparison, waitedMs },
  },
  "run.closed": {
    says: "The run ended.",
    required: { outcome: oneOf("passed", "failed", "pending", "unknown", "conflict", "drift", "interrupted"), outputs: map },
    optional: {
      interrupted: { const: true, description: "It was stopped before its end, and its outcome is worse than that." },
      problem,
      waited: {
        type: "object",
        additionalProperties: whole,
        description: "How long steps had waited that were interrupted before their next event, in milliseconds.",
      },
    },
  },
};

/** The JSON Schema of one line of `--report ndjson=FILE`. */
export const eventSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://tokenbook.dev/schemas/event.schema.json",
  title: "An event of a tokenbook run",
  description: "A line of an NDJSON report. Numbers keep every digit that they were written with.",
  type: "object",
  required: ["run", "sequence", "epoch", "at", "kind"],
  oneOf: Object.entries(EVENTS).map(([kind, { says, required, optional }]) => ({
    ...object(
      {
        run: text,
        sequence: { ...whole, description: "The place of the event in its run." },
        epoch: { ...whole, description: "The claim under which it was written." },
        at: { type: "string", format: "date-time" },
        kind: { const: kind },
        ...required,
      },
      optional,
    ),
    title: kind,
    description: says,
  })),
  $defs: sharedDefs(reportSchema.$defs),
};

/** What an event leaves out of a record. */
const WRITING = {
  sources: { type: "object", additionalProperties: text },
  data: { type: "object", additionalProperties: map },
};

/**
 * The JSON Schema of a record as an archive keeps it: its `kind`, and the fields of its body. It allows fields that it does not describe, because later
 * versions add fields, any field of a target, because earlier versions knew fewer interfaces, and times that ran backwards.
 */
export const recordSchema: Schema = {
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: Object.entries(EVENTS).map(([kind, { required, optional }]) =>
    tolerant(object({ kind: { const: kind }, ...required }, { ...optional, ...("steps" in required ? WRITING : {}) })),
  ),
  $defs: tolerant(sharedDefs(reportSchema.$defs)),
};

function tolerant(schema: Schema): Schema {
  if (schema === target)
    return { type: "object", required: ["environment"], additionalProperties: textOrNull, properties: { environment: text } };
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      (key === "additionalProperties" && value === false) || key === "minimum" ? [] : [[key, tolerantPart(value)]],
    ),
  );
}

function tolerantPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tolerantPart);
  return typeof value === "object" && value !== null ? tolerant(value as Schema) : value;
}

// Comparisons and conditions have the same form in an event as in a report.
function sharedDefs({
  comparison: compared,
  comparedSide,
  drift,
  quantity,
  held: conditions,
}: typeof reportSchema.$defs): Schema {
  return { comparison: compared, comparedSide, drift, quantity, held: conditions };
}
