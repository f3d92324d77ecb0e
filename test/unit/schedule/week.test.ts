import { describe, expect, test } from "vitest";
import { EXIT } from "../../../src/base/exit.ts";
import { Desk, schedule } from "./desk.ts";

const HOUR = 3_600_000;

describe("a week in which daylight saving time begins or ends", () => {
  test("in spring, a time in the missing hour fires right after it", async () => {
    const desk = new Desk("2026-03-23T00:00:00Z");
    desk.work = [{ minutes: 10 }];
    const service = desk.serve(schedule("15 2 * * *"));
    await desk.until("2026-03-30T03:00:00Z");
    await desk.end(service);
    expect(desk.table()).toBe(
      lines(
        "2026-03-23 02:15:00 +01:00  passed       02:15:00  02:25:00",
        "2026-03-24 02:15:00 +01:00  passed       02:15:00  02:25:00",
        "2026-03-25 02:15:00 +01:00  passed       02:15:00  02:25:00",
        "2026-03-26 02:15:00 +01:00  passed       02:15:00  02:25:00",
        "2026-03-27 02:15:00 +01:00  passed       02:15:00  02:25:00",
        "2026-03-28 02:15:00 +01:00  passed       02:15:00  02:25:00",
        "2026-03-29 03:00:00 +02:00  passed       03:00:00  03:10:00",
        "2026-03-30 02:15:00 +02:00  passed       02:15:00  02:25:00",
      ),
    );
    expect(desk.notified).toEqual([]);
  });

  test("in autumn, a daily time in the repeated hour fires only the first time", async () => {
    const desk = new Desk("2026-10-19T00:00:00Z");
    desk.work = [{ minutes: 10 }];
    const service = desk.serve(schedule("15 2 * * *"));
    await desk.until("2026-10-26T03:00:00Z");
    await desk.end(service);
    expect(desk.table()).toBe(
      lines(
        "2026-10-19 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-20 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-21 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-22 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-23 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-24 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-25 02:15:00 +02:00  passed       02:15:00  02:25:00",
        "2026-10-26 02:15:00 +01:00  passed       02:15:00  02:25:00",
      ),
    );
  });

  test("in spring, a pattern with several times a day leaves out the missing times", async () => {
    const desk = new Desk("2026-03-28T23:00:00Z");
    const service = desk.serve(schedule("*/30 1-3 * * *"));
    await desk.until("2026-03-29T06:00:00Z");
    await desk.end(service);
    expect(desk.table()).toBe(
      lines(
        "2026-03-29 01:00:00 +01:00  passed       01:00:00  01:01:00",
        "2026-03-29 01:30:00 +01:00  passed       01:30:00  01:31:00",
        "2026-03-29 03:00:00 +02:00  passed       03:00:00  03:01:00",
        "2026-03-29 03:30:00 +02:00  passed       03:30:00  03:31:00",
      ),
    );
  });

  test("in autumn, a pattern with several times a day fires in both hours", async () => {
    const desk = new Desk("2026-10-24T23:00:00Z");
    const service = desk.serve(schedule("*/30 1-3 * * *"));
    await desk.until("2026-10-25T06:00:00Z");
    await desk.end(service);
    expect(desk.table()).toBe(
      lines(
        "2026-10-25 01:30:00 +02:00  passed       01:30:00  01:31:00",
        "2026-10-25 02:00:00 +02:00  passed       02:00:00  02:01:00",
        "2026-10-25 02:30:00 +02:00  passed       02:30:00  02:31:00",
        "2026-10-25 02:00:00 +01:00  passed       02:00:00  02:01:00",
        "2026-10-25 02:30:00 +01:00  passed       02:30:00  02:31:00",
        "2026-10-25 03:00:00 +01:00  passed       03:00:00  03:01:00",
        "2026-10-25 03:30:00 +01:00  passed       03:30:00  03:31:00",
      ),
    );
  });
});

