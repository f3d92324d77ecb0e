import { DATE_PATTERN } from "../base/date.ts";
import { NUMERAL_PATTERN } from "../base/decimal.ts";
import { LIMITS } from "../base/limits.ts";
import { TAG_PATTERN } from "../base/tag.ts";
import { as, conserve, duration, foreach, type Frame, identity, name, NO_WORD, sideRead, STEP_ID } from "./frame-parts.ts";
import { comparison } from "./frame-reconcile.ts";

// The frame of the language as JSON Schema. The editor's schema adds the input of each operation to it; the checker
// looks at `with` by itself, with types.

const bound = { type: ["string", "number"], pattern: `${NUMERAL_PATTERN}|${DATE_PATTERN}` };
const size = { type: "integer", minimum: 0 };
// What may be said of an input, and of each part of one. The parts are looked at one by one, so that a playbook whose inputs have
// none need not wait for their schema to be compiled.
const shapeRules = (part: object): Readonly<Record<string, object>> => ({
  description: { type: "string" },
  pattern: { type: "string", description: "A regular expression (RE2) that the text must match." },
  enum: { type: "array", minItems: 1, description: "The values allowed." },
  minimum: { ...bound, description: "The least number, or the earliest date, allowed." },
  maximum: { ...bound, description: "The greatest number, or the latest date, allowed." },
  items: { ...part, description: "What each item of a list is." },
  minItems: { ...size, description: "How many items a list must have." },
  maxItems: { ...size, description: "How many items a list may have." },
  unique: {
    type: ["boolean", "string"],
    not: { const: false },
    description: "No item twice: true; or the name of a field in which no two items are the same.",
  },
  properties: {
    type: "object",
    minProperties: 1,
    additionalProperties: part,
    description: "The fields of an object, which has no others.",
  },
  required: {
    type: "array",
    items: { type: "string" },
    description: "The fields that must be there; left out, all of them.",
  },
});

const ANY_MAP = { type: "object" };
const VALUE_TYPES = ["string", "integer", "decimal", "boolean", "date", "entity", "list", "object"];

/** A part of an input: an item of a list, a field of an object. `part` says what its own parts are. */
export const inputPartFrame = (part: object = ANY_MAP): Frame => ({
  type: "object",
  description: "The type of a part of an input.",
  properties: { type: { enum: VALUE_TYPES, description: "The type; decimals are exact." }, ...shapeRules(part) },
  required: ["type"],
  additionalProperties: false,
});

/** Where a secret is: the only thing that may be written in its place. */
export const SECRET_REFERENCE = "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$";
const secretReference = {
  type: "string",
  pattern: SECRET_REFERENCE,
  description: "Where the secret is: env:VARIABLE, or file:PATH from the playbook's folder. A secret itself never stands here.",
};
const outsideName = {
  pattern: `^${NO_WORD}[A-Za-z_][A-Za-z0-9_]*$`,
  description:
    "Letters, digits and _, not beginning with a digit; not in, true, false or null, which expressions keep for themselves.",
};

/** The `secrets`. What each must be is left to the check, which speaks of it without showing it. */
export const secretsFrame = (secret: object = {}): object => ({
  type: "object",
  description:
    "What the playbook must know and nobody may see, by name: in expressions secrets.NAME. Masked in all that is kept or shown.",
  propertyNames: outsideName,
  additionalProperties: secret,
});

/** The `secrets` as an editor checks them. */
export const secretsForEditors = (): object => secretsFrame(secretReference);

const env = {
  type: "object",
  description:
    "Variables with their defaults, by name: in expressions env.NAME. A variable of the process that has the same name goes before the default; without one (~), it must be set.",
  propertyNames: outsideName,
  additionalProperties: { type: ["string", "null"], description: "The text when the variable is not set; ~ when it must be." },
};

const concurrency = {
  type: "object",
  description: "One run at a time: of all that share a state directory and name the same group, one acts.",
  properties: {
    group: { type: "string", minLength: 1, description: "The name of the group; expressions in it may use inputs and env." },
    overlap: { enum: ["refuse", "wait"], description: "What to do while another run is in the group; refuse, when left out." },
    timeout: duration("When to stop waiting for the group; 1h, when left out."),
  },
  required: ["group"],
  additionalProperties: false,
};

