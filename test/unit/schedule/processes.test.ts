// Several processes share one state. These tests run on a folder and on a server.
import { expect, test } from "vitest";
import { EXIT } from "../../../src/base/exit.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { systemClock } from "../../../src/base/ports.ts";
import { ScheduleStore } from "../../../src/schedule/store.ts";
import { TestState } from "../../state.ts";
import { Desk, schedule } from "./desk.ts";

test("if a process is killed during a run, another process reports it and continues the schedule", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 15 }, { minutes: 1 }];
  const plan = schedule("*/10 * * * *");
  const first = desk.serve(plan);
  const second = desk.serve(plan);
  await desk.until("2026-06-01T00:15:00Z");
  first.kill();
  await desk.until("2026-06-01T00:35:00Z");
  await desk.end(second);
  expect(desk.table().split("\n")).toEqual([
    "2026-06-01 02:10:00 +02:00  died         02:10:00  02:10:00",
    "2026-06-01 02:20:00 +02:00  passed       02:20:00  02:21:00",
    "2026-06-01 02:30:00 +02:00  passed       02:30:00  02:31:00",
  ]);
  expect(desk.notified).toEqual([
    "failure  supply.yaml (here): died: the process 1 that ran it is gone",
    "recovery  supply.yaml (here): passed again",
  ]);
});

test("if two processes run a schedule once at the same time, one of them is refused", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 5 }];
  const codes = await desk.time.until(Promise.all([desk.once(), desk.once()]));
  expect(codes).toEqual([EXIT.passed, EXIT.locked]);
  expect(desk.runs).toHaveLength(1);
});

test("the metrics show when the last run passed, whichever process ran it", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 1, outcome: "failed" }, { minutes: 1 }];
  const service = desk.serve(schedule("0 3 * * *"));
  await desk.until("2026-06-01T01:30:00Z");
  const passedLast = async (): Promise<string | undefined> => /last_success\S+\} (\S+)/.exec(await service.metrics())?.[1];
  expect(await passedLast()).toBe("0");
  expect(await desk.time.until(desk.once())).toBe(EXIT.passed);
  const at = desk.time.now() / 1_000;
  await desk.until("2026-06-01T01:33:00Z");
  expect(await passedLast()).toBe(String(at));
  await desk.end(service);
});

test("a failed notification is tried again after growing pauses, also by the next process, and then dropped", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 1, outcome: "failed" }];
  const tries: number[] = [];
  desk.listener = () => {
    tries.push(desk.time.now());
    return { code: 1, signal: null, stderr: "nobody is there" };
  };
  const first = desk.serve(schedule("0 0 1 * *", { timezone: "UTC" }));
  await desk.until("2026-06-01T00:00:30Z");
  await desk.end(first);
  await desk.time.until(desk.once());
  const after = desk.serve(schedule("0 0 1 * *", { timezone: "UTC" }));
  await desk.until("2026-06-02T00:00:00Z");
  await desk.end(after);
  const pauses = tries.slice(1).map((at, index) => Math.round((at - (tries[index] ?? 0)) / 1_000));
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320]);
  expect(desk.notified).toEqual([]);
});

test("after a clock was ahead for days, the firings of that time are removed first, and not the present one", () => {
  const now = Date.parse("2026-06-01T00:00:00Z");
  const store = ScheduleStore.open(new TestState().place, { clock: { ...systemClock, now: () => now }, redact: (text) => text });
  const [id, days] = ["supply.yaml", 2 * 86_400_000];
  store.register({ id, playbook: id, environment: "here", cron: "* * * * *", timezone: "UTC", jitterMs: 0 });
  store.transaction(() => {
    for (let tick = now + days; tick <= now + days + LIMITS.firingsKept; tick++)
      store.firings.put(id, { tick, due: tick, state: "skipped" });
  });
  const ended = store.transaction(() => {
    const firing = store.firings.put(id, { tick: now, due: now, state: "running" });
    return store.firings.end(firing, "passed", undefined);
  });
  expect(ended?.state).toBe("passed");
  expect(store.firings.history(id, 10_000)).toHaveLength(LIMITS.firingsKept);
  store.close();
});
