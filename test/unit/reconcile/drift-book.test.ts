import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { writeJson } from "../../../src/base/json/json.ts";
import { type Redact, redactor, Secret } from "../../../src/base/secret.ts";
import type { ComparisonName } from "../../../src/protocol/comparison.ts";
import { DriftBook } from "../../../src/reconcile/drift-book.ts";
import type { FoundDrifts, ReadOfRun, Sighting } from "../../../src/reconcile/sighting.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { DRIFTS } from "../../../src/reconcile/drift-tables.ts";
import { keyText } from "../../../src/reconcile/row.ts";
import { ON_SERVER, TestState } from "../../state.ts";

const NAME: ComparisonName = { environment: "prod", playbook: "Nightly", comparison: "holdings", scope: "" };
const WORDS = { title: "Holdings", parts: ["holder"], left: "portfolio", right: "ledger" };
const DAY = 86_400_000;

function bookForTest(redact: Redact = (text) => text.replaceAll("open-sesame", "***")): DriftBook {
  const book = DriftBook.open(new TestState().place, redact);
  onTestFinished(() => book.close());
  return book;
}

function sighting(holder: string, left = "1", right = "2"): Sighting {
  const values = `${left} | ${right}`;
  return {
    key: [holder],
    kind: "differs",
    left,
    right,
    difference: "-1",
    values,
    since: 90 * DAY,
    evidence: { left: "open-sesame" },
  };
}

function found(run: string, at: number, ...sightings: Sighting[]): FoundDrifts {
  return { run, openedAt: at, at, sightings, young: [], moving: [], read: having("all") };
}

/** Turns a file of the fifth format into one of the third. */
const WITHOUT_DIGESTS = `DROP INDEX drift_known; DROP TABLE drift_reads; DROP TABLE drift_salt; UPDATE about SET format = 3;
ALTER TABLE comparison DROP COLUMN digest; ALTER TABLE acknowledgement DROP COLUMN values_digest;
${["key_digest", "values_digest", "reads", "parts"].map((column) => `ALTER TABLE drift DROP COLUMN ${column};`).join("\n")}
${["kind", "key_digest", "values_digest", "reads", "last_at", "last_run"].map((column) => `ALTER TABLE young DROP COLUMN ${column};`).join("\n")}`;

/** Returns a read that asked these questions, and that looked for every key but those in `but`. */
function having(asked: string, ...but: string[]): ReadOfRun {
  const asks = new Set(asked.split(" "));
  const hasLookedFor = (key: string): boolean => !but.some((holder) => key === keyText([holder]));
  return { isComplete: true, finished: () => asks, readsFor: () => asks, hasLookedFor };
}

test("a comparison is unfinished while a row is moving, because that may be a drift", () => {
  const book = bookForTest();
  book.record(NAME, WORDS, { ...found("run1", DAY), moving: [["alice"]] });
  expect(book.unfinished()).toMatchObject([{ of: NAME }]);
  book.record(NAME, WORDS, found("run2", 2 * DAY));
  expect(book.unfinished()).toEqual([]);
});

test("a drift with characters that a database server refuses is kept, acknowledged and explained", () => {
  const book = bookForTest();
  const rows = { left: { rows: "1", shown: ["no\0thing"] }, right: { rows: "2", shown: ["half \ud83d"] } };
  const strange = { ...sighting("a\0", "1\0", "\ud83d"), evidence: rows };
  const id = book.record(NAME, WORDS, found("run1", DAY, strange)).drifts[0]?.id ?? "";
  book.acknowledge({ id, who: "me", because: "known", until: 9 * DAY, at: 2 * DAY });
  expect(book.record(NAME, WORDS, found("run2", 3 * DAY, strange)).drifts).toMatchObject([{ id, state: "acknowledged" }]);
  expect(book.explain(id, 3 * DAY).evidence).toMatchObject({ left: { shown: ["no\0thing"] }, right: { shown: ["half \ud83d"] } });
});