describe("a clock that was ahead and is corrected", () => {
  test("by more than an interval: the schedule fires by the new clock, even at a time that has fired before", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.aheadMs = 2 * HOUR;
    const service = desk.serve(schedule("0 * * * *", { timezone: "UTC" }));
    await desk.until("2026-06-01T02:30:00Z");
    desk.aheadMs = 0;
    await desk.until("2026-06-01T04:30:00Z");
    await desk.end(service);
    expect(desk.runs.map(({ at }) => new Date(at).toISOString().slice(11, 16))).toEqual(["01:00", "02:00", "03:00", "04:00"]);
    expect(desk.table("UTC")).toBe(
      lines(
        "2026-06-01 03:00:00 +00:00  passed       03:00:00  03:01:00",
        "2026-06-01 03:00:00 +00:00  passed       03:00:00  03:01:00",
        "2026-06-01 04:00:00 +00:00  passed       04:00:00  04:01:00",
        "2026-06-01 04:00:00 +00:00  passed       04:00:00  04:01:00",
      ),
    );
    expect(desk.logged.filter((line) => line.startsWith("schedule.set-back"))).toEqual([
      "schedule.set-back supply.yaml: its firings up to 2026-06-01T04:00:00.000Z were counted by a clock that has been set back since; it fires again by the new time",
    ]);
    expect(desk.notified).toEqual([]);
  });

  test("by less than an interval: a time that has just fired does not fire again", async () => {
    const desk = new Desk("2026-06-01T11:30:00Z");
    desk.aheadMs = HOUR / 4;
    const service = desk.serve(schedule("0 12 * * *", { timezone: "UTC" }));
    await desk.until("2026-06-01T11:50:00Z");
    desk.aheadMs = 0;
    await desk.until("2026-06-02T12:30:00Z");
    await desk.end(service);
    expect(desk.runs.map(({ at }) => new Date(at).toISOString().slice(0, 16))).toEqual(["2026-06-01T11:45", "2026-06-02T12:00"]);
  });

  test("the last run is the one that began last, even at an earlier time", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    desk.work = [{ minutes: 1 }, { minutes: 1, outcome: "pending" }];
    desk.aheadMs = 5 * HOUR;
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.passed);
    desk.aheadMs = 0;
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.pending);
    desk.blocking.set("run-2", { runId: "run-2", outcome: "pending" });
    expect(await desk.time.until(desk.once({ writes: true }))).toBe(EXIT.pending);
    expect(desk.runs).toHaveLength(2);
  });
});

