import { LIMITS } from "../../base/limits.ts";
import { TAG_PATTERN } from "../../base/tag.ts";
import { CHECK, COMPARISON } from "./comparison.ts";
import { INPUT } from "./input.ts";
import {
  choice,
  duration,
  element,
  elementNode,
  frameOf,
  type Keyword,
  type Keywords,
  node,
  text,
  type Value,
  type Values,
} from "./keyword.ts";
import { AS, IDENTITY, NAME, OUTSIDE_NAME, type RetryFields, retryWith } from "./shared.ts";
import { steps } from "./step.ts";

// The keywords at the head of a playbook, and of what is declared there.

/** When a playbook runs by itself. */
export interface ScheduleFields extends Values<"cron" | "timezone"> {
  readonly overlap: "skip" | "queue" | "cancel";
  readonly catchup: number;
  readonly jitter: number;
  readonly timeLimit: number | undefined;
  readonly retry: RetryFields | undefined;
}

/** By whose clock a playbook runs that does not say. */
export const DEFAULT_ZONE = "UTC";

/** The keywords of a `schedule`. */
export const SCHEDULE: Keywords<ScheduleFields> = {
  cron: node(
    { type: "string" },
    'When: minute, hour, day, month and weekday, such as "15 2 * * *"; with six fields, the first is the second.',
    { required: true },
  ),
  timezone: node({ type: "string" }, "By whose clock, such as Europe/Paris", { default: DEFAULT_ZONE }),
  overlap: choice(
    ["skip", "queue", "cancel"],
    "What to do while the run before is still under way: skip this one, let one wait, or cancel the older one",
    { default: "skip" },
  ),
  catchup: duration("How late a firing that was missed may still run, the last of several; 0s is not at all", { default: "0s" }),
  jitter: duration("Puts each firing off by up to this much, always by the same", { default: "0s" }),
  timeLimit: duration("How long a run may take, with all its tries: then it is stopped and has failed."),
  retry: element(retryWith("1m"), "Makes a run that failed once more; only of a playbook that is mode: read-only."),
};

/** Which runs go one at a time. */
export interface ConcurrencyFields extends Values<"group"> {
  readonly overlap: "refuse" | "wait";
  readonly timeout: number;
}

/** The keywords of `concurrency`. */
export const CONCURRENCY: Keywords<ConcurrencyFields> = {
  group: node({ type: "string", minLength: 1 }, "The name of the group; expressions in it may use inputs and env.", {
    required: true,
  }),
  overlap: choice(["refuse", "wait"], "What to do while another run is in the group", { default: "refuse" }),
  timeout: duration("When to stop waiting for the group", {
    default: "1h",
    needs: {
      keyword: "overlap",
      is: "wait",
      message: "`timeout` says how long to wait, and this playbook does not wait for its group",
      suggestion: "add overlap: wait, or delete it",
    },
  }),
};

/** Where a secret is: the only thing that may be written in its place. */
export const SECRET_REFERENCE = "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$";

/** The schema of one of the `secrets`, for editors: the check speaks of it without showing it. */
export const SECRET: object = {
  type: "string",
  pattern: SECRET_REFERENCE,
  description: "Where the secret is: env:VARIABLE, or file:PATH from the playbook's folder. A secret itself never stands here.",
};

type Listed = "tags" | "inputs" | "env" | "secrets" | "actors" | "steps" | "reconcile" | "checks" | "outputs";

/** What a playbook has. */
export interface PlaybookFields extends Values<Listed | "playbook" | "schedule" | "concurrency"> {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly mode: "read-only" | "read-write";
  readonly defaults: Values<"as"> | undefined;
}

const comparison = frameOf(COMPARISON, {
  description:
    "Two sides that are to say the same, or a quantity that is conserved; each difference is a drift with a name of its own.",
});
const check = frameOf(CHECK, {
  description: "What must hold over fresh reads when all steps are complete: a condition, or the conservation of a quantity.",
});

/** The keywords of a playbook. */
export const PLAYBOOK: Keywords<PlaybookFields> = {
  playbook: node({ const: 1 }, "The version of the language.", { required: true }),
  name: text("What the playbook does."),
  description: text("What people should know of it."),
  tags: node(
    { type: "array", items: { type: "string", pattern: TAG_PATTERN }, minItems: 1 },
    "Words by which playbooks are chosen: tokenbook run playbooks --tags smoke,!slow.",
  ),
  mode: choice(["read-only", "read-write"], "read-only is proved before the first request", { default: "read-write" }),
  schedule: elementNode(SCHEDULE, "When `tokenbook schedule` runs the playbook."),
  concurrency: elementNode(
    CONCURRENCY,
    "One run at a time: of all that share a state directory and name the same group, one acts.",
  ),
  inputs: inputsWith({ type: "object" }),
  env: node(
    {
      type: "object",
      propertyNames: OUTSIDE_NAME,
      additionalProperties: {
        type: ["string", "null"],
        description: "The text when the variable is not set; ~ when it must be.",
      },
    },
    "Variables with their defaults, by name: in expressions env.NAME. A variable of the process that has the same name goes before the default; without one (~), it must be set.",
  ),
  secrets: secretsWith({}),
  actors: node(
    {
      type: "object",
      propertyNames: NAME,
      additionalProperties: { anyOf: [IDENTITY, { type: "array", items: IDENTITY, minItems: 1 }] },
    },
    "Who acts, by name; a list is a group.",
  ),
  defaults: element(AS, "What every step has that does not say it."),
  steps: steps("What is done, one after the other."),
  reconcile: node(
    { type: "array", items: comparison, minItems: 1, maxItems: LIMITS.comparisons },
    "What must agree, in a playbook of mode: read-only.",
    { each: () => COMPARISON },
  ),
  checks: node(
    { type: "array", items: check, minItems: 1, maxItems: LIMITS.steps },
    "What must hold when all steps are complete; looked at again by `resume`.",
    { each: () => CHECK },
  ),
  outputs: node({ type: "object", propertyNames: NAME }, "Values that the run reports."),
};

/** The row of the `inputs`, each of which has this schema. */
export function inputsWith(input: object): Keyword<Value> {
  const schema = { type: "object", propertyNames: NAME, additionalProperties: input };
  return node(schema, "Typed values given when the playbook is run, by name: in expressions inputs.NAME.", { each: () => INPUT });
}

/** The row of the `secrets`, each of which has this schema. What each must be is left to the check. */
export function secretsWith(secret: object): Keyword<Value> {
  return node(
    { type: "object", propertyNames: OUTSIDE_NAME, additionalProperties: secret },
    "What the playbook must know and nobody may see, by name: in expressions secrets.NAME. Masked in all that is kept or shown.",
  );
}