test("each run shows which drifts are new, which persist, and which are cleared", () => {
  const book = bookForTest();
  const first = book.record(NAME, WORDS, found("run1", DAY, sighting("alice"), sighting("bob")));
  expect(first.drifts.map(({ key, state, since }) => [key["holder"], state, since])).toEqual([
    ["alice", "new", DAY],
    ["bob", "new", DAY],
  ]);
  const second = book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("bob"), sighting("carol")));
  expect(second.drifts.map(({ key, state, since }) => [key["holder"], state, since])).toEqual([
    ["bob", "persisting", DAY],
    ["carol", "new", 2 * DAY],
  ]);
  expect(second.cleared.map(({ key }) => key["holder"])).toEqual(["alice"]);
  expect(second.drifts[0]?.id).toBe(first.drifts[1]?.id);
  const third = book.record(NAME, WORDS, found("run3", 3 * DAY, sighting("alice")));
  expect(third.drifts.map(({ id, state, since }) => [id, state, since])).toEqual([[first.drifts[0]?.id, "new", 3 * DAY]]);
  const { history } = book.explain(first.drifts[0]?.id ?? "", 3 * DAY);
  expect(history.map(({ what, by }) => [what, by])).toEqual([
    ["seen", "run1"],
    ["cleared", "run2"],
    ["seen", "run3"],
  ]);
});

test("the list shows a drift as new until another run has looked at it", () => {
  const book = bookForTest();
  const listed = (all = false): unknown =>
    book.list({ all, limit: 10, now: 9 * DAY }).map(({ key, state }) => `${key["holder"]} ${state}`);
  const [alice] = book.record(NAME, WORDS, found("run1", DAY, sighting("alice"))).drifts;
  expect(listed()).toEqual(["alice new"]);
  expect(book.explain(alice?.id ?? "", DAY).state).toBe("new");
  book.record({ ...NAME, comparison: "supply" }, WORDS, found("run2", 2 * DAY));
  book.record(NAME, WORDS, { ...found("run3", 3 * DAY), read: having("all", "alice") });
  expect(listed()).toEqual(["alice new"]);
  book.record(NAME, WORDS, found("run4", 4 * DAY, sighting("alice"), sighting("bob")));
  expect(listed()).toEqual(["bob new", "alice persisting"]);
  book.acknowledge({ id: alice?.id ?? "", who: "dora", because: "a refund", until: 10 * DAY, at: 5 * DAY });
  expect(listed()).toEqual(["bob new", "alice acknowledged"]);
  book.record(NAME, WORDS, found("run5", 6 * DAY));
  expect(listed(true)).not.toContain("bob new");
});

test("a run that compares again records no drift twice", () => {
  const book = bookForTest();
  book.record(NAME, WORDS, found("run1", DAY, sighting("alice"), sighting("bob")));
  const once = book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("bob"), sighting("carol")));
  const again = book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("bob"), sighting("carol")));
  expect(again).toEqual(once);
  expect(book.explain(once.drifts[0]?.id ?? "", 2 * DAY).history).toHaveLength(2);
});

test("a run leaves a drift as it is if it did not look at the key", () => {
  const book = bookForTest();
  book.record(NAME, WORDS, found("run1", DAY, sighting("alice"), sighting("bob")));
  const second = book.record(NAME, WORDS, { ...found("run2", 2 * DAY), read: having("all", "alice") });
  expect(second.cleared.map(({ key }) => key["holder"])).toEqual(["bob"]);
  const left = book.list({ all: false, limit: 10, now: 2 * DAY });
  expect(left.map(({ key, lastSeen }) => [key["holder"], lastSeen])).toEqual([["alice", DAY]]);
});

