import type { Json } from "../../base/json/json.ts";
import { namedIn, provenBefore } from "../../protocol/state.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Attempted } from "./attempted.ts";

/**
 * Returns why an answer or a receipt cannot belong to this attempt; nothing if it can. A transaction proves one write only. So a
 * transaction of another step, an earlier attempt or another run does not prove this one, nor does one that existed before it (decision
 * 82).
 */
export function whyNotOwn(
  context: RunContext,
  { place, step, state }: Omit<Attempted, "caller">,
  named: Json,
): string | undefined {
  const { address } = place;
  const { sequence, intended } = state;
  const thing = namesReceiptOnly(named) ? "receipt" : "transaction";
  const before = provenBefore(context.state, { address, sequence }, named);
  if (before === address) return `names the ${thing} of an earlier attempt`;
  if (before !== undefined) return `names the ${thing} of ${before}`;
  const ids = namedIn(named);
  for (const id of ids) {
    const elsewhere = context.provenElsewhere(id, step);
    if (elsewhere !== undefined) return `names the ${thing} of ${elsewhere.step} in the run ${elsewhere.runId}`;
  }
  const { known } = step.operation.meaning.probe;
  const there = intended.baseline && known ? known(intended.baseline) : [];
  const old = there.length === 0 ? undefined : ids.find((id) => there.includes(id));
  return old === undefined ? undefined : `names a transaction that existed before the write: ${old}`;
}

function namesReceiptOnly(named: Json): boolean {
  return namedIn(named).every((id) => id.startsWith("receipt "));
}