const tags = {
  type: "array",
  items: { type: "string", pattern: TAG_PATTERN },
  minItems: 1,
  description: "Words by which playbooks are chosen: tokenbook run playbooks --tags smoke,!slow.",
};

/** One of the `inputs`. */
export const inputFrame = (part: object = ANY_MAP): Frame & Readonly<Record<string, unknown>> => ({
  type: "object",
  description: "A typed value given when the playbook is run.",
  properties: {
    type: { enum: [...VALUE_TYPES, "file"], description: "The type; decimals are exact, a file gives its content." },
    ...shapeRules(part),
    default: {
      description:
        "The value when none is given; of a file, its path from the playbook's folder. Without it, the input must be given.",
    },
    format: { enum: ["json", "yaml", "csv"], description: "How a file is read; left out, as its extension tells." },
    schema: {
      type: ["string", "object"],
      description: "What a file must hold: a JSON Schema (2020-12), or the path of one from the playbook's folder.",
    },
  },
  required: ["type"],
  additionalProperties: false,
  if: { properties: { type: { const: "file" } }, required: ["type"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { default: { type: "string" } } },
});

/** The `inputs`, each of which is such an input. */
export const inputsFrame = (input: object = ANY_MAP): object => ({
  type: "object",
  propertyNames: name,
  additionalProperties: input,
});

const wait = {
  description: "How to wait for a receipt, or between reads of `until`; `none` does not wait for the receipt.",
  anyOf: [
    { const: "none" },
    {
      type: "object",
      properties: {
        timeout: duration("When to stop waiting."),
        every: duration("The first pause."),
        backoff: { type: "number", minimum: 1, description: "Each pause is this many times the one before." },
        max: duration("The longest pause."),
      },
      additionalProperties: false,
    },
  ],
};

const retry = {
  type: "object",
  description: "Tries again what failed: a read, or a block that only reads. A write is never repeated.",
  properties: {
    attempts: { type: "integer", minimum: 2, maximum: LIMITS.retries, description: "How often in all." },
    every: duration("The pause before the second try."),
    backoff: { type: "number", minimum: 1, description: "Each pause is this many times the one before." },
  },
  required: ["attempts"],
  additionalProperties: false,
};

const schedule = {
  type: "object",
  description: "When `tokenbook schedule` runs the playbook.",
  properties: {
    cron: {
      type: "string",
      description: 'When: minute, hour, day, month and weekday, such as "15 2 * * *"; with six fields, the first is the second.',
    },
    timezone: { type: "string", description: "By whose clock, such as Europe/Paris; UTC, when left out." },
    overlap: {
      enum: ["skip", "queue", "cancel"],
      description:
        "What to do while the run before is still under way: skip this one (when left out), let one wait, or cancel the older one.",
    },
    catchup: duration("How late a firing that was missed may still run, the last of several; when left out, not at all."),
    jitter: duration("Puts each firing off by up to this much, always by the same."),
    timeLimit: duration("How long a run may take, with all its tries: then it is stopped and has failed."),
    retry: { ...retry, description: "Makes a run that failed once more; only of a playbook that is mode: read-only." },
  },
  required: ["cron"],
  additionalProperties: false,
};

const condition = { type: ["string", "boolean"], description: "An expression; when it is false the step is skipped." };

const within = duration("How long it may take until the service shows what was written; 10s, when left out.");

const ensure = {
  type: "object",
  description:
    "What the write is for. Where it is so already, the step is unchanged and nothing is sent; after the write it must be so.",
  properties: { ...sideRead, that: { type: "string", description: "An expression over response, what was read." }, within },
  required: ["read", "that"],
  additionalProperties: false,
};

const discover = {
  type: "object",
  description: "Finds by reading what the write made and did not name.",
  properties: {
    ...sideRead,
    within,
    one: { type: "string", description: "An expression over response that gives a list of exactly one." },
    outputs: {
      type: "object",
      propertyNames: name,
      additionalProperties: { type: "string" },
      minProperties: 1,
      description: "What later steps get, as expressions over one.",
    },
  },
  required: ["read", "one", "outputs"],
  additionalProperties: false,
};

const status = { type: "integer", minimum: 400, maximum: 599 };

const fails = {
  type: "object",
  description: "The service must refuse this call, and everything that is given here must hold of its refusal.",
  properties: {
    condition: {
      type: "string",
      minLength: 1,
      description:
        "The whole condition, in the words of the service, large or small letters: tokenbook operations NAME lists those of an operation.",
    },
    status: {
      anyOf: [status, { type: "array", items: status, minItems: 1 }],
      description: "The HTTP status code of the refusal, or several of which one must be it.",
    },
    message: {
      type: "object",
      description: "What the service's message must hold.",
      properties: {
        contains: { type: "string", minLength: 1, description: "A part of the message, to the letter." },
        matches: { type: "string", minLength: 1, description: "A regular expression (RE2) that is found in the message." },
      },
      additionalProperties: false,
      minProperties: 1,
    },
  },
  additionalProperties: false,
  minProperties: 1,
};

// Steps in a block are checked one by one, each by the frame of a step: it cannot hold itself.
const steps = { type: "array", items: { type: "object" }, minItems: 1, maxItems: LIMITS.steps };

/** The fields of a step; `with` is checked apart, by its operation. */
export const stepFrame: Frame = {
  type: "object",
  description: "One call of the service, a block of steps, or another playbook.",
  properties: {
    id: {
      type: "string",
      pattern: STEP_ID,
      description:
        "The name by which later steps use this one: steps.ID. Small letters, digits and _; not in, true, false, null or checks.",
    },
    name: { type: "string", description: "What the step does, for people." },
    uses: {
      type: "string",
      description: "The operation, such as ledger.token.mint, or another playbook, such as ./deposit.yaml.",
    },
    with: { type: "object", description: "The input of the operation, or of the playbook." },
    as,
    if: condition,
    foreach,
    wait,
    expect: {
      description: "Expressions that must hold, over response and steps.",
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, minItems: 1 }],
    },
    until: { type: "string", description: "An expression over response: the read is repeated until it holds." },
    timeout: duration("When to stop repeating for `until`."),
    on_timeout: { enum: ["fail", "pending"], description: "What the step is when `until` did not hold in time." },
    fails,
    pages: {
      anyOf: [{ enum: ["all", "first"] }, { type: "integer", minimum: 1, maximum: LIMITS.pages }],
      description: "How many pages of a list to read.",
    },
    retry,
    ensure,
    discover,
    block: { ...steps, description: "Steps that belong together." },
    rescue: { ...steps, description: "Steps to do when one of the block has failed: then the block is rescued." },
    always: { ...steps, description: "Steps to do in the end, whether the block failed or not." },
  },
  required: [],
  additionalProperties: false,
};