describe("a run that takes longer than its interval", () => {
  const TABLES = {
    skip: lines(
      "2026-06-01 10:10:00 +02:00  passed       10:10:00  10:35:00",
      "2026-06-01 10:20:00 +02:00  skipped      -  -",
      "2026-06-01 10:30:00 +02:00  skipped      -  -",
      "2026-06-01 10:40:00 +02:00  passed       10:40:00  11:05:00",
      "2026-06-01 10:50:00 +02:00  skipped      -  -",
      "2026-06-01 11:00:00 +02:00  skipped      -  -",
    ),
    queue: lines(
      "2026-06-01 10:10:00 +02:00  passed       10:10:00  10:35:00",
      "2026-06-01 10:20:00 +02:00  passed       10:35:00  11:00:00",
      "2026-06-01 10:30:00 +02:00  skipped      -  -",
      "2026-06-01 10:40:00 +02:00  interrupted  11:00:00  11:06:20",
      "2026-06-01 10:50:00 +02:00  skipped      -  -",
      "2026-06-01 11:00:00 +02:00  queued       -  -",
    ),
    cancel: lines(
      "2026-06-01 10:10:00 +02:00  cancelled    10:10:00  10:21:00",
      "2026-06-01 10:20:00 +02:00  cancelled    10:21:00  10:31:00",
      "2026-06-01 10:30:00 +02:00  cancelled    10:31:00  10:41:00",
      "2026-06-01 10:40:00 +02:00  cancelled    10:41:00  10:51:00",
      "2026-06-01 10:50:00 +02:00  cancelled    10:51:00  11:01:00",
      "2026-06-01 11:00:00 +02:00  interrupted  11:01:00  11:06:20",
    ),
  } as const;

  const STOPPED = ["failure  supply.yaml (here): interrupted: the schedule was stopped before the run came to its end"];

  const NO_END =
    "missed  supply.yaml (here): cancelled: a later firing cancelled this run, and this run had cancelled the one before: no run ends before the next firing";

  test.for([
    ["skip", []],
    ["queue", STOPPED],
    ["cancel", [NO_END, ...STOPPED]],
  ] as const)(
    "overlap: %s; after a stop, the last run has 20 seconds to end, and is reported if it needs more",
    async ([overlap, expected]) => {
      const desk = new Desk("2026-06-01T08:00:00Z");
      desk.work = [{ minutes: 25, stopsAfterMinutes: 1 }];
      const service = desk.serve(schedule("*/10 * * * *", { overlap }));
      await desk.until("2026-06-01T09:05:00Z");
      await desk.end(service);
      expect(desk.table()).toBe(TABLES[overlap]);
      expect(desk.notified).toEqual(expected);
    },
  );

  test("overlap: cancel; a cancelled run is not notified if the next run ends", async () => {
    const desk = new Desk("2026-06-01T08:00:00Z");
    desk.work = [{ minutes: 25, stopsAfterMinutes: 1 }, { minutes: 1 }];
    const service = desk.serve(schedule("*/10 * * * *", { overlap: "cancel" }));
    await desk.until("2026-06-01T08:25:00Z");
    await desk.end(service);
    expect(desk.table()).toBe(
      lines(
        "2026-06-01 10:10:00 +02:00  cancelled    10:10:00  10:21:00",
        "2026-06-01 10:20:00 +02:00  passed       10:21:00  10:22:00",
      ),
    );
    expect(desk.notified).toEqual([]);
  });

  test("overlap: cancel; a run of another process is stopped too", async () => {
    const desk = new Desk("2026-06-01T08:00:00Z");
    desk.work = [{ minutes: 25, stopsAfterMinutes: 1 }];
    const plan = schedule("*/10 * * * *", { overlap: "cancel" });
    const services = [desk.serve(plan), desk.serve(plan)];
    await desk.until("2026-06-01T08:45:00Z");
    for (const service of services) service.kill();
    const states = desk
      .table()
      .split("\n")
      .map((row) => row.split(/\s{2,}/)[1]);
    expect(states).toEqual(["cancelled", "cancelled", "cancelled", "running"]);
    expect(desk.runs).toHaveLength(4);
  });

  test("a queued firing counts as missed after its process was stopped", async () => {
    const desk = new Desk("2026-06-01T08:00:00Z");
    desk.work = [{ minutes: 25 }, { minutes: 1 }];
    const plan = schedule("*/10 * * * *", { overlap: "queue" });
    const first = desk.serve(plan);
    await desk.until("2026-06-01T08:25:00Z");
    await desk.end(first);
    await desk.until("2026-06-01T08:35:00Z");
    const second = desk.serve(plan);
    await desk.until("2026-06-01T08:45:00Z");
    await desk.end(second);
    expect(desk.table()).toBe(
      lines(
        "2026-06-01 10:10:00 +02:00  interrupted  10:10:00  10:25:20",
        "2026-06-01 10:20:00 +02:00  missed       -  -",
        "2026-06-01 10:30:00 +02:00  missed       -  -",
        "2026-06-01 10:40:00 +02:00  passed       10:40:00  10:41:00",
      ),
    );
    expect(desk.notified).toEqual([
      ...STOPPED,
      "missed  supply.yaml (here): did not run 2 times, from 2026-06-01T08:20:00.000Z to 2026-06-01T08:30:00.000Z",
      "recovery  supply.yaml (here): passed again",
    ]);
  });
});

