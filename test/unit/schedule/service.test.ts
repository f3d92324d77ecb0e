import { describe, expect, test } from "vitest";
import { EXIT } from "../../../src/base/exit.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { reportOf } from "../../../src/report/model.ts";
import { Metrics } from "../../../src/schedule/metrics.ts";
import { PassingFailure } from "../../../src/sql/failure.ts";
import { hostileRun } from "../report/hostile.ts";
import { RUNS } from "../report/records.ts";
import { Desk, schedule } from "./desk.ts";

const MINUTE = 60_000;

test("several processes with one state run each tick once, whatever the jitter", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  const plan = schedule("*/10 * * * *", { jitterMs: 5 * MINUTE });
  const services = [desk.serve(plan), desk.serve(plan), desk.serve(plan)];
  await desk.until("2026-06-01T04:09:00Z");
  await Promise.all(services.map((service) => desk.end(service)));
  const rows = desk.table().split("\n");
  expect(rows).toHaveLength(24);
  expect(rows.every((row) => / passed /.test(row))).toBe(true);
  expect(desk.runs).toHaveLength(24);
  expect(new Set(rows.map((row) => row.slice(14, 19))).size).toBeGreaterThan(10);
});

test("a run that exceeds its time limit is stopped and has failed", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 90, stopsAfterMinutes: 1 }, { minutes: 5 }];
  const service = desk.serve(schedule("0 * * * *", { timeLimitMs: 30 * MINUTE }));
  await desk.until("2026-06-01T02:30:00Z");
  await desk.end(service);
  expect(desk.table().split("\n")).toEqual([
    "2026-06-01 03:00:00 +02:00  failed       03:00:00  03:31:00",
    "2026-06-01 04:00:00 +02:00  passed       04:00:00  04:05:00",
  ]);
  expect(desk.notified[0]).toBe("failure  supply.yaml (here): failed: the run took longer than 30 min 0 s and was stopped");
});

test("a failed run is tried again after growing pauses, and the time limit includes all tries", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  const failed = { minutes: 5, outcome: "failed" } as const;
  desk.work = [failed, failed, { minutes: 5 }, failed];
  const retry = { attempts: 3, everyMs: 2 * MINUTE, backoff: 2, maxMs: 600_000 };
  const service = desk.serve(schedule("0 * * * *", { timeLimitMs: 40 * MINUTE, retry }));
  await desk.until("2026-06-01T02:30:00Z");
  await desk.end(service);
  expect(desk.table().split("\n")).toEqual([
    "2026-06-01 03:00:00 +02:00  passed       03:00:00  03:21:00  3 tries",
    "2026-06-01 04:00:00 +02:00  failed       04:00:00  04:21:00  3 tries",
  ]);
});

test("a stop of the service ends the wait for the next try, and the run is not tried again", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 5, outcome: "failed" }, { minutes: 5 }];
  const service = desk.serve(schedule("0 * * * *", { retry: { attempts: 3, everyMs: 10_000, backoff: 1, maxMs: 600_000 } }));
  await desk.until("2026-06-01T01:05:01Z");
  await desk.end(service);
  expect(desk.table().split("\n")).toEqual(["2026-06-01 03:00:00 +02:00  interrupted  03:00:00  03:05:01"]);
  expect(desk.runs).toHaveLength(1);
});

test("a firing that waits for its slot is not shown as running, and starts no run after a stop", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.slotAfterMinutes = 0.25;
  const service = desk.serve(schedule("0 * * * *"));
  await desk.until("2026-06-01T01:00:05Z");
  expect(await service.metrics()).toContain('tokenbook_schedule_running{schedule="supply.yaml"} 0');
  expect(desk.logged.filter((line) => line.startsWith("firing."))).toEqual([]);
  await desk.until("2026-06-01T01:00:20Z");
  expect(await service.metrics()).toContain('tokenbook_schedule_running{schedule="supply.yaml"} 1');
  await desk.until("2026-06-01T02:00:05Z");
  await desk.end(service);
  expect(desk.runs).toHaveLength(1);
  const why = "the schedule was stopped before the run started";
  expect(desk.logged.filter((line) => line.startsWith("firing."))).toEqual([
    "firing.started supply.yaml: runs",
    "firing.ended supply.yaml: passed, run run-1",
    `firing.ended supply.yaml: interrupted: ${why}`,
  ]);
  expect(desk.notified).toEqual([`failure  supply.yaml (here): interrupted: ${why}`]);
});

