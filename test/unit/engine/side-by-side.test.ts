import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sideBySide } from "../../../src/engine/compare/side-by-side.ts";

const QUEUES = fc.array(fc.record({ reads: fc.integer({ min: 0, max: 6 }), parallel: fc.integer({ min: 1, max: 3 }) }), {
  minLength: 1,
  maxLength: 3,
});

test("each side's reads are made once and in order, and no side that is ahead begins a read while memory is short", async () => {
  await fc.assert(
    fc.asyncProperty(QUEUES, fc.array(fc.boolean(), { maxLength: 60 }), fc.scheduler(), async (sizes, crowded, scheduler) => {
      const queues = sizes.map(({ reads, parallel }, source) => ({
        parallel,
        reads: Array.from({ length: reads }, (_, number) => ({ source, number })),
      }));
      const begun = queues.map((): number[] => []);
      const ended = queues.map(() => 0);
      let looks = 0;
      let isCrowded = false;
      const done = sideBySide(queues, {
        isStopping: () => false,
        isCrowded: () => (isCrowded = crowded[looks++ % crowded.length] ?? false),
        work: async ({ source, number }) => {
          const mostEnded = Math.min(...ended.filter((count, other) => count < (sizes[other]?.reads ?? 0)));
          expect(isCrowded && (ended[source] ?? 0) > mostEnded).toBe(false);
          begun[source]?.push(number);
          expect((begun[source]?.length ?? 0) - (ended[source] ?? 0)).toBeLessThanOrEqual(sizes[source]?.parallel ?? 0);
          await scheduler.schedule(Promise.resolve());
          ended[source] = (ended[source] ?? 0) + 1;
        },
      });
      await scheduler.waitFor(done);
      expect(begun).toEqual(sizes.map(({ reads }) => Array.from({ length: reads }, (_, number) => number)));
    }),
  );
});

test("after a stop no read begins, and reads in progress end first", async () => {
  const reads = [1, 2, 3];
  const made: number[] = [];
  let isStopping = false;
  await sideBySide([{ reads, parallel: 2 }], {
    isStopping: () => isStopping,
    isCrowded: () => false,
    work: async (read) => {
      isStopping = read === 2;
      await Promise.resolve();
      made.push(read);
    },
  });
  expect(made).toEqual([1, 2]);
});

test("a read that throws an error ends all reads", async () => {
  const rules = { isStopping: () => false, isCrowded: () => false, work: () => Promise.reject(new Error("broken")) };
  await expect(sideBySide([{ reads: [1], parallel: 1 }], rules)).rejects.toThrow("broken");
});
