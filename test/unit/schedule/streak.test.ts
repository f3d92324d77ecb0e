import { expect, test } from "vitest";
import type { CommandEnd } from "../../../src/schedule/notify/deliver.ts";
import { Desk, schedule, type Work } from "./desk.ts";

const HOURLY = schedule("0 * * * *", { timezone: "UTC" });

function failing(message: string, code = "service.refused", why?: string): Work {
  return { minutes: 5, outcome: "failed", problem: { code, message, ...(why === undefined ? {} : { why }) } };
}

/** Serves the schedule for this many hours from midnight, with one run an hour. */
async function served(desk: Desk, work: readonly Work[], hours: number): Promise<void> {
  desk.work = work;
  const service = desk.serve(HOURLY);
  await desk.until(new Date(Date.parse("2026-06-01T00:30:00Z") + hours * 3_600_000).toISOString());
  await desk.end(service);
}

test("a failure that repeats each hour is notified once and then daily, and the recovery says how often it failed", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  await served(desk, [...Array.from({ length: 48 }, () => failing("HTTP 503: busy")), { minutes: 5 }], 49);
  expect(desk.notified).toEqual([
    "failure  supply.yaml (here): failed: HTTP 503: busy",
    "failure  supply.yaml (here): failed: HTTP 503: busy (24 times since 2026-06-01T01:00:00.000Z)",
    "failure  supply.yaml (here): failed: HTTP 503: busy (47 times since 2026-06-01T01:00:00.000Z)",
    "recovery  supply.yaml (here): passed again (failed 48 times since 2026-06-01T01:00:00.000Z)",
  ]);
  const states = desk
    .table("UTC")
    .split("\n")
    .map((row) => row.split(/\s{2,}/)[1]);
  expect(states).toEqual([...Array.from({ length: 48 }, () => "failed"), "passed"]);
});

test("a daily failure is notified each day, even if the clock is put forward", async () => {
  const desk = new Desk("2026-03-26T00:00:00Z");
  desk.work = [failing("no")];
  const service = desk.serve(schedule("15 2 * * *"));
  await desk.until("2026-03-31T12:00:00Z");
  await desk.end(service);
  expect(desk.notified).toHaveLength(6);
});

test.for([
  ["another message", [failing("HTTP 403: access denied"), failing("HTTP 403: no such token")], 2],
  ["another code", [failing("no", "service.refused"), failing("no", "service.no-answer")], 2],
  [
    "another fault of the playbook",
    ["a bad cell", "no such file"].map((why) => failing("1 of 1 cannot be run", "check.failed", why)),
    2,
  ],
  ["another status of HTTP", [failing("HTTP 502: "), failing("HTTP 503: ")], 2],
  ["another amount", [failing("20000000 are not 35000000"), failing("20000000 are not 90000000")], 2],
  ["another step", [failing("mint1: HTTP 403: no"), failing("mint2: HTTP 403: no")], 2],
  ["the first again after another", [failing("this"), failing("that"), failing("this")], 3],
  ["a failure, what waits for approval, and a failure", [failing("no"), { minutes: 5, outcome: "pending" }, failing("no")], 3],
  ["a failure, a drift, and a failure", [failing("no"), { minutes: 5, outcome: "drift" }, failing("no")], 3],
  ["drift after drift", Array.from({ length: 3 }, (): Work => ({ minutes: 5, outcome: "drift" })), 3],
  ["pending after pending", Array.from({ length: 3 }, (): Work => ({ minutes: 5, outcome: "pending" })), 1],
  [
    "the same but for times and ids",
    [
      failing(
        "a: sent at 2026-06-01T01:00:00.000Z by 20260601T010000-k3x9q2ab, process 101, id 7f0c1b9e-50f2-4f5e-9a51-0c6d3f6a2b11",
      ),
      failing(
        "a: sent at 2026-06-01T02:00:00.000Z by 20260601T020000-p0a7d1xz, process 202, id 0b2c3d4e-1a2b-4c3d-8e9f-a0b1c2d3e4f5",
      ),
    ],
    1,
  ],
] satisfies readonly (readonly [string, readonly Work[], number])[])(
  "the number of notifications is right for %s",
  async ([, work, count]) => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    await served(desk, work, work.length);
    expect(desk.runs).toHaveLength(work.length);
    expect(desk.notified, desk.notified.join("\n")).toHaveLength(count);
  },
);

test("firings that an earlier run blocks are notified once", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  desk.work = [{ minutes: 5, outcome: "unknown" }];
  desk.blocking.set("run-1", { runId: "run-1", outcome: "unknown" });
  const service = desk.serve(HOURLY, { writes: true });
  await desk.until("2026-06-01T06:30:00Z");
  await desk.end(service);
  expect(desk.notified).toEqual([
    "unknown  supply.yaml (here): unknown",
    "unknown  supply.yaml (here): blocked: not run: the run run-1 before it is unknown",
  ]);
});

test("if a notification of a failure could not be delivered, the next firing sends one", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  let end: CommandEnd = { code: 1, signal: null, stderr: "nobody is there" };
  desk.listener = () => end;
  desk.work = [failing("no")];
  const service = desk.serve(HOURLY);
  await desk.until("2026-06-01T01:50:00Z");
  end = { code: 0, signal: null, stderr: "" };
  await desk.until("2026-06-01T04:30:00Z");
  await desk.end(service);
  expect(desk.notified).toEqual(["failure  supply.yaml (here): failed: no (2 times since 2026-06-01T01:00:00.000Z)"]);
});

test("a file of an earlier version is read and used", async () => {
  const desk = new Desk("2026-06-01T00:00:00Z");
  await served(desk, [failing("no")], 2);
  expect(desk.timesInARow()).toBe(2);
  desk.age();
  expect(desk.timesInARow()).toBeUndefined();
  await desk.time.until(desk.once());
  expect(desk.timesInARow()).toBe(1);
});
