import { expect, test, vi } from "vitest";
import type { RunEvent } from "../../../src/protocol/record.ts";
import { FanOut, type Observer } from "../../../src/report/fanout.ts";

const EVENT: RunEvent = { kind: "step.started", step: "mint", at: 1 };

function listener(): Observer & { readonly heard: RunEvent[]; ended: number } {
  const heard: RunEvent[] = [];
  return {
    heard,
    ended: 0,
    event: (event) => void heard.push(event),
    end() {
      this.ended++;
    },
  };
}

test("each observer gets all events in order, and the end", async () => {
  const [one, two] = [listener(), listener()];
  const all = new FanOut([one, two], () => expect.unreachable());
  all.event(EVENT);
  all.event({ ...EVENT, at: 2 });
  await all.end();
  expect(one.heard.map(({ at }) => at)).toEqual([1, 2]);
  expect(two).toMatchObject({ heard: one.heard, ended: 1 });
});

test("an observer that crashes is reported once and dropped, and the others continue", async () => {
  const crashing: Observer = { event: vi.fn<Observer["event"]>(() => JSON.parse("{")), end: vi.fn<() => void>() };
  const other = listener();
  const onCrash = vi.fn<(error: unknown, observer: Observer) => void>();
  const all = new FanOut([crashing, other], onCrash);
  for (let at = 0; at < 3; at++) all.event({ ...EVENT, at });
  await all.end();
  expect(crashing.event).toHaveBeenCalledTimes(1);
  expect(crashing.end).not.toHaveBeenCalled();
  expect(onCrash).toHaveBeenCalledExactlyOnceWith(expect.any(SyntaxError), crashing);
  expect(other.heard).toHaveLength(3);
});

test("an observer that crashes at the end fails nothing, now or later", async () => {
  const onCrash = vi.fn<(error: unknown, observer: Observer) => void>();
  const [atOnce, later, fine] = [
    { event: () => undefined, end: () => JSON.parse("{") },
    { event: () => undefined, end: () => Promise.reject(new RangeError("late")) },
    listener(),
  ];
  await new FanOut([atOnce, later, fine], onCrash).end();
  expect(onCrash.mock.calls.map(([error]) => (error as Error).name)).toEqual(["SyntaxError", "RangeError"]);
  expect(fine.ended).toBe(1);
});

test("a rejected promise of an observer does not end the process", async () => {
  const onCrash = vi.fn<(error: unknown, observer: Observer) => void>();
  const all = new FanOut([{ event: () => Promise.reject(new RangeError("late")) }], onCrash);
  all.event(EVENT);
  all.event(EVENT);
  await new Promise((resolve) => setImmediate(resolve));
  expect(onCrash).toHaveBeenCalledTimes(1);
  await all.end();
});

test("a crash of onCrash does not fail the run", async () => {
  const all = new FanOut([{ event: () => JSON.parse("{") }], () => JSON.parse("{"));
  expect(() => all.event(EVENT)).not.toThrow();
  await all.end();
});
