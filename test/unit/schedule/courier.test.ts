import { beforeEach, expect, test } from "vitest";
import { VirtualTime } from "../../../simulation/time.ts";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import type { Channel } from "../../../src/environment/notifications.ts";
import { Courier } from "../../../src/schedule/notify/courier.ts";
import type { StartCommand } from "../../../src/schedule/notify/deliver.ts";
import { Metrics } from "../../../src/schedule/metrics.ts";
import { noteOfOutage } from "../../../src/schedule/notify/notification.ts";
import { Outbox, OUTBOX_SCHEDULE, OUTBOX_SCHEMA } from "../../../src/schedule/notify/outbox.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { SCHEDULES } from "../../../src/schedule/store.ts";

const LETTERS = 100;
const SLOW: Channel = { kind: "command", name: "desk", argv: ["notify"], events: ["failure"], timeoutMs: LIMITS.notificationMs };

const said: string[] = [];
beforeEach(() => void said.splice(0));

/** Returns a courier with letters for a channel whose notifications `start` runs. */
function desk(
  time: VirtualTime,
  start: StartCommand,
): { readonly courier: Courier; readonly box: Outbox; readonly metrics: Metrics } {
  const metrics = new Metrics();
  const database = Database.open(":memory:", SCHEDULES);
  database.exec(OUTBOX_SCHEMA + OUTBOX_SCHEDULE);
  const box = new Outbox(database, { clock: time, redact: (text) => text });
  for (let at = 0; at < LETTERS; at++) box.put({ channel: "desk", schedule: `supply-${at}.yaml`, event: "failure", body: "{}" });
  return {
    box,
    metrics,
    courier: new Courier(box, [SLOW], {
      clock: time,
      start,
      log: (_level, event, text) => void said.push(`${event}: ${text}`),
      metrics,
      redact: (text) => text,
      hint: PLAIN_HINT,
    }),
  };
}

const DESK = new Map([["desk", {}]]);

test("while an address is slow, the process does not wake up for the notifications behind it", async () => {
  const time = new VirtualTime();
  const { courier, box } = desk(time, async () => {
    await time.sleep(5_000);
    return { code: 0, signal: null, stderr: "" };
  });
  const working = courier.work();
  expect(box.nextAt(DESK)).toBeLessThanOrEqual(time.now());
  expect(courier.nextAt()).toBeUndefined();
  expect(await time.until(working)).toBe(true);
  expect(box.waiting(DESK)).toBe(0);
  expect(courier.nextAt()).toBeUndefined();
});

test("a command that ends waits for its notifications only for a limited time, however slow the address is", async () => {
  const time = new VirtualTime();
  const { courier, box } = desk(time, async () => {
    await time.sleep(SLOW.timeoutMs);
    return { code: 1, signal: null, stderr: "" };
  });
  const begun = time.elapsed();
  await time.until(courier.drain());
  expect(time.elapsed() - begun).toBeLessThanOrEqual(LIMITS.notificationsLastMs + SLOW.timeoutMs);
  expect(box.waiting(DESK)).toBe(LETTERS);
});

test("a warning names the notifications of a channel that is no longer declared, and what to do", () => {
  const { courier, box } = desk(new VirtualTime(), () => Promise.reject(new Error("nothing is delivered")));
  box.put({ channel: "desk-of-old", schedule: "supply.yaml", event: "failure", body: "{}" });
  courier.warnOfUndeclared(["desk", "pager"]);
  expect(said).toEqual([
    'notification.undeclared: 1 notification waits for the channel "desk-of-old", which tokenbook.yaml does not have: declare it there until nothing waits for it (command: ["true"] drops what waits)',
  ]);
});

test("a notification that is dropped because too many wait is logged and counted in the metrics", async () => {
  const { courier, metrics } = desk(new VirtualTime(), () => Promise.reject(new Error("nothing is delivered")));
  const about = { id: "supply.yaml@here", playbook: "supply.yaml", environment: "here" };
  const why = { code: "database.full", message: "the disk is full" };
  const put = (count: number): void => {
    for (let at = 0; at < count; at++) courier.put(noteOfOutage("the scheduler has stopped", why, about, at), (text) => text);
  };
  put(LIMITS.notificationsWaiting - LETTERS);
  expect(said).toEqual([]);
  put(2);
  expect(said).toEqual(Array(2).fill("notification.dropped: too many notifications wait: one for desk is given up"));
  expect((await metrics.page()).text).toContain('tokenbook_notifications_total{channel="desk",result="given-up"} 2\n');
});
