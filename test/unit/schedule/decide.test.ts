import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Cron } from "../../../src/base/time/cron.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { decide, dueOf, type FiringPlan, type ScheduleState, type TickDecision } from "../../../src/schedule/decide.ts";

const START = Date.UTC(2026, 5, 1);
const MINUTE = 60_000;

const plans = fc.record({
  overlap: fc.constantFrom("skip", "queue", "cancel"),
  catchupMs: fc.constantFrom(0, 10 * MINUTE, 3 * 60 * MINUTE),
  jitterMs: fc.constantFrom(0, 2 * MINUTE),
});

/** What happens next: time passes, and the current firing may end. */
const course = fc.array(fc.record({ passMs: fc.integer({ min: 1_000, max: 90 * MINUTE }), ends: fc.boolean() }), {
  maxLength: 40,
});

test("every tick is decided once and in order, one runs at a time, and the number of waiting ticks is limited", () => {
  fc.assert(
    fc.property(plans, course, (more, moments) => {
      const plan: FiringPlan = { id: "p", cron: new Cron("*/5 * * * *", "UTC"), ...(more as Omit<FiringPlan, "id" | "cron">) };
      const table = new Map<number, TickDecision["state"] | "ended">();
      let [now, since, freeSince] = [START, START, 0];
      for (const { passMs, ends } of moments) {
        now += passMs;
        for (const [tick, state] of table) if (ends && state === "running") [freeSince] = [now, table.set(tick, "ended")];
        const of = (state: string): number[] => [...table].filter(([, each]) => each === state).map(([tick]) => tick);
        const settled: ScheduleState = {
          since,
          isRunning: of("running").length > 0,
          waiting: of("queued"),
          freeSince,
          isBlocked: () => false,
        };
        const decision = decide(plan, settled, now);
        for (const { tick, due, state } of decision.steps) {
          expect(due).toBe(dueOf(plan, tick));
          expect(due).toBeLessThanOrEqual(now);
          expect(table.has(tick) ? table.get(tick) : "queued").toBe("queued");
          table.set(tick, state);
        }
        since = decision.since;
        expect(of("running").length).toBeLessThanOrEqual(1);
        expect(of("queued").length).toBeLessThanOrEqual(LIMITS.firingsQueued);
      }
      const ticks: number[] = [];
      for (let tick = plan.cron.next(START) ?? 0; tick <= since; tick = plan.cron.next(tick) ?? 0) ticks.push(tick);
      expect([...table.keys()].toSorted((a, b) => a - b)).toEqual(ticks);
      expect(dueOf(plan, plan.cron.next(since) ?? 0)).toBeGreaterThan(moments.length === 0 ? START : now);
    }),
    { numRuns: 300 },
  );
});

test("the jitter of a tick is the same in each process, within its limit, and differs from tick to tick", () => {
  const plan = { id: "p", jitterMs: 2 * MINUTE };
  const dues = Array.from({ length: 200 }, (_, at) => dueOf(plan, START + at * MINUTE) - START - at * MINUTE);
  expect(dues.every((jitter) => jitter >= 0 && jitter <= plan.jitterMs)).toBe(true);
  expect(new Set(dues).size).toBeGreaterThan(150);
  expect(dueOf(plan, START)).toBe(dueOf({ ...plan }, START));
  expect(dueOf({ ...plan, id: "q" }, START)).not.toBe(dueOf(plan, START));
});
