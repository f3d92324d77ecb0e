import { LIMITS } from "../../base/limits.ts";
import {
  choice,
  duration,
  type EditedKeywords,
  element,
  expression,
  frameOf,
  type PlainKeyword,
  type Keywords,
  node,
  number,
  type Table,
  text,
  type Value,
  type Values,
} from "./keyword.ts";
import { AS, BACKOFF, LOOP, NAME, type RetryFields, retryWith, SIDE_READ, type SideReadFields } from "./shared.ts";
import { STEP_ID } from "../../base/text/step-id.ts";

// The keywords of a step.

/** Makes the row of a list of steps. The steps are checked one by one, because the frame of a step cannot contain itself. */
export function steps(description: string): PlainKeyword<Value> & { readonly edit: "none" } {
  const schema = { type: "array", items: { type: "object" }, minItems: 1, maxItems: LIMITS.steps };
  return node(schema, description, { each: () => STEP, edit: "none" });
}

/** The common fields of every step. */
export interface HeadFields extends Values<"id" | "if" | "foreach"> {
  /** What the step does, for people; `undefined` if it has no name. */
  readonly name: string | undefined;
}

/** The keywords that every step may have, and whose edit contradicts a run that has done the step. */
export type FixedOfHead = "if" | "foreach";

const HEAD: EditedKeywords<HeadFields, FixedOfHead> = {
  id: node(
    { type: "string", pattern: STEP_ID },
    "The name by which later steps use this one: steps.ID. Small letters, digits and _; not in, true, false, null, checks, constructor or prototype.",
    { edit: "none" },
  ),
  name: text("What the step does, for people.", { edit: "none" }),
  if: node({ type: ["string", "boolean"] }, "An expression. If it is false, the step is skipped.", { edit: "conflict" }),
  foreach: { ...LOOP, edit: "conflict" },
};

/** The parts of a block. */
export type BlockFields = Values<"block" | "rescue" | "always">;

const PARTS: EditedKeywords<BlockFields, never> = {
  block: steps("Steps that belong together."),
  rescue: steps("Steps that run when a step of the block has failed: then the block is rescued."),
  always: steps(
    "Steps that run at the end, whether the block failed or not, and after Ctrl-C. They do not run while a step of the block is pending, unknown, a conflict or a drift.",
  ),
};

/** What a step calls, or the playbook that it includes. */
export type UseFields = Values<"uses" | "with">;

const USE: EditedKeywords<UseFields, "uses" | "with"> = {
  uses: expression("The operation, such as ledger.token.mint, or another playbook, such as ./deposit.yaml.", {
    names: "uses",
    edit: "conflict",
  }),
  with: node({ type: "object" }, "The input of the operation, or of the playbook.", { edit: "conflict" }),
};

// A peer that has not seen a commit yet may answer a read right after it.
const within = duration("How long it may take until the service shows the written value", { default: "10s" });
const read = { ...SIDE_READ.read, required: true } as const;

/** The effect that a write must have. */
export type EnsureFields = SideReadFields & Values<"that"> & { readonly within: number };

const ENSURE: Keywords<EnsureFields> = {
  ...SIDE_READ,
  read,
  that: expression("An expression over response, the answer of the read.", { required: true }),
  within,
};

/** How to find what a write created. */
export type DiscoverFields = SideReadFields & Values<"one" | "outputs"> & { readonly within: number };

const DISCOVER: Keywords<DiscoverFields> = {
  ...SIDE_READ,
  read,
  within,
  one: expression("An expression over response that gives a list of exactly one item.", { required: true }),
  outputs: node(
    { type: "object", propertyNames: NAME, additionalProperties: { type: "string" }, minProperties: 1 },
    "What later steps get, as expressions over one: `{ found: one.id }` gives steps.ID.found.",
    { required: true },
  ),
};

/** How long to wait, and with which pauses. */
export type WaitFields = Readonly<Record<"timeout" | "every" | "backoff" | "max", number>>;

function waitWith(every: string, max: string): Keywords<WaitFields> {
  return {
    timeout: duration("When to stop waiting", { default: "60s" }),
    every: duration("The first pause", { default: every }),
    backoff: number(BACKOFF, "Each pause is this many times the previous one", { default: "1.5" }),
    max: duration("The longest pause", { default: max }),
  };
}

/** The keywords of `wait` for the receipt of a write, and between the reads of an `until`. */
export const WAITS: Readonly<Record<"receipt" | "until", Keywords<WaitFields>>> = {
  receipt: waitWith("25ms", "2s"),
  until: waitWith("250ms", "5s"),
};

/** What the message of a refusal must contain. */
export interface MessageFields extends Values<"matches"> {
  /** The exact text of a part of the message. */
  readonly contains: string | undefined;
}

const MESSAGE: Keywords<MessageFields> = {
  contains: text("A part of the message, letter by letter.", {}, { minLength: 1 }),
  matches: node({ type: "string", minLength: 1 }, "A regular expression (RE2) that is found in the message."),
};

/** How the service must refuse. */
export interface FailsFields extends Values<"condition" | "status"> {
  /** What the message of the refusal must contain; `undefined` for anything. */
  readonly message: MessageFields | undefined;
}

const STATUS = { type: "integer", minimum: 400, maximum: 599 };

