import { parseDuration } from "../../base/duration.ts";
import { invariant } from "../../base/failure.ts";
import type { WriteFault } from "../ledger/chain.ts";
import type { Fault } from "./plan.ts";

const DEFAULT_DOOM = "the ledger could not commit the transaction";

/** What a fault does to one call. */
export type Effect =
  | { readonly kind: "drop-before" | "drop-after" | "garbage" | "html" | "truncated" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "stale"; readonly ms: number }
  | { readonly kind: "status"; readonly status: number; readonly retryAfterMs?: number }
  | { readonly kind: "status-after"; readonly status: number }
  | { readonly kind: "receipt"; readonly write: WriteFault };

/** The effect of a fault. */
export function effectOf(fault: Fault): Effect {
  if (fault === "receipt-failed") return { kind: "receipt", write: { doom: DEFAULT_DOOM } };
  if (typeof fault === "string") return { kind: fault };
  if ("delay" in fault) return { kind: "delay", ms: milliseconds(fault.delay) };
  if ("stale" in fault) return { kind: "stale", ms: milliseconds(fault.stale) };
  if ("status-after" in fault) return { kind: "status-after", status: fault["status-after"] };
  if ("receipt-pending" in fault) return { kind: "receipt", write: { holdMs: milliseconds(fault["receipt-pending"]) } };
  if ("receipt-failed" in fault) return { kind: "receipt", write: { doom: fault["receipt-failed"] } };
  const { status, retryAfter } = fault;
  return { kind: "status", status, ...(retryAfter === undefined ? {} : { retryAfterMs: milliseconds(retryAfter) }) };
}

function milliseconds(duration: string): number {
  const ms = parseDuration(duration);
  invariant(ms, `${duration} is no duration`);
  return Math.round(ms);
}