test("a resumed run clears a drift that it reported before and no longer finds, and the drift keeps its history", () => {
  const book = bookForTest();
  const [alice, bob] = book.record(NAME, WORDS, found("run1", DAY, sighting("alice"), sighting("bob"))).drifts;
  const again = book.record(NAME, WORDS, found("run1", DAY + 1, sighting("bob")));
  expect(again.drifts.map(({ id, state }) => [id, state])).toEqual([[bob?.id, "new"]]);
  expect(again.cleared.map(({ id }) => id)).toEqual([alice?.id]);
  expect(book.explain(alice?.id ?? "", DAY + 2)).toMatchObject({ clearedAt: DAY + 1, lastRun: "run1" });
  const back = book.record(NAME, WORDS, found("run1", DAY + 3, sighting("alice"), sighting("bob")));
  expect(back.drifts.map(({ id }) => id)).toEqual([alice?.id, bob?.id]);
  expect(back.cleared).toEqual([]);
});

test.skipIf(ON_SERVER)("a drift book of the first format keeps its acknowledgements", () => {
  const { folder } = new TestState();
  const one: Sighting = { ...sighting("alice"), evidence: { left: { rows: "1" }, right: { rows: "1" } } };
  const first = DriftBook.open(folder);
  const [drift] = first.record(NAME, WORDS, found("run1", DAY, one)).drifts;
  first.acknowledge({ id: drift?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: DAY + 1 });
  first.close();
  const earlier = Database.open(join(folder, "drift.db"), DRIFTS);
  earlier.exec(WITHOUT_DIGESTS);
  earlier.exec("DROP TABLE young; ALTER TABLE acknowledgement DROP COLUMN closes");
  earlier.exec("ALTER TABLE acknowledgement DROP COLUMN rows; UPDATE about SET format = 1");
  earlier.close();
  const book = DriftBook.open(folder);
  expect(book.record(NAME, WORDS, found("run2", 2 * DAY, one)).drifts[0]?.state).toBe("acknowledged");
  book.close();
});

test("the book knows since when a young difference is unchanged, unless it was gone in between", () => {
  const book = bookForTest();
  const { evidence: _, ...young } = sighting("alice");
  const other = { ...young, left: "3", values: "3 | 2" };
  book.record(NAME, WORDS, { ...found("run1", DAY), young: [{ ...young, since: DAY }], moving: [["alice"]] });
  expect([book.unchangedSince(NAME, young), book.unchangedSince(NAME, other)]).toEqual([DAY, undefined]);
  book.record(NAME, WORDS, { ...found("run2", 2 * DAY), read: having("all", "alice") });
  expect(book.unchangedSince(NAME, young), "it was not looked at").toBe(DAY);
  book.record(NAME, WORDS, { ...found("run3", 3 * DAY), young: [{ ...other, since: 3 * DAY }], moving: [["alice"]] });
  expect([book.unchangedSince(NAME, young), book.unchangedSince(NAME, other)]).toEqual([undefined, 3 * DAY]);
  book.record(NAME, WORDS, found("run4", 4 * DAY));
  expect(book.unchangedSince(NAME, other), "it was gone").toBe(undefined);
});

test("a drift that a person closes is no longer listed, keeps its history, and is new when it is found again", () => {
  const book = bookForTest();
  const [drift] = book.record(NAME, WORDS, found("run1", DAY, sighting("alice"))).drifts;
  const id = drift?.id ?? "";
  book.acknowledge({ id, who: "dora", because: "a refund", until: 9 * DAY, at: DAY + 1 });
  expect([book.openOf("Nightly"), book.openOf("Other"), book.playbooks()]).toEqual([[id], [], ["Nightly"]]);
  book.closeDrifts([id], { who: "dora", because: "renamed", at: 2 * DAY });
  expect([book.count(false), book.openOf("Nightly"), book.playbooks()]).toEqual([0, [], []]);
  expect(book.explain(id, 2 * DAY).history.map(({ what, by }) => `${what} ${by}`)).toEqual([
    "seen run1",
    "acknowledged dora",
    "closed dora",
  ]);
  expect(book.record(NAME, WORDS, found("run2", 3 * DAY, sighting("alice"))).drifts).toMatchObject([{ id, state: "new" }]);
});

