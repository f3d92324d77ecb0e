import { expect, test } from "vitest";
import { systemClock, systemRandom } from "../../../src/base/ports.ts";

const MONTH_MS = 30 * 86_400_000;

test("a sleep that is longer than a timer can count does not end at once", async () => {
  const waker = new AbortController();
  let woke = false;
  const sleep = systemClock.sleep(MONTH_MS, waker.signal).then(() => (woke = true));
  await systemClock.sleep(30);
  expect(woke).toBe(false);
  waker.abort();
  await sleep;
});

test("a sleep is never shorter than requested", async () => {
  const early: number[] = [];
  for (let ms = 0.1; ms < 6; ms += 0.3) {
    const start = systemClock.elapsed();
    await systemClock.sleep(ms);
    if (systemClock.elapsed() - start < ms) early.push(ms);
  }
  expect(early).toEqual([]);
});

test("a signal that is aborted ends a sleep at once", async () => {
  await systemClock.sleep(MONTH_MS, AbortSignal.abort());
  await systemClock.sleep(MONTH_MS, AbortSignal.timeout(10));
});

test("random bytes differ", () => {
  expect(systemRandom.bytes(16)).not.toEqual(systemRandom.bytes(16));
});
