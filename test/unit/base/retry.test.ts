import { expect, test } from "vitest";
import { pauseAfter } from "../../../src/base/time/backoff.ts";
import { retry } from "../../../src/base/time/retry.ts";

test("pauses grow by the factor, up to the maximum", () => {
  const backoff = { everyMs: 200, backoff: 2, maxMs: 1_000 };
  expect([1, 2, 3, 4, 5_000].map((tries) => pauseAfter(backoff, tries))).toEqual([200, 400, 800, 1_000, 1_000]);
});

test("if the first pause is 0, each later pause is 0", () => {
  expect(pauseAfter({ everyMs: 0, backoff: 3, maxMs: 1_000 }, 5_000)).toBe(0);
});

test("work is repeated until its result is final", async () => {
  let tries = 0;
  const paused: number[] = [];
  const pause = async (result: number, made: number): Promise<boolean> => paused.push(result * 10 + made) > 0;
  expect(await retry(async () => ++tries, { isFinal: (result) => result === 3, pause })).toBe(3);
  expect(paused).toEqual([11, 22]);
});

test("the last result is returned when no other try is allowed", async () => {
  let tries = 0;
  expect(await retry(async () => ++tries, { isFinal: () => false, pause: async (_, made) => made < 4 })).toBe(4);
});

test("an error of the work is never retried, whatever its kind", async () => {
  for (const error of [new Error("broken"), new TypeError("fetch failed"), new DOMException("stopped", "AbortError")]) {
    let tries = 0;
    const work = async (): Promise<never> => {
      tries++;
      throw error;
    };
    await expect(retry(work, { isFinal: () => true, pause: async () => true })).rejects.toBe(error);
    expect(tries).toBe(1);
  }
});
