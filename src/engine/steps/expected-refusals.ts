import { adviceText, command } from "../../base/command-line.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import type { Operation } from "../../operations/operation.ts";
import {
  conditionIn,
  type ExpectedRefusal,
  expectedWords,
  type GivenRefusal,
  nearestCondition,
  plainWords,
  refusalMeets,
} from "../../operations/refusal.ts";
import type { CallStep } from "../../playbook/model.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Reply } from "../service/reply.ts";

// A step with `fails` passes if the service refuses it for the reason that the playbook expects.

/** Whether the step expects this refusal. */
export function isExpectedRefusal({ fails }: CallStep, refusal: GivenRefusal): boolean {
  return fails !== undefined && refusalMeets(fails, refusal);
}

/** Returns the service's own message in a refusal, without the text that tokenbook puts before it. */
export function saidBy({ status, condition, message }: Pick<Reply, "status" | "condition" | "message">): GivenRefusal {
  const prefix = `HTTP ${status}: `;
  const at = message.indexOf(prefix);
  return {
    status: status ?? undefined,
    condition: condition ?? undefined,
    message: at < 0 ? message : message.slice(at + prefix.length),
  };
}

/** Returns the problem of a refused call. If another refusal was expected, the problem names both refusals. */
export function notAsExpected({ fails, operation }: CallStep, refusal: GivenRefusal, problem: StepProblem): StepProblem {
  if (fails === undefined) return problem;
  const condition = conditionIn(refusal);
  const nearest = nearestCondition(condition ?? refusal.message, operation.call);
  const came: JsonObject = { status: statusOf(refusal), condition: condition ?? null, message: refusal.message };
  return {
    code: "fails.mismatch",
    message: `refused, but not as expected: ${problem.message}`,
    why: `the playbook expects ${expectedWords(fails)}; the service gave ${givenWords(refusal, condition)}`,
    evidence: { ...came, nearestListed: nearest ?? null },
    next: problem.next ?? (lacksOnlyStatus(fails, refusal) ? LEAVE_OUT_STATUS : hintOf(fails, nearest, operation)),
  };
}

/** Returns the problem of an error that may come from a gateway. If a refusal was expected, it says why this error does not count as one. */
export function notOwnError({ fails }: CallStep, problem: StepProblem, setting: string): StepProblem {
  if (fails === undefined) return problem;
  const why = `the playbook expects ${expectedWords(fails)}; the answer is not in the service's error format, so a gateway may have answered`;
  return {
    ...problem,
    code: "service.foreign-answer",
    why: problem.why === undefined ? why : `${why}; ${problem.why}`,
    next: problem.next ?? `if it was the service, declare its format at ${setting}`,
  };
}

const LEAVE_OUT_STATUS = "leave `status` out of `fails`: this refusal came with a receipt, which has no status code";

function lacksOnlyStatus(fails: ExpectedRefusal, refusal: GivenRefusal): boolean {
  return refusal.status === undefined && refusalMeets({ ...fails, statuses: [] }, refusal);
}

function hintOf({ condition = "" }: ExpectedRefusal, nearest: string | undefined, { name }: Operation): string {
  if (nearest === undefined) return adviceText(command`operations ${name}`);
  return plainWords(nearest) === plainWords(condition)
    ? "if this refusal is right, set the status and message of `fails` to those of the answer"
    : `if this refusal is right, write fails: { condition: ${nearest} }`;
}

function statusOf({ status }: GivenRefusal): JsonObject[string] {
  return status === undefined ? null : Decimal.of(status);
}

function givenWords({ status, condition: own }: GivenRefusal, condition: string | undefined): string {
  const code = status === undefined ? "a receipt without a status code" : `HTTP ${status}`;
  if (condition === undefined) return `${code}, and no condition that is listed`;
  return `${code} and the condition "${condition}"${own === undefined ? ", as its message says" : ""}`;
}

/** Returns the problem of a call that should have been refused, but was accepted. */
export function notRefused(fails: ExpectedRefusal): StepProblem {
  return {
    code: "fails.succeeded",
    message: `expected the service to refuse this with ${expectedWords(fails)}, but it accepted it`,
  };
}
