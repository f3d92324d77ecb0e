import { parseDuration } from "../../base/time/duration.ts";
import { invariant } from "../../base/failure.ts";
import type { WriteFault } from "../ledger/chain.ts";
import type { Fault, GatewayWords } from "./plan.ts";

const DEFAULT_DOOM = "the ledger could not commit the transaction";

/** The sandbox's words for an error that a fault plan has caused. */
export const FAULT_OF_THE_PLAN = "a fault of the plan";

/** The error of a gateway. Either the service has already done what was asked, or it never receives the call. */
export interface GatewayEffect {
  readonly kind: "gateway";
  /** `instead`: the service never receives the call. `afterwards`: the service has done what was asked. */
  readonly when: "instead" | "afterwards";
  /** The status code of the gateway's answer. */
  readonly status: number;
  /** The form of the answer's body, which is never that of the service. */
  readonly body: Required<GatewayWords>["body"];
  /** Milliseconds for the Retry-After header, which rounds them up to seconds. If left out, there is no such header. */
  readonly retryAfterMs?: number;
}

/** What a fault does to one call. */
export type Effect =
  | { readonly kind: "drop-before" | "drop-after" | "garbage" | "html" | "truncated" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "stale"; readonly ms: number }
  | { readonly kind: "status"; readonly status: number; readonly retryAfterMs?: number }
  | { readonly kind: "status-after"; readonly status: number }
  | GatewayEffect
  | { readonly kind: "receipt"; readonly write: WriteFault };

/** Returns the effect of a fault. */
export function effectOf(fault: Fault): Effect {
  if (fault === "receipt-failed") return { kind: "receipt", write: { doom: planned(DEFAULT_DOOM) } };
  if (typeof fault === "string") return { kind: fault };
  if ("delay" in fault) return { kind: "delay", ms: milliseconds(fault.delay) };
  if ("stale" in fault) return { kind: "stale", ms: milliseconds(fault.stale) };
  if ("status-after" in fault) return { kind: "status-after", status: fault["status-after"] };
  if ("gateway" in fault) return gatewayEffect("instead", fault.gateway, fault);
  if ("gateway-after" in fault) return gatewayEffect("afterwards", fault["gateway-after"], fault);
  if ("receipt-pending" in fault) return { kind: "receipt", write: { holdMs: milliseconds(fault["receipt-pending"]) } };
  if ("receipt-failed" in fault) return { kind: "receipt", write: { doom: planned(fault["receipt-failed"]) } };
  const { status, retryAfter } = fault;
  return { kind: "status", status, ...patience(retryAfter) };
}

// Only this text of a receipt can show that the service itself refused nothing.
function planned(message: string): string {
  return `${message} (${FAULT_OF_THE_PLAN})`;
}

function gatewayEffect(when: GatewayEffect["when"], status: number, { body = "json", retryAfter }: GatewayWords): GatewayEffect {
  return { kind: "gateway", when, status, body, ...patience(retryAfter) };
}

function patience(retryAfter: string | undefined): { readonly retryAfterMs?: number } {
  return retryAfter === undefined ? {} : { retryAfterMs: milliseconds(retryAfter) };
}

function milliseconds(duration: string): number {
  const ms = parseDuration(duration);
  invariant(ms, `${duration} is no duration`);
  return Math.round(ms);
}