const check = {
  type: "object",
  description: "What must hold over fresh reads when all steps are complete: a condition, or the conservation of a quantity.",
  properties: {
    name: { type: "string", pattern: "^[^\\[\\]/\\n]+$", description: "What is checked, for people." },
    ...sideRead,
    that: { type: "string", description: "An expression over response, what was read." },
    conserve,
    severity: { enum: ["error", "warn"], description: "warn: told, and the run passes." },
    foreach,
  },
  required: [],
  additionalProperties: false,
};

/** The whole playbook; steps without the inputs of their operations, `inputs` without what is said of each. */
export const playbookFrame: Frame = {
  type: "object",
  properties: {
    playbook: { const: 1, description: "The version of the language." },
    name: { type: "string", description: "What the playbook does." },
    description: { type: "string" },
    tags,
    mode: { enum: ["read-only", "read-write"], description: "read-only is proved before the first request." },
    inputs: inputsFrame(),
    env,
    secrets: secretsFrame(),
    concurrency,
    schedule,
    actors: {
      type: "object",
      description: "Who acts, by name; a list is a group.",
      propertyNames: name,
      additionalProperties: { anyOf: [identity, { type: "array", items: identity, minItems: 1 }] },
    },
    defaults: { type: "object", properties: { as }, additionalProperties: false },
    steps: { ...steps, items: stepFrame },
    reconcile: {
      type: "array",
      items: comparison,
      minItems: 1,
      maxItems: LIMITS.comparisons,
      description: "What must agree, in a playbook of mode: read-only.",
    },
    checks: { type: "array", items: check, minItems: 1, maxItems: LIMITS.steps },
    outputs: { type: "object", propertyNames: name, description: "Values that the run reports." },
  },
  required: ["playbook"],
  additionalProperties: false,
};
