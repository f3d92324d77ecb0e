import { writeJson } from "../../base/json/json.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { RunRecord, Verdict } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";
import type { UnknownWrite } from "../../report/crash/shape.ts";
import type { Ledger, Repeat } from "./ledger.ts";

/** Returns the text of each step's write in the ledger, by the step's address. */
export function effectsOf(records: readonly RunRecord[], { writes }: Ledger): ReadonlyMap<string, string> {
  const answers = records.filter((record) => record.kind === "attempt.answered");
  const effects = answers.flatMap(({ step, payload }): [string, string][] => {
    const answer = writeJson(payload);
    const write = writes.find(({ transactionId }) => answer.includes(transactionId));
    return write === undefined ? [] : [[step, write.text]];
  });
  return new Map(effects);
}

/**
 * Returns the writes with unknown outcome, and what the ledger says about them. Such a write took effect if it is in the ledger and no record of the run
 * mentions it.
 */
export function unknownWrites(
  records: readonly RunRecord[],
  ledger: Ledger,
  effects: ReadonlyMap<string, string>,
): readonly UnknownWrite[] {
  const known = writeJson(records);
  const unclaimed = ledger.writes.filter(({ transactionId }) => !known.includes(transactionId));
  return openWrites(stateOf(records)).map(({ step, operation }) => {
    const expected = effects.get(step);
    const at = unclaimed.findIndex((each) => (expected === undefined ? each.operation === operation : each.text === expected));
    if (at >= 0) unclaimed.splice(at, 1);
    return { step, operation, tookEffect: at >= 0 };
  });
}

/** Returns the writes of values that a run has sent again without knowing the outcome of the first attempt. It may have set the same value twice. */
export function repeatsIn(records: readonly RunRecord[], effects: ReadonlyMap<string, string>): readonly Repeat[] {
  return settledAs("superseded", records, effects);
}

/** Returns the writes of values that were already there and whose outcome the run did not learn. They may have taken effect or not. */
export function unchangedIn(records: readonly RunRecord[], effects: ReadonlyMap<string, string>): readonly Repeat[] {
  return settledAs("unchanged", records, effects);
}

function settledAs(verdict: Verdict, records: readonly RunRecord[], effects: ReadonlyMap<string, string>): readonly Repeat[] {
  const sent = new Map(
    records.flatMap((record) =>
      record.kind === "attempt.intended" ? [[`${record.step} ${record.attempt}`, record.operation] as const] : [],
    ),
  );
  return records.flatMap((record) => {
    if (record.kind !== "attempt.settled" || record.verdict !== verdict) return [];
    const operation = sent.get(`${record.step} ${record.attempt}`) ?? "";
    return operationNamed(operation).meaning.effect === "absolute" ? [{ operation, text: effects.get(record.step) }] : [];
  });
}