test.for(["drift", "pending", "unknown"] as const)("%s is notified as this outcome, and is not tried again", async (outcome) => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 5, outcome }, { minutes: 5 }];
  const service = desk.serve(schedule("0 * * * *", { retry: { attempts: 3, everyMs: MINUTE, backoff: 1, maxMs: 600_000 } }));
  await desk.until("2026-06-01T02:30:00Z");
  await desk.end(service);
  expect(desk.runs).toHaveLength(2);
  expect(desk.notified).toEqual([`${outcome}  supply.yaml (here): ${outcome}`, "recovery  supply.yaml (here): passed again"]);
});

describe("a playbook that writes, after a run that needs attention", () => {
  test("does not run again until that run is resolved", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 5, outcome: "unknown" }, { minutes: 5 }];
    desk.blocking.set("run-1", { runId: "run-1", outcome: "unknown" });
    const service = desk.serve(schedule("0 * * * *"), { writes: true });
    await desk.until("2026-06-01T02:30:00Z");
    desk.blocking.clear();
    await desk.until("2026-06-01T03:30:00Z");
    await desk.end(service);
    expect(desk.table().split("\n")).toEqual([
      "2026-06-01 03:00:00 +02:00  unknown      03:00:00  03:05:00",
      "2026-06-01 04:00:00 +02:00  blocked      -  -",
      "2026-06-01 05:00:00 +02:00  passed       05:00:00  05:05:00",
    ]);
    expect(desk.notified).toEqual([
      "unknown  supply.yaml (here): unknown",
      "unknown  supply.yaml (here): blocked: not run: the run run-1 before it is unknown",
      "recovery  supply.yaml (here): passed again",
    ]);
  });

  test("runs again after a person has released it", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 5, outcome: "pending" }, { minutes: 5 }];
    desk.blocking.set("run-1", { runId: "run-1", outcome: "pending" });
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.pending);
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.pending);
    desk.release();
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.passed);
    expect(desk.runs).toHaveLength(2);
  });

  test("stays blocked by that run after any number of blocked firings", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 0, outcome: "unknown" }];
    desk.blocking.set("run-1", { runId: "run-1", outcome: "unknown" });
    const service = desk.serve(schedule("* * * * *"), { writes: true });
    await desk.until("2026-06-01T20:00:30Z");
    await desk.end(service);
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.unknown);
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.unknown);
    expect(desk.runs).toHaveLength(1);
    expect(desk.table().split("\n")).toHaveLength(LIMITS.firingsKept + 1);
  });

  test("stays released after any number of later firings", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 0, outcome: "unknown" }];
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.unknown);
    desk.release();
    const service = desk.serve(schedule("* * * * *"), { writes: true });
    await desk.until("2026-06-01T20:00:30Z");
    await desk.end(service);
    expect(desk.released()).toEqual([{ runId: "run-1", says: "released" }]);
    expect(desk.table().split("\n")).toHaveLength(LIMITS.firingsKept + 1);
  });

  test("stays blocked even if that run made up for an earlier tick than the run before it", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 5 }, { minutes: 5, outcome: "unknown" }];
    const plan = schedule("0 3 * * *", { catchupMs: 12 * 60 * MINUTE });
    const before = desk.serve(plan, { writes: true });
    await desk.until("2026-06-01T00:30:00Z");
    await desk.end(before);
    await desk.until("2026-06-01T06:00:00Z");
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.passed);
    const after = desk.serve(plan, { writes: true });
    await desk.until("2026-06-01T08:00:00Z");
    desk.blocking.set("run-2", { runId: "run-2", outcome: "unknown" });
    await desk.until("2026-06-02T08:00:00Z");
    await desk.end(after);
    expect(desk.table().split("\n")).toEqual([
      "2026-06-01 03:00:00 +02:00  unknown      08:05:00  08:10:00",
      "2026-06-01 08:00:00 +02:00  passed       08:00:00  08:05:00",
      "2026-06-02 03:00:00 +02:00  blocked      -  -",
    ]);
  });

  test("does not stay blocked if it only reads", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 5, outcome: "pending" }, { minutes: 5 }];
    desk.blocking.set("run-1", { runId: "run-1", outcome: "pending" });
    expect(await desk.time.until(desk.once())).toBe(EXIT.pending);
    expect(await desk.time.until(desk.once())).toBe(EXIT.passed);
  });
});

