import { expect, test } from "vitest";
import { type Comparison, type Drift, openFirst } from "../../../src/protocol/comparison.ts";
import { comparisonLines, keyOf } from "../../../src/report/comparison.ts";
import { auditPage } from "../../../src/report/html/pages/audit.ts";
import { comparisonMarkup } from "../../../src/report/html/parts/comparison.ts";
import { reportOf } from "../../../src/report/model.ts";
import { RUNS } from "./records.ts";

const SIDE = { rows: 3_000, keys: 3_000, sum: "1", requests: 1, from: 0, to: 1 };

function drift(key: string, state: Drift["state"]): Drift {
  const acknowledged = state === "acknowledged" ? { until: 1, who: "dora", because: "a refund" } : null;
  return {
    id: `id-${key}`,
    kind: "differs",
    key: { key },
    left: "1",
    right: "2",
    difference: "-1",
    state,
    since: 0,
    acknowledged,
  };
}

function comparison(drifts: readonly Drift[], counts: Partial<Comparison["counts"]>): Comparison {
  const none = {
    compared: 3_000,
    new: 0,
    persisting: 0,
    changed: 0,
    acknowledged: 0,
    cleared: 0,
    moving: 0,
    settled: 0,
    notCompared: 0,
  };
  const sides = { left: { name: "book", ...SIDE }, right: { name: "ledger", ...SIDE } };
  return {
    ...sides,
    totalsOf: null,
    totals: [],
    looks: 2,
    counts: { ...none, ...counts },
    drifts,
    cleared: [],
    moving: [],
    gaps: [],
  };
}

test("a new drift is listed before those that somebody has acknowledged", () => {
  const acknowledged = Array.from({ length: 60 }, (_, at) => drift(`a${at}`, "acknowledged"));
  const drifts = openFirst([...acknowledged, drift("zzz", "new")]);
  const lines = comparisonLines(comparison(drifts, { new: 1, acknowledged: 60 }));
  expect(lines.find((line) => line.includes("id-"))).toContain("zzz");
  expect(lines.at(-1)).toBe("… and 11 more drifts");
});

test("the number of further drifts includes those that were not listed", () => {
  const drifts = Array.from({ length: 1_000 }, (_, at) => drift(`a${at}`, "new"));
  const found = comparison(drifts, { new: 3_000, cleared: 4, moving: 5 });
  expect(comparisonLines(found).filter((line) => line.startsWith("…"))).toEqual([
    "… and 2950 more drifts",
    "… and 4 more cleared",
    "… and 5 more moving",
  ]);
  expect(comparisonMarkup(found, false).html).toContain('2800 drifts more: <code class="typed">tokenbook drift list</code>');
});

test("a key that is empty or ends with a space is shown in quotes", () => {
  const lines = comparisonLines(comparison([drift("alice ", "new"), drift("", "new"), drift("bob", "new")], { new: 3 }));
  expect(lines.flatMap((line) => /key [^:]*/.exec(line) ?? [])).toEqual(['key "alice "', 'key ""', "key bob"]);
});

test("keys that would look the same are shown differently: composed or not, with another space, with a tab", () => {
  const keys = [
    "José",
    "Jose\u0301",
    "\u212b",
    "\u00c5",
    "한",
    "\u1112\u1161\u11ab",
    "a b",
    "a\u00a0b",
    "a\tb",
    "a  b",
    "Nguyễn Văn",
    "प्रिया",
  ];
  const shown = keys.map((key) => keyOf({ key }).slice("key ".length));
  expect(shown).toEqual([
    "José",
    String.raw`Jose\u0301`,
    String.raw`\u212b`,
    "Å",
    "한",
    String.raw`\u1112\u1161\u11ab`,
    "a b",
    String.raw`a\u00a0b`,
    String.raw`a\u0009b`,
    "a  b",
    "Nguyễn Văn",
    "प्रिया",
  ]);
});

test("a drift's line and JSON have the same word for its state", () => {
  const drifts = (["new", "persisting", "changed", "acknowledged"] as const).map((state) => drift(state, state));
  const lines = comparisonLines(comparison(drifts, { new: 1, persisting: 1, changed: 1, acknowledged: 1 }));
  expect(lines.flatMap((line) => /^(\w+) +id-\1 /.exec(line)?.[1] ?? [])).toEqual(drifts.map(({ state }) => state));
  expect(lines).toContain("3000 keys compared in 2 looks: 1 new, 1 persisting, 1 changed since acknowledged, 1 acknowledged");
});

test("the totals of an incomplete comparison are not compared", () => {
  const totals = [{ of: "Gold", left: "10.5", right: "0" }];
  const gaps = [{ side: "book", of: "book.csv", code: "c", message: "line 3" }];
  const shown = (found: Comparison): readonly string[] => [
    comparisonLines(found)[2] ?? "",
    ...["Difference", "Totals of the rows that were read"].filter((words) => comparisonMarkup(found, false).html.includes(words)),
  ];
  const whole = { ...comparison([], {}), totalsOf: "token", totals };
  expect(shown(whole)).toEqual(["total of token Gold: 10.5 ≠ 0", "Difference"]);
  expect(shown({ ...whole, gaps })).toEqual([
    "total of token Gold: 10.5 and 0, of the rows that were read",
    "Totals of the rows that were read",
  ]);
});

test("the audit page of an incomplete comparison does not say that there is no drift", () => {
  const { run } = reportOf(RUNS["passed"]?.().all ?? []);
  const page = (gaps: Comparison["gaps"]): string => {
    const rows = [{ key: { key: "A" }, leftRows: 1, rightRows: 0, left: "1", right: null }];
    const latest = {
      run,
      outcome: "failed",
      comparison: { ...comparison([], {}), rows, gaps },
      records: 1,
      digest: "d",
    } as const;
    const of = { environment: "test", playbook: "a", comparison: "c", scope: "" };
    return [...auditPage({ of, title: "A", latest, isOutdated: false, runs: [latest], drifts: [], driftCount: 0, now: 0 })].join(
      "",
    );
  };
  const said = ["None was found, but a read did not finish.", "0 or more", "the row may exist but was not read"];
  const plain = ["<p>None.</p>", "Open drifts; 0 throughout"];
  const found = (html: string): readonly string[] => [...said, ...plain].filter((words) => html.includes(words));
  expect(found(page([]))).toEqual(plain);
  expect(found(page([{ side: "ledger", of: "ledger.token.list", code: "c", message: "HTTP 500" }]))).toEqual(said);
});
