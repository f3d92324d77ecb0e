import { invariant } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { LedgerProfile } from "../../contract/profile.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { provenOther } from "../../protocol/state.ts";
import type { RunContext } from "../context.ts";
import { type Look, lookUntil } from "../waiting.ts";
import type { Attempted } from "./attempted.ts";
import { whatNext } from "./probe.ts";

/**
 * Asks for the receipt until it says COMMITTED or FAILED. Any other word, an unknown receipt and a failing network all mean:
 * keep asking. A deadline that passes leaves the write `unknown`: it was acknowledged, and may still commit.
 */
export async function awaitReceipt(context: RunContext, attempted: Attempted): Promise<void> {
  const { place, state, caller } = attempted;
  const { wait } = attempted.step;
  const receiptId = state.answered?.receiptId;
  invariant(wait !== undefined && receiptId !== undefined && receiptId !== null, "a receipt is awaited only where there is one");
  const written = state.answered?.payload;
  const transactionId = isObject(written) ? written["transactionId"] : undefined;
  let last: Json = null;
  const look = async (): Promise<Look<{ committed: boolean; receipt: JsonObject }>> => {
    const reply = await context.service.call({ operation: operationNamed("ledger.receipt.get"), input: { receiptId }, caller });
    last = reply.answer?.payload ?? reply.message;
    if (provenOther(context.state, place.address, last) !== undefined) return "again";
    return judge(last, transactionId, context.target.profile.ledger.receipt);
  };
  const found = await lookUntil(context, { address: place.address, for: `the receipt ${receiptId}`, wait }, look);
  if (found === "stopping") return;
  if (found === "late")
    return context.stop(place, {
      startedAt: state.intendedAt,
      outcome: "unknown",
      problem: { ...undecided(receiptId, wait.timeoutMs), evidence: last, next: whatNext(context, place) },
    });
  context.note({ kind: "receipt.read", step: place.address, attempt: state.intended.attempt, ...found });
}

function judge(
  receipt: Json,
  transactionId: Json | undefined,
  { committed, failed }: LedgerProfile["receipt"],
): Look<{ committed: boolean; receipt: JsonObject }> {
  if (!isObject(receipt) || isOfAnother(receipt, transactionId)) return "again";
  const { status } = receipt;
  if (typeof status !== "string") return "again";
  if (committed.includes(status)) return { found: { committed: true, receipt } };
  return failed.includes(status) ? { found: { committed: false, receipt } } : "again";
}

// A receipt that names another transaction proves nothing of this one.
function isOfAnother(receipt: JsonObject, transactionId: Json | undefined): boolean {
  const named = [receipt["transactionId"], transactionId].filter((id) => typeof id === "string" && id !== "");
  return new Set(named).size > 1;
}

function undecided(receiptId: string, timeoutMs: number): StepProblem {
  return {
    code: "receipt.undecided",
    message: `after ${timeoutMs / 1_000} s the receipt ${receiptId} says neither that the write is committed nor that it failed`,
    why: "the ledger took the write and may still commit it, so it is not sent again",
  };
}