test("an acknowledgement of duplicates is valid for their number of rows, even if another number has the same sum", () => {
  const book = bookForTest();
  const twice = (left: string): Sighting => ({
    ...sighting("alice", "100", "100"),
    kind: "duplicate-left",
    values: `${left} rows of 100`,
    evidence: { left: { rows: left }, right: { rows: "1" } },
  });
  const stateIn = (run: string, at: number, rows: string): unknown =>
    book.record(NAME, WORDS, found(run, at, twice(rows))).drifts[0]?.state;
  const [drift] = book.record(NAME, WORDS, found("run1", DAY, twice("2"))).drifts;
  book.acknowledge({ id: drift?.id ?? "", who: "dora", because: "booked twice", until: 9 * DAY, at: DAY + 1 });
  expect(stateIn("run2", 2 * DAY, "2")).toBe("acknowledged");
  expect(stateIn("run3", 3 * DAY, "3")).toBe("changed");
  expect(stateIn("run4", 4 * DAY, "2")).toBe("acknowledged");
});

test("an acknowledgement is valid for its values, and until its day", () => {
  const book = bookForTest();
  const [drift] = book.record(NAME, WORDS, found("run1", DAY, sighting("alice"))).drifts;
  book.acknowledge({ id: drift?.id ?? "", who: "dora", because: "a refund", until: 5 * DAY, at: DAY + 1 });
  const stateIn = (run: string, at: number, seen: Sighting): string | undefined =>
    book.record(NAME, WORDS, found(run, at, seen)).drifts[0]?.state;
  expect(stateIn("run2", 2 * DAY, sighting("alice"))).toBe("acknowledged");
  expect(stateIn("run3", 3 * DAY, sighting("alice", "1", "3"))).toBe("changed");
  expect(stateIn("run4", 4 * DAY, sighting("alice"))).toBe("acknowledged");
  expect(stateIn("run5", 5 * DAY, sighting("alice"))).toBe("persisting");
});

test("an acknowledged drift that was repaired is new when it returns with the same values", () => {
  const book = bookForTest();
  const [drift] = book.record(NAME, WORDS, found("run1", DAY, sighting("alice"))).drifts;
  const id = drift?.id ?? "";
  const word = { id, who: "dora", because: "a refund", until: 90 * DAY };
  book.acknowledge({ ...word, at: DAY });
  expect(book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("alice"))).drifts).toMatchObject([{ state: "acknowledged" }]);
  book.record(NAME, WORDS, found("run3", 3 * DAY));
  const back = book.record(NAME, WORDS, found("run4", 4 * DAY, sighting("alice"))).drifts;
  expect(back).toMatchObject([{ id, state: "new", acknowledged: null }]);
  book.acknowledge({ ...word, at: 4 * DAY });
  expect(book.explain(id, 5 * DAY).state).toBe("acknowledged");
});

test("the newest drifts without an acknowledgement are listed first, and cleared drifts last", () => {
  const book = bookForTest();
  const older = ["alice", "bob", "carol"].map((holder) => sighting(holder));
  const [alice] = book.record(NAME, WORDS, found("run1", DAY, ...older)).drifts;
  book.acknowledge({ id: alice?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: DAY });
  const [, bob] = older;
  book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("alice"), ...(bob === undefined ? [] : [bob]), sighting("zoe")));
  const shown = (limit: number): unknown => {
    const { drifts, total } = book.driftsOf(NAME, { run: "run2", limit, now: 3 * DAY });
    return [drifts.map(({ key }) => key["holder"]).join(" "), total];
  };
  expect(shown(9)).toEqual(["zoe bob alice carol", 4]);
  expect(shown(1)).toEqual(["zoe", 4]);
});

