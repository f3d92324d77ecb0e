import { expect, onTestFinished, test } from "vitest";
import type { KnownDrift } from "../../../src/protocol/drift.ts";
import { DriftBook } from "../../../src/reconcile/drift-book.ts";
import type { ReadOfRun } from "../../../src/reconcile/sighting.ts";
import { TestState } from "../../state.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NAME = { environment: "prod", playbook: "Nightly", comparison: "holdings", scope: "" };
const WORDS = { title: "Holdings", parts: ["holder"], left: "portfolio", right: "ledger" };
const SIGHTING = { key: ["alice"], kind: "differs", left: "1", difference: null, since: DAY, evidence: null } as const;
const READS: ReadonlySet<string> = new Set(["all"]);
const ALL: ReadOfRun = { isComplete: true, finished: () => READS, readsFor: () => READS, hasLookedFor: () => true };

test.each([12, -12])("the order of acknowledgements is right, even from a machine whose clock differs by %i hours", (hours) => {
  const book = DriftBook.open(new TestState().place);
  onTestFinished(() => book.close());
  let now = 0;
  const look = (...values: string[]): readonly string[] => {
    const at = DAY + ++now * HOUR;
    const sightings = values.map((right) => ({ ...SIGHTING, right, values: right }));
    const found = { run: `run${now}`, openedAt: at, at, sightings, young: [], moving: [], read: ALL };
    return book.record(NAME, WORDS, found).drifts.map(({ state }) => state);
  };
  expect(look("2")).toEqual(["new"]);
  const [id = ""] = book.ids();
  const acknowledge = (skew: number): KnownDrift =>
    book.acknowledge({ id, who: "me", because: "known", until: 9 * DAY, at: DAY + (++now + skew) * HOUR });
  acknowledge(hours);
  expect(look("2")).toEqual(["acknowledged"]);
  expect(look("3")).toEqual(["changed"]);
  acknowledge(0);
  expect(look("3")).toEqual(["acknowledged"]);
  expect(look("2")).toEqual(["changed"]);
  acknowledge(hours);
  expect(look()).toEqual([]);
  expect(look("2")).toEqual(["new"]);
  acknowledge(0);
  expect(look("2")).toEqual(["acknowledged"]);
  book.closeDrifts([id], { who: "me", because: "gone", at: DAY + (++now + hours) * HOUR });
  expect(look("2")).toEqual(["new"]);
});

test("a drift of a key that has other parts by now keeps their names, and is cleared once everything is read again", () => {
  const book = DriftBook.open(new TestState().place);
  onTestFinished(() => book.close());
  const look = (run: number, key: readonly string[], more: Partial<ReadOfRun> = {}): readonly unknown[] => {
    const [at, sightings] = [run * DAY, [{ ...SIGHTING, key, right: "2", values: "2" }]];
    const words = { ...WORDS, parts: key.length === 1 ? ["holder"] : ["token", "holder"] };
    const found = { run: `run${run}`, openedAt: at, at, sightings, young: [], moving: [], read: { ...ALL, ...more } };
    return book.record(NAME, words, found).cleared.map((drift) => drift.key);
  };
  expect(look(1, ["alice"])).toEqual([]);
  // No read is about a token that is called alice.
  const hasLookedFor = (key: string): boolean => key !== '["alice"]';
  expect(look(2, ["GOLD1", "alice"], { hasLookedFor, isComplete: false })).toEqual([]);
  const keys = book.list({ all: false, limit: 9, now: 2 * DAY }).map(({ key }) => key);
  expect(keys).toEqual([{ token: "GOLD1", holder: "alice" }, { holder: "alice" }]);
  expect(look(3, ["GOLD1", "alice"], { hasLookedFor })).toEqual([{ holder: "alice" }]);
});

test("a word that is given again, because its command was killed, is in the history once", () => {
  const book = DriftBook.open(new TestState().place, (text) => text.replaceAll("open-sesame", "***"));
  onTestFinished(() => book.close());
  const look = (day: number, right: string): void => {
    const sightings = [{ ...SIGHTING, right, values: right }];
    const found = { run: `run${day}`, openedAt: day * DAY, at: day * DAY, sightings, young: [], moving: [], read: ALL };
    book.record(NAME, WORDS, found);
  };
  look(1, "2");
  const [id = ""] = book.ids();
  const word = { id, who: "dora", because: "a refund, open-sesame", until: 9 * DAY };
  const kept = (): readonly string[] => book.explain(id, 4 * DAY).history.map(({ what }) => what);
  for (const at of [DAY, DAY + 1]) book.acknowledge({ ...word, at });
  expect(kept()).toEqual(["seen", "acknowledged"]);
  book.acknowledge({ ...word, until: 10 * DAY, at: DAY + 2 });
  look(2, "3");
  for (const at of [3 * DAY, 3 * DAY + 1]) book.acknowledge({ ...word, until: 10 * DAY, at });
  expect(kept()).toEqual(["seen", "acknowledged", "acknowledged", "seen", "acknowledged"]);
});
