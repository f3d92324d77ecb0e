import { writeJson } from "../../base/json/json.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { RunRecord, Verdict } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";
import type { UnknownWrite } from "../../report/crash/shape.ts";
import type { Ledger, Repeat } from "./ledger.ts";

/** By address, what the write of each step looks like in the ledger. */
export function effectsOf(records: readonly RunRecord[], { writes }: Ledger): ReadonlyMap<string, string> {
  const answers = records.filter((record) => record.kind === "attempt.answered");
  const effects = answers.flatMap(({ step, payload }): [string, string][] => {
    const answer = writeJson(payload);
    const write = writes.find(({ transactionId }) => answer.includes(transactionId));
    return write === undefined ? [] : [[step, write.text]];
  });
  return new Map(effects);
}

/** The writes that a run does not know of, and what the ledger knows: one took effect when it is there and no record of the run speaks of it. */
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

/** The writes of values that a run has sent once more without knowing of the first: it may have set the same value twice. */
export function repeatsIn(records: readonly RunRecord[], effects: ReadonlyMap<string, string>): readonly Repeat[] {
  return settledAs("superseded", records, effects);
}

/** Returns the writes of values that were there already, whose outcome a run did not find out: they may have taken effect, or not. */
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