test("comparisons of different environments, playbooks and scopes are independent", () => {
  const book = bookForTest();
  const { drifts } = book.record(NAME, WORDS, found("run1", DAY, sighting("alice")));
  for (const other of [{ environment: "staging" }, { playbook: "Weekly" }, { comparison: "supply" }, { scope: "eu" }]) {
    const { cleared } = book.record({ ...NAME, ...other }, WORDS, found("run2", 2 * DAY, sighting("alice")));
    expect(cleared).toEqual([]);
  }
  const ids = book.list({ all: false, limit: 10, now: 2 * DAY }).map(({ id }) => id);
  expect(new Set(ids)).toHaveLength(5);
  expect(ids).toContain(drifts[0]?.id);
});

test("the book knows since when a drift has had its present values", () => {
  const book = bookForTest();
  book.record(NAME, WORDS, found("run1", DAY, sighting("alice")));
  book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("alice")));
  expect(book.unchangedSince(NAME, sighting("alice"))).toBe(DAY);
  book.record(NAME, WORDS, found("run3", 3 * DAY, sighting("alice", "1", "3")));
  expect(book.unchangedSince(NAME, sighting("alice", "1", "3"))).toBe(3 * DAY);
  expect(book.unchangedSince(NAME, sighting("alice"))).toBeUndefined();
});

test("a number that is a secret is masked in the book, and its drift is recognized again", () => {
  const book = bookForTest(redactor([new Secret("CODE", "70031992881")]));
  const seen: Sighting = {
    ...sighting("70031992881", "70031992881", "0"),
    evidence: { left: { record: { code: Decimal.of(70_031_992_881), other: Decimal.of(170_031_992_881) } } },
  };
  const [drift] = book.record(NAME, WORDS, found("run1", DAY, seen)).drifts;
  const known = book.explain(drift?.id ?? "", DAY);
  expect(writeJson(known)).not.toMatch(/(?<!1)70031992881/);
  expect(known).toMatchObject({
    key: { holder: "${{ secrets.CODE }}" },
    left: "${{ secrets.CODE }}",
    evidence: { left: { record: { code: "${{ secrets.CODE }}" } } },
  });
  expect(book.unchangedSince(NAME, seen)).toBe(DAY);
  expect(book.record(NAME, WORDS, found("run2", 2 * DAY, seen)).drifts).toMatchObject([{ id: drift?.id, state: "persisting" }]);
  // The drift's id does not depend on the secret. Otherwise somebody could find a short secret by trying them all.
  const another = bookForTest(redactor([new Secret("CODE", "12345678")]));
  expect(another.record(NAME, WORDS, found("run1", DAY, sighting("12345678"))).drifts[0]?.id).toBe(drift?.id);
});

test("a secret is masked in the book", () => {
  const book = bookForTest();
  const [drift] = book.record(NAME, WORDS, found("run1", DAY, sighting("open-sesame"))).drifts;
  const known = book.explain(drift?.id ?? "", DAY);
  expect(JSON.stringify(known)).not.toContain("open-sesame");
  expect(known.evidence).toEqual({ left: "***" });
});

test("only a run that repeats the reads of a drift can clear it", () => {
  const book = bookForTest();
  const clearedBy = (run: string, at: number, asked: string): number =>
    book.record(NAME, WORDS, { ...found(run, at), read: having(asked) }).cleared.length;
  book.record(NAME, WORDS, { ...found("run1", DAY, sighting("alice")), read: having("list anna") });
  expect(clearedBy("run2", 2 * DAY, "list ben")).toBe(0);
  expect(book.list({ all: false, limit: 10, now: 2 * DAY })).toMatchObject([{ since: DAY, state: "new" }]);
  expect(clearedBy("run3", 3 * DAY, "list ben anna")).toBe(1);
  const { evidence: _, ...young } = sighting("bob");
  const seen = { young: [{ ...young, since: 4 * DAY }], moving: [["bob"]], read: having("list anna") };
  book.record(NAME, WORDS, { ...found("run4", 4 * DAY), ...seen });
  clearedBy("run5", 5 * DAY, "list ben");
  expect(book.unchangedSince(NAME, young)).toBe(4 * DAY);
  clearedBy("run6", 6 * DAY, "list anna");
  expect(book.unchangedSince(NAME, young)).toBeUndefined();
});

