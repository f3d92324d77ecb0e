import schema from "../../../schemas/faults.schema.json" with { type: "json" };
import { plainView } from "../../base/json.ts";
import { didYouMean } from "../../base/text.ts";
import { contract } from "../../contract/contract.ts";
import { LEDGER_WRITES } from "../ledger/operations.ts";
import { demandShape, wrongAt, type Shape } from "../shape.ts";

/** Which calls go wrong, and how; described by `schemas/faults.schema.json`. */
export type FaultPlan = readonly FaultRule[];

/** One thing that goes wrong. */
export interface FaultRule {
  /** Name of an operation; `*` stands for any characters. Every call matches when it is left out. */
  readonly operation?: string;
  /** The first matching call at which it is due. */
  readonly nth?: number;
  /** How often it fires: once if `nth` is given, else at every matching call. */
  readonly times?: number;
  readonly fault: Fault;
}

/** What goes wrong. Durations read as `500ms`, `2s`, `10m`. */
export type Fault =
  | "drop-before"
  | "drop-after"
  | "garbage"
  | "html"
  | "truncated"
  | "receipt-failed"
  | { readonly delay: string }
  | { readonly status: number; readonly retryAfter?: string }
  | { readonly "status-after": number }
  | { readonly "receipt-pending": string }
  | { readonly "receipt-failed": string };

/** What failures about a fault plan call it. */
export const FAULTS: Shape = { name: "the fault plan", code: "sandbox.faults-invalid", schema };

/** A fault plan from a parsed value, such as that of a YAML file. Throws a Failure that names the wrong place. */
export function readFaults(value: unknown): FaultPlan {
  demandShape(value, FAULTS);
  const plan = plainView(value) as FaultPlan;
  for (const [at, rule] of plan.entries()) demandMatchable(rule, at);
  return plan;
}

/** Whether calls of the operation can match the rule: what befalls a receipt befalls ledger writes only. */
export function matches(rule: FaultRule, operation: string): boolean {
  return isNamed(rule.operation ?? "*", operation) && (!befallsReceipt(rule.fault) || Object.hasOwn(LEDGER_WRITES, operation));
}

function befallsReceipt(fault: Fault): boolean {
  return fault === "receipt-failed" || (typeof fault === "object" && ("receipt-failed" in fault || "receipt-pending" in fault));
}

function isNamed(glob: string, operation: string): boolean {
  const parts = glob.split("*").map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(operation);
}

function demandMatchable(rule: FaultRule, at: number): void {
  const names = Object.keys(contract.operations);
  if (names.some((name) => matches(rule, name))) return;
  const { operation = "*" } = rule;
  const known = names.some((name) => isNamed(operation, name));
  if (known) throw wrongAt(FAULTS, [at, "operation"], `${operation} is no ledger write, so it has no receipt`);
  const meant = didYouMean(operation, names);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw wrongAt(FAULTS, [at, "operation"], `there is no operation ${operation}${hint}`);
}
