import type { ContractOperation } from "../../contract/contract.ts";
import type { SchemaViolation } from "../../schema/validator.ts";
import type { Condition } from "../refusal.ts";

// The conditions that the description lists for particular violations of a call's schema.
const SPECIAL: readonly { readonly condition: Condition; readonly fits: (problem: SchemaViolation) => boolean }[] = [
  { condition: "token id missing from the request", fits: (problem) => isMissing(problem, "id") },
  { condition: "owners missing from the request", fits: (problem) => isMissing(problem, "owners") },
];

/** Returns the condition for invalid parameters, as the description lists it for the call. */
export function invalidity({ conditions }: ContractOperation, problems: readonly SchemaViolation[] = []): Condition {
  const special = SPECIAL.find(({ condition, fits }) => conditions.includes(condition) && problems.some(fits));
  if (special !== undefined) return special.condition;
  return conditions.includes("invalid request parameters") ? "invalid request parameters" : "invalid parameters";
}

// The conditions for a caller who may not make a call, whatever it is about.
const FOREIGN: readonly Condition[] = [
  "access denied for the caller",
  "access denied",
  "unauthorized caller",
  "invalid access id or caller",
  "invalid caller",
];

/** Returns the condition for an acting entity of another organization. */
export function foreignness(operation: ContractOperation): Condition {
  return FOREIGN.find((condition) => operation.conditions.includes(condition)) ?? invalidity(operation);
}

/** Returns the condition for a failure of the service itself. */
export function failure({ conditions }: ContractOperation): Condition {
  return conditions.includes("general server error") ? "general server error" : "server error";
}

function isMissing({ keyword, params }: SchemaViolation, property: string): boolean {
  return keyword === "required" && params["missingProperty"] === property;
}
