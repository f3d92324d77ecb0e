import { expect, onTestFinished, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { keyText, type Pair, recordText, type SideName, type SideRow } from "../../../src/reconcile/row.ts";
import { seenIn } from "../../../src/reconcile/gathered.ts";
import { Scratch } from "../../../src/reconcile/scratch.ts";

function scratchForTest(): Scratch {
  const scratch = new Scratch();
  onTestFinished(() => scratch.close());
  return scratch;
}

function row(side: SideName, key: readonly string[], value: string | null, more: Partial<SideRow> = {}): SideRow {
  return { side, key, value: value === null ? null : Decimal.fromJsonSource(value), at: undefined, record: null, ...more };
}

function keep(scratch: Scratch, read: number, rows: readonly SideRow[]): void {
  for (const one of rows) scratch.put({ read, side: one.side, key: keyText(one.key), once: recordText(one.once) }, seenIn(one));
}

function pairsOf(scratch: Scratch): readonly Pair[] {
  return [...scratch.pairs()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

test("a join with more rows than memory holds keeps every digit", () => {
  const scratch = scratchForTest();
  const long = "é\t\n\u0000😀\ud800".repeat(20);
  const keys = Array.from({ length: 4_000 }, (_, at) => [long, `holder${String(at).padStart(5, "0")}`]);
  const digits = "0.000000000000000000000000000001";
  for (let at = 0; at < keys.length; at += 500) {
    const page = keys.slice(at, at + 500);
    keep(
      scratch,
      1,
      page.map((key) => row("left", key, digits, { at: 1_795_000_000_000 + at })),
    );
    keep(
      scratch,
      2,
      page.toReversed().map((key) => row("right", key, "-1.50")),
    );
    keep(
      scratch,
      3,
      page.map((key) => row("right", key, "100")),
    );
    keep(
      scratch,
      4,
      page.map((key) => row("right", key, "2")),
    );
  }
  scratch.forget(3);
  const pairs = pairsOf(scratch);
  expect(pairs.map(({ key }) => key)).toEqual(keys.map(keyText));
  for (const [at, { left, right }] of pairs.entries()) {
    expect(left).toEqual({ rows: 1, value: digits, at: 1_795_000_000_000 + Math.floor(at / 500) * 500 });
    expect(right).toEqual({ rows: 2, value: "0.5", at: undefined });
  }
});

test("the join separates rows of one side, rows without a value, and records that count once", () => {
  const scratch = scratchForTest();
  keep(scratch, 1, [row("left", ["a"], null), row("left", ["b"], "1", { once: "r1" }), row("left", ["b"], "1", { once: "r1" })]);
  keep(scratch, 2, [
    row("left", ["b"], "1", { once: "r1" }),
    row("left", ["b"], "2", { once: "r1" }),
    row("left", ["b"], "1", { once: "r\t2" }),
  ]);
  keep(scratch, 3, [row("right", ["b"], "4", { once: "r1" }), row("right", ["c"], "0")]);
  expect(pairsOf(scratch)).toEqual([
    { key: '["a"]', left: { rows: 1, value: null, at: undefined }, right: undefined },
    { key: '["b"]', left: { rows: 3, value: "4", at: undefined }, right: { rows: 1, value: "4", at: undefined } },
    { key: '["c"]', left: undefined, right: { rows: 1, value: "0", at: undefined } },
  ]);
});

test("each of many records of one key counts once, however often it is listed", () => {
  const scratch = scratchForTest();
  const records = Array.from({ length: 5_000 }, (_, at) => row("left", ["all"], "0.1", { once: `record${at}`.padEnd(1_000) }));
  for (const read of [1, 2, 3]) keep(scratch, read, records);
  scratch.forget(2);
  expect(pairsOf(scratch)).toEqual([{ key: '["all"]', left: { rows: 5_000, value: "500", at: undefined }, right: undefined }]);
});