test("a run neither clears nor hides a drift that another run has seen since it began", () => {
  const book = bookForTest();
  const began = (run: string, openedAt: number, at: number, ...seen: Sighting[]): FoundDrifts => ({
    ...found(run, at, ...seen),
    openedAt,
  });
  const [drift] = book.record(NAME, WORDS, began("tuesday", 2 * DAY, 2 * DAY + 1, sighting("alice", "1", "3"))).drifts;
  const monday = book.record(NAME, WORDS, began("monday", DAY, 2 * DAY + 2));
  expect(monday.cleared).toEqual([]);
  book.acknowledge({ id: drift?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: 2 * DAY + 3 });
  book.record(NAME, WORDS, began("wednesday", 3 * DAY, 3 * DAY + 1, sighting("alice", "1", "4")));
  const again = book.record(NAME, WORDS, began("monday", DAY, 3 * DAY + 2, sighting("alice", "1", "3")));
  expect(again.drifts).toMatchObject([{ right: "4", state: "changed" }]);
  expect(book.explain(drift?.id ?? "", 4 * DAY).history.filter(({ by }) => by === "monday")).toMatchObject([{ right: "3" }]);
  expect(book.record(NAME, WORDS, began("thursday", 4 * DAY, 4 * DAY)).cleared).toHaveLength(1);
});

test("keys, values and scopes that are equal when masked remain different", () => {
  const book = bookForTest(redactor([new Secret("API", "https://api.example.com/?from=2026-01-01&to=2026-01-31")]));
  const [first, last] = book.record(NAME, WORDS, found("run1", DAY, sighting("2026-01-01"), sighting("2026-01-31"))).drifts;
  expect([first?.key, last?.key]).toEqual([{ holder: "${{ secrets.API }}" }, { holder: "${{ secrets.API }}" }]);
  expect(first?.id).not.toBe(last?.id);
  book.acknowledge({ id: first?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: DAY + 1 });
  const again = book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("2026-01-31"), sighting("2026-01-01"))).drifts;
  expect(again).toMatchObject([
    { id: last?.id, state: "persisting" },
    { id: first?.id, state: "acknowledged" },
  ]);
  const left = (value: string): Sighting => sighting("carol", value);
  const [carol] = book.record(NAME, WORDS, found("run3", 3 * DAY, left("2026-01-01"))).drifts;
  book.acknowledge({ id: carol?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: 3 * DAY });
  expect(book.record(NAME, WORDS, found("run4", 4 * DAY, left("2026-01-31"))).drifts).toMatchObject([{ state: "changed" }]);
  const scoped = (scope: string, run: string): string | undefined =>
    book.record({ ...NAME, scope }, WORDS, found(run, 5 * DAY, sighting("alice"))).drifts[0]?.id;
  const january = scoped("2026-01-01", "run5");
  expect(scoped("2026-01-31", "run6")).not.toBe(january);
  expect(scoped("2026-01-01", "run7")).toBe(january);
  expect(book.known().map(({ of }) => of.scope)).toEqual([
    "",
    "${{ secrets.API }}",
    expect.stringMatching(/^\$\{\{ secrets\.API \}\} \(\S{12}\)$/),
  ]);
});

