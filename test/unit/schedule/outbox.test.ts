import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { systemClock } from "../../../src/base/ports.ts";
import type { Outbox } from "../../../src/schedule/notify/outbox.ts";
import { ScheduleStore } from "../../../src/schedule/store.ts";
import { TestState } from "../../state.ts";

const TIMEOUT = 10_000;
const DESK = new Map([["desk", { timeoutMs: TIMEOUT }]]);

function outbox(): { readonly box: Outbox; readonly clock: { time: number; now: () => number } } {
  const clock = { time: 1_000, now: () => clock.time };
  const store = ScheduleStore.open(new TestState().place, { clock: { ...systemClock, now: clock.now }, redact: (text) => text });
  onTestFinished(() => store.close());
  return { box: store.outbox, clock };
}

test("while one process tries a notification, no other process takes it", () => {
  const { box, clock } = outbox();
  box.put({ channel: "desk", schedule: "supply.yaml", event: "failure", body: "{}" });
  const [first] = box.takeDue(DESK, 8);
  expect(first).toMatchObject({ channel: "desk", tries: 1 });
  clock.time += TIMEOUT;
  expect(box.takeDue(DESK, 8)).toEqual([]);
  clock.time += TIMEOUT + LIMITS.notificationPauseMs;
  expect(box.takeDue(DESK, 8)).toMatchObject([{ id: first?.id, tries: 2 }]);
});

test("a later notification of a schedule waits for the earlier one, so that a failure never arrives after its recovery", () => {
  const { box, clock } = outbox();
  box.put({ channel: "desk", schedule: "supply.yaml", event: "failure", body: "{}" });
  for (const letter of box.takeDue(DESK, 8)) box.failed(letter, "nobody is there");
  box.put({ channel: "desk", schedule: "supply.yaml", event: "recovery", body: "{}" });
  box.put({ channel: "desk", schedule: "other.yaml", event: "drift", body: "{}" });
  expect(box.takeDue(DESK, 8)).toMatchObject([{ event: "drift" }]);
  const next = box.nextAt(DESK) ?? 0;
  expect(next).toBeGreaterThan(clock.time);
  clock.time = next;
  const [failure, ...others] = box.takeDue(DESK, 8);
  expect([failure?.event, ...others]).toEqual(["failure"]);
  if (failure !== undefined) box.delivered(failure);
  expect(box.takeDue(DESK, 8)).toMatchObject([{ event: "recovery" }]);
});

const AHEAD = { "half an hour": 1_800_000, "two years": 2 * 365 * 86_400_000 };

test.for(["half an hour", "two years"] as const)(
  "a notification from a clock that was %s ahead is tried at once when the clock is right again",
  (ahead) => {
    const { box, clock } = outbox();
    clock.time += AHEAD[ahead];
    box.put({ channel: "desk", schedule: "supply.yaml", event: "failure", body: "{}" });
    for (const letter of box.takeDue(DESK, 8)) box.failed(letter, "nobody is there");
    clock.time = 1_000;
    expect(box.takeDue(DESK, 8)).toMatchObject([{ channel: "desk", tries: 2 }]);
    expect(box.takeDue(DESK, 8)).toEqual([]);
  },
);

test("a notification for a channel that is no longer declared is neither tried nor counted", () => {
  const { box } = outbox();
  box.put({ channel: "gone", schedule: "supply.yaml", event: "failure", body: "{}" });
  expect(box.takeDue(DESK, 8)).toEqual([]);
  expect(box.nextAt(DESK)).toBeUndefined();
  expect(box.nextAt(new Map([["gone", {}]]))).toBe(1_000);
  expect([box.waiting(DESK), box.waiting(new Map([["gone", {}]]))]).toEqual([0, 1]);
});

test.for([1, -1])(
  "if too many notifications wait, the oldest is dropped, even if the clock is set back meanwhile (%i)",
  (step) => {
    const { box, clock } = outbox();
    for (let at = 0; at < LIMITS.notificationsWaiting; at++)
      expect(box.put({ channel: "desk", schedule: "supply.yaml", event: "failure", body: String(at) })).toEqual([]);
    clock.time += step;
    expect(box.put({ channel: "pager", schedule: "supply.yaml", event: "failure", body: "last" })).toEqual(["desk"]);
    expect(box.waiting(DESK)).toBe(LIMITS.notificationsWaiting - 1);
    clock.time = 1_000;
    expect(box.takeDue(DESK, 1)[0]?.body).toBe("1");
  },
);