const FAILS: Keywords<FailsFields> = {
  condition: node(
    { type: "string", minLength: 1 },
    "The whole condition, in the words of the service, large or small letters: tokenbook operations NAME lists those of an operation.",
    { names: "condition" },
  ),
  status: node(
    { anyOf: [STATUS, { type: "array", items: STATUS, minItems: 1 }] },
    "The HTTP status code of the refusal, or a list of possible codes.",
  ),
  message: element(MESSAGE, "What the service's message must contain or match.", {}, { minProperties: 1 }),
};

/** The fields of a call in addition to its head. */
export interface CallFields extends UseFields, Values<"as" | "wait" | "until" | "expect"> {
  /** The effect that the write must have; `undefined` without one. */
  readonly ensure: EnsureFields | undefined;
  /** How to find what the write created; `undefined` without it. */
  readonly discover: DiscoverFields | undefined;
  /** How many pages of a list to read. */
  readonly pages: number;
  /** How a failed read, or a block that only reads, is tried again; `undefined` without one. */
  readonly retry: RetryFields | undefined;
  /** How long to wait for `until`, in milliseconds; `undefined` for the timeout of `wait`. */
  readonly timeout: number | undefined;
  /** How the step ends if `until` does not hold in time. */
  readonly on_timeout: "fail" | "pending";
  /** The expected refusal; `undefined` without one. */
  readonly fails: FailsFields | undefined;
}

/** The keywords of a call whose edit contradicts a run that has made it. */
export type FixedOfCall = "uses" | "with" | "as" | "pages" | FixedOfDoneCall;

/** The keywords that say when a call need not change anything. Their edit matters once the call is done. */
export type FixedOfDoneCall = "ensure" | "fails";

const notWithFails = (why: string) => ({ excludedBy: { keyword: "fails", message: `a step with \`fails\` ${why}` } }) as const;

const CALL: EditedKeywords<CallFields, FixedOfCall> = {
  as: { ...AS.as, edit: "conflict" },
  ...USE,
  ensure: element(
    ENSURE,
    "The effect that the write must have. If it is there already, the step is unchanged and nothing is sent; after the write it must be there.",
    { only: "writes", ...notWithFails("changes nothing, so there is nothing to ensure"), edit: "conflict" },
  ),
  discover: element(
    DISCOVER,
    "Finds, with a read, what the write made but did not name. It replaces the search of the operation itself, and so the `id` of a request.",
    {
      only: "writes",
      ...notWithFails("changes nothing, so there is nothing to discover"),
      edit: "none",
    },
  ),
  pages: {
    schema: {
      anyOf: [{ enum: ["all", "first"] }, { type: "integer", minimum: 1, maximum: LIMITS.pages }],
      description: "How many pages of a list to read; all, when left out.",
    },
    read: (value) =>
      value?.kind !== "scalar" || value.value === "all" ? LIMITS.pages : value.value === "first" ? 1 : Number(value.value),
    default: "all",
    only: "paged lists",
    edit: "conflict",
  },
  retry: element(
    retryWith("1s"),
    `Tries again what failed: a read, or a block that only reads. A write is never repeated. A try of a read is one request. Without \`retry\`, a read with no answer or a server error is sent up to ${LIMITS.readAttempts} times.`,
    { only: "reads", instead: "what surely had no effect is sent again by itself", edit: "none" },
    { examples: ["{ attempts: 3 }"] },
  ),
  wait: node(
    { anyOf: [{ const: "none" }, frameOf(WAITS.receipt)], examples: ["{ timeout: 30s }"] },
    `How to wait for a receipt, or between reads of \`until\` (every: ${WAITS.until.every.default}, max: ${WAITS.until.max.default}, when left out); \`none\` does not wait for the receipt, but a step with \`fails\` always does.`,
    {
      inside: () => WAITS.receipt,
      needs: { keyword: "until", of: "reads", message: "a read waits only for its until" },
      edit: "none",
    },
  ),
  until: expression("An expression over response: the read is repeated until it holds.", {
    only: "reads",
    instead: "read back with a step of its own, and repeat that",
    ...notWithFails("has no response to wait for"),
    edit: "none",
  }),
  timeout: duration("When to stop repeating for `until`; without it, `wait` decides.", {
    needs: {
      keyword: "until",
      message: "timeout says how long to repeat for `until`, and there is no until",
      suggestion: "for a receipt write wait: { timeout: … }",
    },
    edit: "none",
  }),
  on_timeout: choice(["fail", "pending"], "What the step is when `until` did not hold in time", {
    default: "fail",
    needs: { keyword: "until", message: "on_timeout belongs to until" },
    edit: "none",
  }),
  expect: node(
    {
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, minItems: 1 }],
      examples: ['response.name == "First"'],
    },
    "Expressions that must hold, over response and steps.",
    { ...notWithFails("has no response to expect anything of"), edit: "none" },
  ),
  fails: element(
    FAILS,
    "The service must refuse this call, and its refusal must match everything that is given here.",
    { edit: "conflict" },
    { minProperties: 1 },
  ),
};

/** The keywords of each kind of step. */
export const STEP_KINDS: Readonly<Record<"call" | "block" | "include", Table>> = {
  call: { ...HEAD, ...CALL },
  block: { ...HEAD, ...PARTS, retry: CALL.retry },
  include: { ...HEAD, ...USE },
};

/** The fields of any kind of step, before its kind is known. */
export type StepFields = HeadFields & BlockFields & CallFields;

/** The keywords of a step. */
export const STEP: Keywords<StepFields> = { ...HEAD, ...PARTS, ...CALL };
