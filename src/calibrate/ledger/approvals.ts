import { Decimal } from "../../base/numbers/decimal.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { field, listOf, recordsIn, text } from "../../base/json/parts.ts";
import { LEDGER_PARAMETERS, PENDING_ONLY } from "./names.ts";
import { withSetting } from "../finding.ts";
import { isSteady, namesFor } from "../spellings.ts";
import type { CalibrationWriter } from "./writer.ts";

const DECISIONS = [
  { operation: "ledger.approval.accept", word: "approved" },
  { operation: "ledger.approval.reject", word: "rejected" },
  { operation: "ledger.approval.cancel", word: "cancelled" },
] as const;

/** Creates three approval requests to oneself, and accepts, rejects and cancels one each, so that each shows its status word. */
export async function findRequestWords(writer: CalibrationWriter, self: JsonObject): Promise<void> {
  const { findings } = writer.asker;
  const approvalType = `${writer.tag}Approval`;
  const wanted = { approvers: [self], numRequired: Decimal.of(1), timeout: Decimal.of(60), data: {} };
  const made = await writer.make("ledger.approval.create", { approvalType, items: [wanted, wanted, wanted] });
  const page = await writer.read("ledger.approval.mine", { approvalType, ...writer.wholePage() });
  const mine = recordsIn(field(page, "records"));
  const [first] = mine;
  if (made.kind !== "done" || mine.length < DECISIONS.length || first === undefined) {
    for (const word of ["pending", "approved", "rejected", "cancelled"])
      findings.leave(["ledger", "requestStatus", word], "the approval requests were not seen", made.evidence);
    return;
  }
  const pending = text(first["status"]);
  if (pending !== undefined && mine.every(({ status }) => status === pending))
    decide("pending", pending, "a request that nobody has voted on says this");
  const decided: string[] = [];
  for (const [at, { operation, word }] of DECISIONS.entries()) {
    const id = text(mine[at]?.["id"]) ?? "";
    const outcome = await writer.make(operation, { approvalType, items: [{ id, comment: writer.tag }] });
    const read = async (): Promise<string | undefined> =>
      text(field(await writer.read("ledger.approval.get", { approvalType, id }), "status"));
    const status = await read();
    const isOwn = status !== undefined && status !== pending && !decided.includes(status);
    if (outcome.kind === "done" && isOwn && (await read()) === status) {
      decided.push(status);
      decide(word, status, `a request says this after ${operation}`);
    } else
      findings.leave(
        ["ledger", "requestStatus", word],
        `a request showed no word of its own after ${operation}`,
        outcome.evidence,
      );
  }
  await findPendingOnlyByEffect(writer, approvalType);

  function decide(word: string, found: string, why: string): void {
    findings.observe(["ledger", "requestStatus", word], found, why, writer.asker.lastExchange());
  }
}

// All three requests are decided, so only the flag decides whether they are listed.
async function findPendingOnlyByEffect(writer: CalibrationWriter, approvalType: string): Promise<void> {
  const { findings } = writer.asker;
  if (findings.isDecided(PENDING_ONLY)) return;
  const list = async (more: JsonObject, name?: string): Promise<readonly Json[] | undefined> => {
    const profile = name === undefined ? writer.profile : withSetting(writer.profile, PENDING_ONLY, name);
    const queue = await writer.read("ledger.approval.queue", { approvalType, ...writer.wholePage(), ...more }, { profile });
    return queue === undefined ? undefined : listOf(field(queue, "records"));
  };
  if ((await list({}))?.length !== 0) return;
  for (const name of namesFor(writer.asker, PENDING_ONLY, LEDGER_PARAMETERS.pendingOnly)) {
    const all = await list({ pendingOnly: false }, name);
    if (all?.length !== DECISIONS.length) continue;
    const isAll = async (): Promise<boolean> => (await list({ pendingOnly: false }, name))?.length === DECISIONS.length;
    if (!(await isSteady(isAll, async () => (await list({}))?.length === 0))) continue;
    const why = "with it, a queue shows the requests that are decided, and without it none";
    return findings.observe(PENDING_ONLY, name, why, writer.asker.lastExchange());
  }
}
