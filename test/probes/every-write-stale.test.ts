// Loses every write of the scenarios in both ways, while the service answers each read around the write from some earlier moment.
import { expect, test } from "vitest";
import { Dice } from "../../src/base/numbers/dice.ts";
import { profileWith } from "../../src/contract/profile.ts";
import { sandboxForTest, type Caller } from "../sandbox/caller.ts";
import { isNightly } from "../sizes.ts";
import { delivered } from "../stories/world.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";
import { LOST, type Loss, type Run, type Write, writesOf } from "./scenario-writes.ts";

/** At night each write is lost in both ways. By day each write is lost in one of them, in turn. */
const SEEDS = isNightly ? [1, 2] : [1];
const WAYS: readonly Loss[] = ["it never arrives", "its answer is lost"];
const PATIENCE_MS = 600_000;
const LAGS = ["1ms", "5s", "15s", "25s", "45s", "1h"];
// After a write that did happen, this many reads are stale. The reads after them show the write.
const STALE_FOR = 12;

interface Ended {
  readonly ended: string;
  readonly settled: readonly string[];
  readonly attempts: number;
}

/** Runs a scenario up to the end of one of its writes, and loses the first request of that write. All reads since that step began are stale. */
async function lose(run: Run, write: Write, around: { loss: Loss; seed: number; control: Caller["control"] }): Promise<Ended> {
  const { loss, control } = around;
  const dice = new Dice(around.seed);
  const done = new AbortController();
  const settled: string[] = [];
  let [isStale, isNext, attempts, reads, ended] = [false, false, 0, 0, "not reached"];
  await run(write.file, {
    stopping: done.signal,
    observe: (event) => {
      if (!("step" in event) || event.step !== write.step) return;
      if (event.kind === "step.started") isStale = true;
      if (event.kind === "attempt.intended") [isNext, attempts] = [event.attempt === 0, attempts + 1];
      if (event.kind === "attempt.settled") settled.push(event.verdict);
      if (event.kind !== "step.completed" && event.kind !== "step.stopped") return;
      ended = event.outcome;
      done.abort();
    },
    exchange: async (outgoing, send) => {
      // Each write gets its own time, so that a read can show every earlier moment.
      if (outgoing.fresh) await control("POST /clock", { advance: "10s" });
      if (outgoing.fresh && isNext) {
        isNext = false;
        if (loss === "its answer is lost") await send(outgoing);
        return LOST;
      }
      if (outgoing.fresh || !isStale) return send(outgoing);
      const isOver = loss === "its answer is lost" && reads++ > STALE_FOR;
      await control("POST /faults", isOver ? KEEP_THE_PAST : [{ fault: { stale: dice.pick(LAGS) } }]);
      return send(outgoing);
    },
  });
  await control("POST /faults", KEEP_THE_PAST);
  return { ended, settled, attempts };
}

const KEEP_THE_PAST = [{ operation: "ledger.status", nth: 1_000_000, fault: { stale: "1ms" } }];

test(
  "with stale reads, a lost write that never arrived is never `applied`, and one that arrived is never `absent`",
  { timeout: PATIENCE_MS },
  async () => {
    const { sandbox, control } = await sandboxForTest({ commitDelayMs: 0, faults: KEEP_THE_PAST });
    // Without this capability, the refused batch of a scenario would end unknown.
    const profile = profileWith({ ledger: { capabilities: { batchIsOneTransaction: true } } });
    const target = { ...targetOf(sandbox), profile, settleWithinMs: 1_000 };
    const run: Run = (file, otherwise) => runnerForTest()(delivered(`scenarios/${file}`), target, otherwise);
    for (const [nth, write] of (await writesOf(run)).entries()) {
      const ways = isNightly ? WAYS : [WAYS[nth % WAYS.length] as Loss];
      for (const seed of SEEDS) {
        for (const loss of ways) {
          const lost = await lose(run, write, { loss, seed, control });
          const transcript = `${write.kind}, ${loss}, seed ${seed}: ${JSON.stringify(lost)}`;
          expect(lost.settled, transcript).not.toContain("absent");
          if (loss === "its answer is lost") {
            expect(["changed", "unknown", "failed"], transcript).toContain(lost.ended);
            continue;
          }
          expect(lost.ended, transcript).not.toBe("not reached");
          expect(lost.settled.slice(0, 1), transcript).not.toContain("applied");
          // The write never arrived and was not sent again, so it cannot have changed anything.
          if (lost.attempts === 1) expect(lost.ended, transcript).not.toBe("changed");
        }
      }
    }
  },
);
