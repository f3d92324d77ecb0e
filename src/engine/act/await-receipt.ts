import { invariant } from "../../base/failure.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Caller } from "../caller.ts";
import type { RunContext } from "../context.ts";
import { type Look, lookUntil } from "../waiting.ts";
import type { Attempted } from "./attempted.ts";

/**
 * Asks for the receipt until it says COMMITTED or FAILED. Any other word, an unknown receipt and a failing network all mean:
 * keep asking. A deadline that passes leaves the write `unknown`: it was acknowledged, and may still commit.
 */
export async function awaitReceipt(context: RunContext, attempted: Attempted): Promise<void> {
  const { place, state, caller } = attempted;
  const { wait } = attempted.step;
  const receiptId = state.answered?.receiptId;
  invariant(wait !== undefined && receiptId !== undefined && receiptId !== null, "a receipt is awaited only where there is one");
  const look = (): Promise<Look<{ committed: boolean; receipt: JsonObject }>> => lookAtReceipt(context, receiptId, caller);
  const found = await lookUntil(context, { address: place.address, for: `the receipt ${receiptId}`, wait }, look);
  if (found === "stopping") return;
  if (found === "late")
    return context.stop(place, {
      startedAt: state.intendedAt,
      outcome: "unknown",
      problem: undecided(receiptId, wait.timeoutMs),
    });
  context.note({ kind: "receipt.read", step: place.address, attempt: state.intended.attempt, ...found });
}

async function lookAtReceipt(
  context: RunContext,
  receiptId: string,
  caller: Caller,
): Promise<Look<{ committed: boolean; receipt: JsonObject }>> {
  const reply = await context.service.call({ operation: operationNamed("ledger.receipt.get"), input: { receiptId }, caller });
  const receipt = reply.answer?.payload;
  if (!isObject(receipt)) return "again";
  const { committed, failed } = context.target.profile.ledger.receipt;
  const { status } = receipt;
  if (typeof status !== "string") return "again";
  if (committed.includes(status)) return { found: { committed: true, receipt } };
  return failed.includes(status) ? { found: { committed: false, receipt } } : "again";
}

function undecided(receiptId: string, timeoutMs: number): StepProblem {
  return {
    code: "receipt.undecided",
    message: `after ${timeoutMs / 1_000} s the receipt ${receiptId} says neither that the write is committed nor that it failed`,
    why: "the ledger took the write and may still commit it, so it is not sent again",
  };
}
