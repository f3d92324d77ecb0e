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
  // A receipt of another transaction proves nothing of this write.
  const isOfAnother = (receipt: Json): boolean =>
    namesAnother(receipt, state.answered?.payload ?? null) || provenOther(context.state, place.address, receipt) !== undefined;
  let last: Json = null;
  const look = async (): Promise<Look<{ committed: boolean; receipt: JsonObject }>> => {
    const reply = await context.service.call({ operation: operationNamed("ledger.receipt.get"), input: { receiptId }, caller });
    last = reply.answer?.payload ?? reply.message;
    return isOfAnother(last) ? "again" : judge(last, context.target.profile.ledger.receipt);
  };
  const found = await lookUntil(context, { address: place.address, for: `the receipt ${receiptId}`, wait }, look);
  if (found === "stopping") return;
  if (found === "late")
    return context.stop(place, {
      startedAt: state.intendedAt,
      outcome: "unknown",
      problem: { ...undecided(receiptId, wait.timeoutMs, isOfAnother(last)), evidence: last, next: whatNext(context, place) },
    });
  context.note({ kind: "receipt.read", step: place.address, attempt: state.intended.attempt, ...found });
}

function judge(
  receipt: Json,
  { committed, failed }: LedgerProfile["receipt"],
): Look<{ committed: boolean; receipt: JsonObject }> {
  if (!isObject(receipt)) return "again";
  const { status } = receipt;
  if (typeof status !== "string") return "again";
  if (committed.includes(status)) return { found: { committed: true, receipt } };
  return failed.includes(status) ? { found: { committed: false, receipt } } : "again";
}

function namesAnother(receipt: Json, written: Json): boolean {
  const named = [receipt, written].map((each) => (isObject(each) ? each["transactionId"] : undefined));
  return new Set(named.filter((id) => typeof id === "string" && id !== "")).size > 1;
}

function undecided(receiptId: string, timeoutMs: number, isOfAnother: boolean): StepProblem {
  const says = isOfAnother
    ? "tells of another transaction than the write's"
    : "says neither that the write is committed nor that it failed";
  return {
    code: "receipt.undecided",
    message: `after ${timeoutMs / 1_000} s the receipt ${receiptId} ${says}`,
    why: "the ledger took the write and may still commit it, so it is not sent again",
  };
}
