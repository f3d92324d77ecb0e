import { LIMITS } from "../../base/limits.ts";
import { TAG_PATTERN } from "../../base/text/tag.ts";
import { CHECK, COMPARISON } from "./comparison.ts";
import { INPUT } from "./input.ts";
import {
  choice,
  duration,
  element,
  elementNode,
  frameOf,
  type PlainKeyword,
  type Keywords,
  node,
  text,
  type Value,
  type Values,
} from "./keyword.ts";
import { hasEntities, services } from "../../services/services.ts";
import { AS, IDENTITY, NAME, OUTSIDE_NAME, type RetryFields, retryWith } from "./shared.ts";
import { steps } from "./step.ts";
import { SECRET_REFERENCE } from "../../base/secret.ts";

// The keywords at the head of a playbook, and those of its declarations.

/** The fields of a schedule. */
export interface ScheduleFields extends Values<"cron" | "timezone"> {
  /** What happens to a firing if the previous run has not ended. */
  readonly overlap: "skip" | "queue" | "cancel";
  /** How late a missed firing may still run, in milliseconds. */
  readonly catchup: number;
  /** The longest random delay of a firing, in milliseconds. */
  readonly jitter: number;
  /** How long a run may take, including all attempts, in milliseconds; `undefined` without a limit. */
  readonly timeLimit: number | undefined;
  /** When a failed run is repeated; `undefined` for never. */
  readonly retry: RetryFields | undefined;
}

/** The default time zone of a schedule. */
export const DEFAULT_ZONE = "UTC";

/** The keywords of a `schedule`. */
export const SCHEDULE: Keywords<ScheduleFields> = {
  cron: node(
    { type: "string" },
    'When: minute, hour, day, month and weekday, such as "15 2 * * *"; with six fields, the first is seconds.',
    { required: true },
  ),
  timezone: node({ type: "string" }, "The time zone, such as Europe/Paris", { default: DEFAULT_ZONE }),
  overlap: choice(
    ["skip", "queue", "cancel"],
    "What to do while the previous run has not ended: skip this one, let one wait, or cancel the older one",
    { default: "skip" },
  ),
  catchup: duration("How late a missed firing may still run; of several, only the last one runs. 0s: never", { default: "0s" }),
  jitter: duration("Delays each firing by up to this time, always by the same amount", { default: "0s" }),
  timeLimit: duration("How long a run may take, with all its tries; then it is stopped and fails."),
  retry: element(retryWith("1m"), "Repeats a failed run; only for a playbook of mode: read-only."),
};

/** Which runs must not act at the same time. */
export interface ConcurrencyFields extends Values<"group"> {
  /** Whether to refuse or to wait while another run is in the group. */
  readonly overlap: "refuse" | "wait";
  /** How long to wait for the group, in milliseconds. */
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
      message: "`timeout` limits the waiting, but this playbook does not wait for its group",
      suggestion: "add overlap: wait, or delete it",
    },
  }),
};

/** The schema of one of the `secrets`, for editors. The check reports a wrong one without showing its value. */
export const SECRET: object = {
  type: "string",
  pattern: SECRET_REFERENCE,
  description: "Where the secret is: env:VARIABLE, or file:PATH from the playbook's folder. Never write the secret itself here.",
};

type Listed = "tags" | "inputs" | "env" | "secrets" | "actors" | "steps" | "reconcile" | "checks" | "outputs";

/** A playbook without any of these fields would do nothing. */
export const DOING: readonly Listed[] = ["steps", "reconcile", "checks"];

/** The fields of a playbook. */
export interface PlaybookFields extends Values<Listed | "playbook" | "schedule" | "concurrency"> {
  /** The id by which its drifts are remembered, instead of the file's name. */
  readonly id: string | undefined;
  /** What the playbook does, for people; `undefined` if it has no name. */
  readonly name: string | undefined;
  /** What people should know about it; `undefined` if there is nothing. */
  readonly description: string | undefined;
  /** `read-only`: neither the playbook nor a playbook that it includes has a write. */
  readonly mode: "read-only" | "read-write";
  /** The actor of every step without an `as` of its own. */
  readonly defaults: Values<"as"> | undefined;
}

const comparison = frameOf(COMPARISON, {
  description: "Two sides that must agree, or a quantity that is conserved; each difference is a drift with a name of its own.",
});
const check = frameOf(CHECK, {
  description: "What must hold over fresh reads when all steps are complete: a condition, or the conservation of a quantity.",
});

/** The keywords of a playbook. */
export const PLAYBOOK: Keywords<PlaybookFields> = {
  playbook: node({ const: 1 }, "The version of the language.", { required: true }),
  id: text(
    "Drifts are remembered under it instead of the file's name: set one before you rename the file.",
    {},
    { pattern: TAG_PATTERN },
  ),
  name: text("What the playbook does."),
  description: text("What people should know about it."),
  tags: node(
    { type: "array", items: { type: "string", pattern: TAG_PATTERN }, minItems: 1 },
    "Words by which you choose playbooks: tokenbook run playbooks --tags smoke,!slow.",
  ),
  mode: choice(["read-only", "read-write"], "read-only: the check proves that no step writes", { default: "read-write" }),
  schedule: elementNode(SCHEDULE, "When `tokenbook schedule` runs the playbook."),
  concurrency: elementNode(
    CONCURRENCY,
    "Of all runs that share a state directory and name the same group, only one acts at a time.",
  ),
  inputs: inputsWith({ type: "object", examples: ["{ type: integer }"] }),
  env: node(
    {
      type: "object",
      propertyNames: OUTSIDE_NAME,
      additionalProperties: {
        type: ["string", "null"],
        description: "The text when the variable is not set; ~ when it must be set.",
      },
    },
    "Variables with their defaults, by name: in expressions env.NAME. A variable of the process with the same name wins over the default; without a default (~), it must be set.",
  ),
  secrets: secretsWith({}),
  actors: node(
    {
      type: "object",
      propertyNames: NAME,
      additionalProperties: {
        anyOf: [IDENTITY, { type: "array", items: IDENTITY, minItems: 1 }],
        examples: [`{ ${services.find(hasEntities)?.name ?? ""}: "userId:alice" }`],
      },
    },
    "Who acts, by name; a list is a group.",
  ),
  defaults: element(AS, "The actor of every step without its own `as`."),
  steps: steps("What to do, one step after the other. A playbook has `steps`, `reconcile` or `checks`."),
  reconcile: node(
    { type: "array", items: comparison, minItems: 1, maxItems: LIMITS.comparisons },
    "What must agree, in a playbook of mode: read-only.",
    { each: () => COMPARISON },
  ),
  checks: node(
    { type: "array", items: check, minItems: 1, maxItems: LIMITS.steps },
    "What must hold when all steps are complete; `resume` checks it again.",
    { each: () => CHECK },
  ),
  outputs: node({ type: "object", propertyNames: NAME }, "Values that the run reports."),
};

/** Makes the row of `inputs` from the schema of one of them. */
export function inputsWith(input: object): PlainKeyword<Value> {
  const schema = { type: "object", propertyNames: NAME, additionalProperties: input };
  return node(schema, "Typed values that you give when you run the playbook, by name: in expressions inputs.NAME.", {
    each: () => INPUT,
  });
}

/** Makes the row of `secrets` from the schema of one secret. The check reads each of them. */
export function secretsWith(secret: object): PlainKeyword<Value> {
  return node(
    { type: "object", propertyNames: OUTSIDE_NAME, additionalProperties: secret },
    "Secret values, by name: in expressions secrets.NAME. They are masked wherever they are kept or shown.",
  );
}
