// Reports of every kind of run, for looking at their pages.
import { Expression } from "../../src/expression/expression.ts";
import { firstBroken } from "../../src/engine/expectations.ts";
import { type JsonObject, parseJson } from "../../src/base/json.ts";
import type { StepHeading } from "../../src/protocol/record.ts";
import { reportOf } from "../../src/report/model.ts";
import type { RunReport } from "../../src/report/shape.ts";
import { Records, RUNS, START, TRANSACTION } from "../unit/report/records.ts";

/** A run whose last expectation does not hold: with the tree of it, a write that was settled by reading, and one that was sent twice. */
function expectation(): RunReport {
  const scope = parseJson(
    '{"response":{"totalSupply":90.00,"owners":[{"userId":"alice"},{"userId":"bob"}],"status":"ACTIVE","id":"LFT1"}}',
  ) as JsonObject;
  const written = 'response.totalSupply == 100 && response.owners.exists(o, o.userId == "carol")';
  const records = new Records()
    .opened()
    .written("asset")
    .intended("mint")
    .answered("mint", { meaning: "ambiguous", status: 502, payload: null, receiptId: null, message: "HTTP 502: Bad Gateway" })
    .add({
      kind: "attempt.settled",
      step: "mint",
      attempt: 0,
      verdict: "absent",
      evidence: {
        total: { before: 0, now: 0 } as never,
        because: "it was declared that after 15 minutes nothing more takes effect",
      },
    })
    .intended("mint", 1)
    .answered("mint", { attempt: 1, meaning: "ambiguous", status: null, message: "no whole answer within 30000 ms" })
    .add({
      kind: "attempt.settled",
      step: "mint",
      attempt: 1,
      verdict: "applied",
      evidence: { total: { before: 0, now: 90 } as never, transaction: TRANSACTION },
      transactionId: TRANSACTION,
    })
    .add({
      kind: "step.completed",
      step: "mint",
      outcome: "changed",
      value: { response: null, transactionId: TRANSACTION },
      startedAt: START + 6_000,
      requests: 2,
    })
    .expanded("approvals", ["bob", "dora"])
    .written("approvals[bob]")
    .written("approvals[dora]");
  const problem = firstBroken([Expression.parse(written) as Expression], scope);
  return reportOf(records.stopped("owned", "failed", problem).closed("failed").all);
}

/** A run of so many steps, most of which passed. */
export function longRun(steps: number): RunReport {
  const headings = Array.from({ length: steps }, (_, at): StepHeading => ({
    id: `step${at + 1}`,
    name: `Step ${at + 1} of many`,
    uses: at % 5 === 0 ? "ledger.token.mint" : "ledger.asset.get",
    line: at + 5,
  }));
  const records = new Records().opened({ steps: headings, name: "A long reconciliation" });
  for (const [at, { id }] of headings.entries()) {
    if (at === steps - 3) records.stopped(id, "failed");
    else if (at > steps - 3) break;
    else if (at % 5 === 0) records.written(id);
    else if (at % 7 === 0) records.skipped(id);
    else records.read(id);
  }
  return reportOf(records.closed("failed").all);
}

function of(name: keyof typeof RUNS): RunReport {
  return reportOf(RUNS[name]?.().all ?? []);
}

/** The reports of each page. */
export const PAGES: Readonly<Record<string, () => readonly RunReport[]>> = {
  passed: () => [of("passed")],
  failed: () => [expectation()],
  refused: () => [of("failed")],
  unknown: () => [of("unknown")],
  pending: () => [of("pending")],
  resumed: () => [of("resumed")],
  several: () => ["passed", "failed", "unknown", "pending", "killed", "outputless"].map((name) => of(name)),
  long: () => [longRun(10_000)],
};
