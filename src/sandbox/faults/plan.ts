import schema from "../../../schemas/faults.schema.json" with { type: "json" };
import { plainView } from "../../base/json/json.ts";
import { didYouMean } from "../../base/text/text.ts";
import { contract } from "../../contract/contract.ts";
import { INVESTOR_WRITES } from "../investor/operations.ts";
import { LEDGER_WRITES } from "../ledger/operations.ts";
import { demandShape, wrongAt, type DocumentShape } from "../shape.ts";

/** Which calls go wrong, and how. `schemas/faults.schema.json` describes it. */
export type FaultPlan = readonly FaultRule[];

/** One thing that goes wrong. */
export interface FaultRule {
  /** The name of an operation; `*` matches any characters. If left out, every call matches. */
  readonly operation?: string;
  /** The first matching call at which the rule is due. */
  readonly nth?: number;
  /** How often it fires: once if `nth` is given, otherwise at every matching call. */
  readonly times?: number;
  /** What goes wrong when the rule is due. */
  readonly fault: Fault;
}

/** What goes wrong. Durations are written as `500ms`, `2s`, `10m`. */
export type Fault =
  | "drop-before"
  | "drop-after"
  | "garbage"
  | "html"
  | "truncated"
  | "receipt-failed"
  | { readonly delay: string }
  | { readonly stale: string }
  | { readonly status: number; readonly retryAfter?: string }
  | { readonly "status-after": number }
  | ({ readonly gateway: number } & GatewayWords)
  | ({ readonly "gateway-after": number } & GatewayWords)
  | { readonly "receipt-pending": string }
  | { readonly "receipt-failed": string };

/** The error of a gateway in front of the service, which never looks like an error of the service. */
export interface GatewayWords {
  /** A duration such as `2s` for the Retry-After header. If left out, there is no such header. */
  readonly retryAfter?: string;
  /** The form of the body. If left out, JSON. */
  readonly body?: "json" | "text" | "empty";
}

/** The name and code of failures about a fault plan. */
export const FAULTS: DocumentShape = { name: "the fault plan", code: "sandbox.faults-invalid", schema };

/** Reads a fault plan from a parsed value, such as that of a YAML file. Throws a Failure that names the wrong place. */
export function readFaults(value: unknown): FaultPlan {
  demandShape(value, FAULTS);
  const plan = plainView(value) as FaultPlan;
  for (const [at, rule] of plan.entries()) demandMatchable(rule, at);
  return plan;
}

/** Returns whether calls of the operation can match the rule. Faults of receipts only affect ledger writes, and only reads can be stale. */
export function matches(rule: FaultRule, operation: string): boolean {
  if (!isNamed(rule.operation ?? "*", operation)) return false;
  if (befallsReceipt(rule.fault)) return Object.hasOwn(LEDGER_WRITES, operation);
  return !isStale(rule.fault) || !isWrite(operation);
}

/** Returns whether a read must be answered from an earlier moment. */
export function isStale(fault: Fault): boolean {
  return typeof fault === "object" && "stale" in fault;
}

function isWrite(operation: string): boolean {
  return Object.hasOwn(LEDGER_WRITES, operation) || Object.hasOwn(INVESTOR_WRITES, operation);
}

function befallsReceipt(fault: Fault): boolean {
  return fault === "receipt-failed" || (typeof fault === "object" && ("receipt-failed" in fault || "receipt-pending" in fault));
}

function isNamed(glob: string, operation: string): boolean {
  const parts = glob.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".*")}$`).test(operation);
}

function demandMatchable(rule: FaultRule, at: number): void {
  const names = Object.keys(contract.operations);
  if (names.some((name) => matches(rule, name))) return;
  const { operation = "*" } = rule;
  const known = names.some((name) => isNamed(operation, name));
  const why = isStale(rule.fault) ? "is a write, and only reads are stale" : "is no ledger write, so it has no receipt";
  if (known) throw wrongAt(FAULTS, [at, "operation"], `${operation} ${why}`);
  const meant = didYouMean(operation, names);
  const fix = meant === undefined ? undefined : `did you mean ${meant}?`;
  throw wrongAt(FAULTS, [at, "operation"], `there is no operation ${operation}`, fix);
}
