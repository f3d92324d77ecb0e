import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/base/ports.ts";
import { entryOf } from "../../../src/cli/schedule/entry.ts";
import { type KnownSchedule, ScheduleStore } from "../../../src/schedule/store.ts";
import type { ScheduleEntry } from "../../../src/report/schedule/shape.ts";

const BEGUN = Date.parse("2026-06-01T12:00:00Z");
const ID = "supply.yaml@here";

/** Returns how a schedule is listed at a moment after the process that served it has ended. */
function listedAt(moment: string, cron: string | undefined, shown = "15 2 * * *"): ScheduleEntry {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-entry-"));
  let now = BEGUN;
  const store = ScheduleStore.open(folder, { clock: { ...systemClock, now: () => now }, redact: (text) => text });
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const timezone = cron === undefined ? undefined : "UTC";
  store.register({ id: ID, playbook: "supply.yaml", environment: "here", cron, timezone, jitterMs: 0 });
  const known = { ...(store.known(ID) as KnownSchedule), cron: shown, timezone: "UTC" };
  now = Date.parse(moment);
  return entryOf({ store, known, blocking: () => undefined }, 1);
}

test("a schedule that no process serves any more shows since when", () => {
  const entry = listedAt("2026-06-04T09:00:00Z", "15 2 * * *");
  expect(entry.unserved).toBe("2026-06-02T02:15:00.000Z");
  expect(entry.next).toHaveLength(1);
});

test("a schedule without a due tick, or with one that is only just due, counts as served", () => {
  expect(listedAt("2026-06-02T02:00:00Z", "15 2 * * *").unserved).toBeNull();
  expect(listedAt("2026-06-02T02:15:30Z", "15 2 * * *").unserved).toBeNull();
});

test("a schedule that only cron or a timer runs counts as served", () => {
  expect(listedAt("2026-06-04T09:00:00Z", undefined).unserved).toBeNull();
});

test("after the clock was set back, the next firing shown is one that will happen", () => {
  expect(listedAt("2026-06-01T11:00:00Z", "0 12 * * *", "0 12 * * *").next[0]?.utc).toBe("2026-06-02T12:00:00.000Z");
  expect(listedAt("2026-06-01T10:30:00Z", "0 * * * *", "0 * * * *").next[0]?.utc).toBe("2026-06-01T11:00:00.000Z");
});