test.skipIf(ON_SERVER)(
  "a drift book of the third format keeps its drifts and acknowledgements, also those of masked keys",
  () => {
    const { folder } = new TestState();
    const redact = redactor([new Secret("API", "https://api.example.com/?from=2026-01-01&to=2026-01-31")]);
    const first = DriftBook.open(folder, redact);
    const before = first.record(
      NAME,
      WORDS,
      found("run1", DAY, sighting("alice"), sighting("2026-01-01"), sighting("carol")),
    ).drifts;
    for (const { id } of before) first.acknowledge({ id, who: "dora", because: "a refund", until: 9 * DAY, at: DAY + 1 });
    first.close();
    const earlier = Database.open(join(folder, "drift.db"), DRIFTS);
    earlier.exec(WITHOUT_DIGESTS);
    earlier.close();
    const book = DriftBook.open(folder, redact);
    expect(book.list({ all: false, limit: 9, now: DAY + 2 }).map(({ state }) => state)).toEqual(Array(3).fill("acknowledged"));
    expect(book.unchangedSince(NAME, sighting("alice"))).toBe(DAY);
    const after = book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("alice"), sighting("2026-01-01"))).drifts;
    expect(after.map(({ id, state, since }) => [id, state, since])).toEqual(
      before.slice(0, 2).map(({ id }) => [id, "acknowledged", DAY]),
    );
    expect(book.explain(before[2]?.id ?? "", 2 * DAY).clearedAt).toBe(2 * DAY);
    const third = book.record(NAME, WORDS, found("run3", 3 * DAY, sighting("alice"), sighting("2026-01-31"))).drifts;
    expect(third).toMatchObject([{ state: "acknowledged" }, { state: "new" }]);
    book.close();
  },
);

test.skipIf(ON_SERVER)("if an earlier version took two keys for one, neither of them gets its acknowledgement", () => {
  const { folder } = new TestState();
  const redact = redactor([new Secret("API", "https://api.example.com/?from=2026-01-01&to=2026-01-31")]);
  const first = DriftBook.open(folder, redact);
  const [before] = first.record(NAME, WORDS, found("run1", DAY, sighting("2026-01-01"))).drifts;
  first.acknowledge({ id: before?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: DAY + 1 });
  first.close();
  const earlier = Database.open(join(folder, "drift.db"), DRIFTS);
  earlier.exec(WITHOUT_DIGESTS);
  earlier.close();
  const book = DriftBook.open(folder, redact);
  const { drifts } = book.record(NAME, WORDS, found("run2", 2 * DAY, sighting("2026-01-01"), sighting("2026-01-31")));
  expect(drifts.map(({ state }) => state)).toEqual(["new", "new"]);
  book.close();
});

test.skipIf(ON_SERVER)("a drift that was recorded under a typed path goes to the playbook of its run", () => {
  const { folder } = new TestState();
  const playbookOf = (run: string): string | undefined => ({ root1: "nightly.yaml", sub1: "sub/nightly.yaml" })[run];
  const typed = { ...NAME, playbook: "nightly.yaml" };
  const first = DriftBook.open(folder);
  const [alice] = first.record(typed, WORDS, found("root1", DAY, sighting("alice"))).drifts;
  const [bob] = first.record(typed, WORDS, { ...found("sub1", DAY, sighting("bob")), read: having("all", "alice") }).drifts;
  for (const drift of [alice, bob])
    first.acknowledge({ id: drift?.id ?? "", who: "dora", because: "a refund", until: 9 * DAY, at: DAY });
  first.close();
  const earlier = Database.open(join(folder, "drift.db"), DRIFTS);
  earlier.exec(WITHOUT_DIGESTS);
  earlier.close();
  const book = DriftBook.open(folder, (text) => text, playbookOf);
  const below = { ...NAME, playbook: "sub/nightly.yaml" };
  book.takeOver(below, WORDS, "nightly.yaml");
  expect([book.openOf("nightly.yaml"), book.openOf("sub/nightly.yaml")]).toEqual([[alice?.id], [bob?.id]]);
  book.takeOver(typed, WORDS, "nightly.yaml");
  expect(book.record(typed, WORDS, found("root2", 2 * DAY, sighting("alice")))).toMatchObject({
    drifts: [{ id: alice?.id, state: "acknowledged", since: DAY }],
    cleared: [],
  });
  const seen = book.record(below, WORDS, found("sub2", 2 * DAY, sighting("bob"))).drifts;
  expect(seen).toMatchObject([{ id: bob?.id, state: "acknowledged", since: DAY }]);
  book.close();
});