describe("a machine that was stopped for six hours", () => {
  async function stopped(catchupMs: number): Promise<Desk> {
    const desk = new Desk("2026-06-01T00:00:00Z");
    const plan = schedule("0 * * * *", { catchupMs });
    const before = desk.serve(plan);
    await desk.until("2026-06-01T02:30:00Z");
    await desk.end(before);
    await desk.until("2026-06-01T08:30:00Z");
    const after = desk.serve(plan);
    await desk.until("2026-06-01T09:30:00Z");
    await desk.end(after);
    return desk;
  }

  test("without catchup, missed firings are notified and not made up for", async () => {
    const desk = await stopped(0);
    expect(desk.table()).toBe(
      lines(
        "2026-06-01 03:00:00 +02:00  passed       03:00:00  03:01:00",
        "2026-06-01 04:00:00 +02:00  passed       04:00:00  04:01:00",
        "2026-06-01 05:00:00 +02:00  missed       -  -",
        "2026-06-01 06:00:00 +02:00  missed       -  -",
        "2026-06-01 07:00:00 +02:00  missed       -  -",
        "2026-06-01 08:00:00 +02:00  missed       -  -",
        "2026-06-01 09:00:00 +02:00  missed       -  -",
        "2026-06-01 10:00:00 +02:00  missed       -  -",
        "2026-06-01 11:00:00 +02:00  passed       11:00:00  11:01:00",
      ),
    );
    expect(desk.notified).toEqual([
      "missed  supply.yaml (here): did not run 6 times, from 2026-06-01T03:00:00.000Z to 2026-06-01T08:00:00.000Z",
      "recovery  supply.yaml (here): passed again",
    ]);
  });

  test("one run makes up for the firings within catchup, and earlier firings are missed", async () => {
    const desk = await stopped(2 * HOUR);
    expect(desk.table()).toBe(
      lines(
        "2026-06-01 03:00:00 +02:00  passed       03:00:00  03:01:00",
        "2026-06-01 04:00:00 +02:00  passed       04:00:00  04:01:00",
        "2026-06-01 05:00:00 +02:00  missed       -  -",
        "2026-06-01 06:00:00 +02:00  missed       -  -",
        "2026-06-01 07:00:00 +02:00  missed       -  -",
        "2026-06-01 08:00:00 +02:00  missed       -  -",
        "2026-06-01 09:00:00 +02:00  replaced     -  -",
        "2026-06-01 10:00:00 +02:00  passed       10:30:00  10:31:00",
        "2026-06-01 11:00:00 +02:00  passed       11:00:00  11:01:00",
      ),
    );
    expect(desk.notified).toEqual([
      "missed  supply.yaml (here): did not run 4 times, from 2026-06-01T03:00:00.000Z to 2026-06-01T06:00:00.000Z",
      "recovery  supply.yaml (here): passed again",
    ]);
  });

  test("one run makes up for all firings if catchup is as long as the stop", async () => {
    const desk = await stopped(12 * HOUR);
    expect(
      desk
        .table()
        .split("\n")
        .map((row) => row.split(/\s{2,}/)[1]),
    ).toEqual(["passed", "passed", ...Array.from({ length: 5 }, () => "replaced"), "passed", "passed"]);
    expect(desk.runs).toHaveLength(4);
    expect(desk.notified).toEqual([]);
  });

  test("after a year, the last thousand missed firings are listed, and the notification says that there were more", async () => {
    const desk = new Desk("2026-01-01T00:00:00Z");
    const before = desk.serve(schedule("*/5 * * * *"));
    await desk.until("2026-01-01T00:01:00Z");
    await desk.end(before);
    await desk.until("2027-01-01T00:03:00Z");
    const after = desk.serve(schedule("*/5 * * * *"));
    await desk.until("2027-01-01T00:04:00Z");
    await desk.end(after);
    expect(desk.table().split("\n")).toHaveLength(1_000);
    expect(desk.notified).toEqual([
      "missed  supply.yaml (here): did not run at least 1000 times, from 2026-12-28T12:45:00.000Z to 2027-01-01T00:00:00.000Z",
    ]);
  });

  test("the notification says the same after an edit of the pattern", async () => {
    const desk = new Desk("2026-01-01T00:00:00Z");
    const before = desk.serve(schedule("*/5 * * * *"));
    await desk.until("2026-01-01T00:01:00Z");
    await desk.end(before);
    await desk.until("2026-01-08T00:03:00Z");
    const after = desk.serve(schedule("*/10 * * * *"));
    await desk.until("2026-01-08T00:04:00Z");
    await desk.end(after);
    expect(desk.notified).toEqual([expect.stringContaining("did not run at least 1000 times")]);
  });

  test("an edited pattern begins again, and the missed firings of the old pattern are notified", async () => {
    const desk = new Desk("2026-06-01T00:00:00Z");
    const before = desk.serve(schedule("0 * * * *"));
    await desk.until("2026-06-01T00:30:00Z");
    await desk.end(before);
    await desk.until("2026-06-01T02:20:00Z");
    const after = desk.serve(schedule("15 * * * *"));
    await desk.until("2026-06-01T03:30:00Z");
    await desk.end(after);
    expect(desk.table()).toBe(
      lines(
        "2026-06-01 03:00:00 +02:00  missed       -  -",
        "2026-06-01 04:00:00 +02:00  missed       -  -",
        "2026-06-01 05:15:00 +02:00  passed       05:15:00  05:16:00",
      ),
    );
    expect(desk.notified[0]).toContain("did not run 2 times");
  });
});

function lines(...rows: readonly string[]): string {
  return rows.join("\n");
}
