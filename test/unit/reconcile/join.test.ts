import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { Gathered } from "../../../src/reconcile/gathered.ts";
import { Join } from "../../../src/reconcile/join.ts";
import { type Pair, type SideRow, SIDES } from "../../../src/reconcile/row.ts";

/** One attempt to read a group: its rows, and whether it reached the end. */
interface Try {
  readonly rows: readonly SideRow[];
  readonly isSound: boolean;
}

interface Read {
  readonly group: string;
  readonly tries: readonly Try[];
}

// A few rows repeated many times, so that reads share keys and some groups are too large for memory. A record that is listed
// again has the same time and id.
function readIn(groups: number): fc.Arbitrary<Read> {
  const rowsIn = (group: string): fc.Arbitrary<readonly SideRow[]> =>
    fc
      .array(
        fc.record({
          side: fc.constantFrom(...SIDES),
          key: fc.integer({ min: 0, max: 4 }).map((holder) => [group, `user${holder}`]),
          value: fc.option(fc.integer({ min: -3, max: 3 }).map(Decimal.of)),
          once: fc.option(fc.constantFrom("one", "two"), { nil: undefined }),
          at: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
          id: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
        }),
        { maxLength: 8 },
      )
      .map((rows) =>
        rows.map((row) => ({ ...row, at: row.once === undefined ? row.at : 5, id: row.once ?? row.id, record: null })),
      );
  return fc.integer({ min: 1, max: groups }).chain((number) => {
    const tried = fc.record({ rows: rowsIn(`T${number}`), isSound: fc.boolean() });
    return fc.record({ group: fc.constant(`T${number}`), tries: fc.array(tried, { minLength: 1, maxLength: 3 }) });
  });
}

function joined(reads: readonly Read[], rowsHeldChars: number): readonly Pair[] {
  const pairs: Pair[] = [];
  const join = new Join(new Map(reads.map((read) => [read, read.group])), (pair) => pairs.push(pair), {
    ...LIMITS,
    rowsHeldChars,
  });
  let number = 0;
  // The reads take turns page by page, as they do when several run at a time.
  const steps = reads.map(function* (read) {
    for (const { rows, isSound } of read.tries) {
      const tryNumber = (number += 1);
      for (const row of rows) yield join.keep(read, tryNumber, [row]);
      if (!isSound) join.forget(read, tryNumber);
    }
    join.end(read);
  });
  for (let rest = steps; rest.length > 0;) rest = rest.filter((read) => read.next().done !== true);
  join.finish();
  join.close();
  return pairs;
}

const byKey = (a: Pair, b: Pair): number => (a.key < b.key ? -1 : 1);

test("the join gives each key once, with the rows of the valid attempts, however much of it is on disk", () => {
  fc.assert(
    fc.property(fc.array(readIn(3), { maxLength: 6 }), fc.integer({ min: 0, max: 800 }), (reads, most) => {
      const gathered = new Gathered();
      for (const { tries } of reads)
        for (const { rows, isSound } of tries) if (isSound) for (const row of rows) gathered.add(row);
      expect(joined(reads, most).toSorted(byKey)).toEqual([...gathered.pairs()].toSorted(byKey));
    }),
  );
});

test("a side with too many rows ends the comparison, and rows that are read again count once", () => {
  const read = { group: "" };
  const join = new Join(new Map([[read, ""]]), () => {}, { ...LIMITS, compareRows: 10 });
  const row: SideRow = { side: "left", key: ["a"], value: null, at: undefined, record: null };
  const page = Array.from({ length: 5 }, () => row);
  join.keep(read, 1, page);
  join.keep(read, 2, page);
  join.forget(read, 2);
  join.keep(read, 3, [...page, ...page.map((other): SideRow => ({ ...other, side: "right" }))]);
  expect(() => join.keep(read, 4, [row])).toThrow(/the left side has more than 10 rows/);
});
