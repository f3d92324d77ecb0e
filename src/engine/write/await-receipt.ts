import { invariant } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { field, text } from "../../base/json/parts.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { Receipts } from "../../services/service.ts";
import type { RunContext } from "../run/run-context.ts";
import { type LookResult, lookUntil } from "../read/look-until.ts";
import type { Attempted } from "./attempted.ts";
import { whatNext } from "./probe.ts";
import { whyNotOwn } from "./own-answer.ts";

/**
 * Asks for the receipt until it says COMMITTED or FAILED for this very write. Keeps asking after any other status, an unknown receipt, a receipt
 * that is no evidence, or a network failure. When the deadline passes, the write is `unknown`: it was acknowledged, and may still commit.
 */
export async function awaitReceipt(context: RunContext, attempted: Attempted): Promise<void> {
  const { place, state, caller } = attempted;
  const { wait } = attempted.step;
  const receiptId = state.answered?.receiptId;
  invariant(wait !== undefined && receiptId !== undefined && receiptId !== null, "a receipt is awaited only where there is one");
  let [last, says]: [Json, string] = [null, UNDECIDED];
  const { receipts } = attempted.step.operation.service;
  invariant(receipts !== undefined, `${attempted.step.operation.name} gives no receipts`);
  const { operation, input } = receipts.read(receiptId);
  const look = async (): Promise<LookResult<"read">> => {
    const reply = await context.service.call({ operation: operationNamed(operation), input, caller }, context.signal);
    last = reply.answer?.payload ?? reply.message;
    const judged = judge(context, { attempted, rules: receipts.rules(context.target.profile) }, last);
    if ("says" in judged) {
      ({ says } = judged);
      return "again";
    }
    // Recorded without a pause after the judgement, because another receipt that arrives at the same moment may name the same transaction.
    context.note({ kind: "receipt.read", step: place.address, attempt: state.intended.attempt, ...judged });
    return { found: "read" };
  };
  const found = await lookUntil(context, { address: place.address, for: `the receipt ${receiptId}`, wait }, look);
  if (found !== "late") return;
  context.stop(place, {
    startedAt: state.intendedAt,
    outcome: "unknown",
    problem: { ...undecided(receiptId, wait.timeoutMs, says), evidence: last, next: whatNext(context, place) },
  });
}

const UNDECIDED = "says neither that the write is committed nor that it failed";

type Judged = { readonly committed: boolean; readonly receipt: JsonObject } | { readonly says: string };

interface Judging {
  readonly attempted: Attempted;
  readonly rules: ReturnType<Receipts["rules"]>;
}

function judge(context: RunContext, { attempted, rules }: Judging, receipt: Json): Judged {
  if (!isObject(receipt)) return { says: UNDECIDED };
  const { status } = receipt;
  if (typeof status !== "string") return { says: UNDECIDED };
  const committed = rules.committed.includes(status);
  if (!committed && !rules.failed.includes(status)) return { says: UNDECIDED };
  // A failed transaction may have no id. An id that is given must be this write's.
  if (committed && rules.namesTransaction && transactionIn(receipt) === undefined)
    return { says: `says ${status} and names no transaction` };
  if (namesAnother(receipt, attempted.state.answered?.payload ?? null))
    return { says: "names another transaction than the answer did" };
  const says = whyNotOwn(context, attempted, receipt);
  return says === undefined ? { committed, receipt } : { says };
}

function namesAnother(receipt: Json, answer: Json): boolean {
  const named = [receipt, answer].flatMap((each) => transactionIn(each) ?? []);
  return new Set(named).size > 1;
}

function transactionIn(value: Json): string | undefined {
  return text(field(value, "transactionId"));
}

function undecided(receiptId: string, timeoutMs: number, says: string): StepProblem {
  return {
    code: "receipt.undecided",
    message: `after ${timeoutMs / 1_000} s the receipt ${receiptId} ${says}`,
    why: "the ledger took the write and may still commit it, so it is not sent again",
  };
}
