import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { waysOf } from "../../../src/services/ledger/probes/explain.ts";

const of = (value: number): Decimal => Decimal.of(value);

function times(by: number, ours: number, alike: number, ...others: readonly number[]): readonly number[] | "too many" {
  const found = waysOf({ by: of(by), parts: [{ adds: of(ours), alike }], others: others.map(of) });
  return found === "too many" ? found : found.flat();
}

test.each([
  ["it was added once", times(10, 10, 1), [1]],
  ["nothing was added", times(0, 10, 0), [0]],
  ["the list shows it, the total not yet", times(0, 10, 1), [0]],
  ["the total shows it, the list not yet", times(10, 10, 0), []],
  ["it was added twice", times(20, 10, 2), [2]],
  ["one like it was there before, and ours came", times(10, 10, 2), [1]],
  ["somebody else added as much", times(10, 10, 0, 10), [0]],
  ["ours, or somebody else's", times(10, 10, 1, 10), [0, 1]],
  ["ours and one of another run", times(13, 10, 1, 3), [1]],
  ["another took away what ours added", times(0, 10, 1, -10), [0, 1]],
  ["nothing explains it", times(7, 10, 1, 3), []],
  ["so many others that it cannot be decided", times(10, 10, 1, ...Array.from({ length: 13 }, () => 1)), "too many"],
] as const)("%s", (_what, found, expected) => expect(found).toEqual(expected));

test("the explanations of a change include the true number of ours, whatever others did before and after", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 3 }),
      fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.boolean()), { maxLength: 8 }),
      (ours, count, more, others) => {
        const by = count * ours + others.reduce((sum, [amount, isSince]) => sum + (isSince ? amount : 0), 0);
        const found = times(by, ours, count + more, ...others.map(([amount]) => amount));
        expect(found).toContain(count);
      },
    ),
  );
});

function ways(by: number, parts: readonly (readonly [number, number])[], ...others: readonly number[]): unknown {
  return waysOf({ by: of(by), parts: parts.map(([adds, alike]) => ({ adds: of(adds), alike })), others: others.map(of) });
}

test.each([
  [
    "both parts of a batch were added",
    ways(7, [
      [2, 1],
      [5, 1],
    ]),
    [[1, 1]],
  ],
  [
    "one of them was",
    ways(5, [
      [2, 1],
      [5, 1],
    ]),
    [[0, 1]],
  ],
  [
    "both were, and the list shows one",
    ways(7, [
      [2, 0],
      [5, 1],
    ]),
    [],
  ],
  [
    "one was, or one of another run and the other",
    ways(
      5,
      [
        [2, 1],
        [5, 1],
      ],
      3,
    ),
    [
      [0, 1],
      [1, 0],
    ],
  ],
  ["parts that look the same were added", ways(10, [[5, 2]]), [[2]]],
  [
    "so many parts that it cannot be decided",
    ways(
      1,
      Array.from({ length: 13 }, () => [1, 1] as const),
    ),
    "too many",
  ],
] as const)("%s", (_what, found, expected) => expect(found).toEqual(expected));