test.for(["skip", "cancel"] as const)(
  "firings that a killed process on another host blocks are notified (overlap: %s)",
  async (overlap) => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.ended = "unknown";
    desk.work = [{ minutes: 60 }];
    const plan = schedule("0 * * * *", { overlap });
    const first = desk.serve(plan);
    await desk.until("2026-06-01T01:30:00Z");
    first.kill();
    await desk.until("2026-06-01T13:59:30Z");
    const second = desk.serve(plan);
    await desk.until("2026-06-01T15:01:00Z");
    await desk.end(second);
    expect(desk.runs).toHaveLength(1);
    expect(desk.notified).toEqual([
      expect.stringMatching(/^missed .* did not run 12 times/),
      expect.stringMatching(
        /^missed .*: not run: the run before it is under way since 2026-06-01T01:00:00\.000Z, in process 1 on desk$/,
      ),
    ]);
  },
);

test("a firing ends when its process shows no sign of life in the database, with one notification, and the next tick runs", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.ended = "silent";
  desk.work = [{ minutes: 60 }, { minutes: 5 }];
  const plan = schedule("0 * * * *");
  const first = desk.serve(plan);
  await desk.until("2026-06-01T01:30:00Z");
  const second = desk.serve(plan);
  first.kill();
  await desk.until("2026-06-01T02:30:00Z");
  await desk.end(second);
  expect(
    desk
      .table("UTC")
      .split("\n")
      .map((line) => line.split(/ {2,}/)[1]),
  ).toEqual(["died", "passed"]);
  expect(desk.notified[0]).toMatch(/^failure .*: died: process 1 on desk, which ran it, has shown no sign of life for 8\.0 s$/);
});

test("a service whose state was removed ends at once, and not at its next firing", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  const service = desk.serve(schedule("0 12 * * *"));
  await desk.until("2026-06-01T00:10:00Z");
  desk.remove();
  await expect(desk.time.until(service.ended)).rejects.toThrow("has been removed or replaced while it was in use");
  expect(desk.time.now()).toBeLessThan(Date.parse("2026-06-01T00:11:00Z"));
});

test("a service is not ready while its database is away", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  const service = desk.serve(schedule("0 12 * * *"));
  await desk.until("2026-06-01T00:10:00Z");
  expect(service.notReady()).toBeUndefined();
  desk.look = () => {
    throw new PassingFailure({ code: "database.away", message: "the database does not answer", next: "wait" });
  };
  await desk.until("2026-06-01T00:20:00Z");
  expect(service.notReady()).toBe("the database cannot be used now");
  desk.look = () => undefined;
  await desk.until("2026-06-01T00:30:00Z");
  expect(service.notReady()).toBeUndefined();
  await desk.end(service);
});

test("the metrics have each outcome from the start, so that its first occurrence is an increase", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  const service = desk.serve(schedule("0 3 * * *"));
  await desk.until("2026-06-01T00:01:00Z");
  const outcomes = Array.from(
    (await service.metrics()).matchAll(/firings_total\S+outcome="(\w+)"\} 0/g),
    ([, outcome]) => outcome,
  );
  for (const outcome of ["failed", "died", "interrupted", "pending", "conflict", "blocked"]) expect(outcomes).toContain(outcome);
  await desk.end(service);
});

test("after a run without a comparison, the metrics show no drifts of an earlier run", async () => {
  const metrics = new Metrics();
  const drifts = async (): Promise<readonly string[]> => {
    const { text } = await metrics.page();
    return text.split("\n").filter((line) => /^tokenbook_schedule_drifts\{.* [1-9]/.test(line));
  };
  metrics.ran("nightly", 1, reportOf(hostileRun("x").all));
  expect(await drifts()).not.toEqual([]);
  metrics.ran("nightly", 1, undefined);
  expect(await drifts(), "nothing was run").not.toEqual([]);
  metrics.ran("nightly", 1, reportOf(RUNS["passed"]?.().all ?? []));
  expect(await drifts()).toEqual([]);
});

test("a service that started while the clock was years ahead fires when the clock is right again", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.aheadMs = 2 * 365 * 24 * 60 * MINUTE;
  const service = desk.serve(schedule("0 * * * *"));
  await desk.until("2026-06-01T00:10:00Z");
  desk.aheadMs = 0;
  await desk.until("2026-06-01T02:30:00Z");
  await desk.end(service);
  expect(desk.table().split("\n")).toEqual([
    "2026-06-01 03:00:00 +02:00  passed       03:00:00  03:01:00",
    "2026-06-01 04:00:00 +02:00  passed       04:00:00  04:01:00",
  ]);
});
