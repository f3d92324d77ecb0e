import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/base/ports.ts";
import { redactor, Secret } from "../../../src/base/secret.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import { processSpace, thisProcess } from "../../../src/journal/holder.ts";
import { actingFor, type Claim, type Lease, type Leases, type WantedLeases } from "../../../src/journal/leases.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { ON_SERVER, TestState } from "../../state.ts";
import { answered, intended, opened } from "../protocol/facts.ts";
import { keep } from "./keep.ts";

let state: TestState;
beforeEach(() => {
  state = new TestState();
});

const open = (redact: (text: string) => string = (text) => text): JournalStore =>
  JournalStore.open(state.place, { clock: systemClock, redact });

const groups = (...names: readonly string[]): WantedLeases => ({ groups: names, entities: [] });
const entities = (...names: readonly string[]): WantedLeases => ({ groups: [], entities: names });

function claimOf(leases: Leases, runId: string, wanted: WantedLeases): Claim {
  const taken = leases.take(runId, wanted);
  if ("claim" in taken) return taken.claim;
  throw new Error(`${taken.inTheWay.name} is in the way`);
}

function inTheWay(leases: Leases, runId: string, wanted: WantedLeases): Lease | undefined {
  const taken = leases.take(runId, wanted);
  return "claim" in taken ? undefined : taken.inTheWay;
}

const DEAD = { ...thisProcess(), space: processSpace(), startedAt: "1" };
const ELSEWHERE = { host: "elsewhere", bootId: "another", pid: 1, startedAt: "1" };
const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
const LIVING = {
  ...thisProcess(),
  pid: process.ppid,
  startedAt: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19],
};

/** Makes another process seem to hold everything that a run holds. */
function holds(runId: string, holder: object): void {
  state.tamper(JOURNAL_PART, "UPDATE lease SET holder = ? WHERE run_id = ?", JSON.stringify(holder), runId);
}

test("a run gets all its groups or none, and secrets in their names are masked", () => {
  const { leases } = open(redactor([new Secret("KEY", "70031992")]));
  const first = claimOf(leases, "run1", groups("a", "of 70031992"));
  const other = open().leases;
  expect(inTheWay(other, "run2", groups("b", "of ${{ secrets.KEY }}"))).toMatchObject({
    name: "of ${{ secrets.KEY }}",
    runId: "run1",
    holder: { pid: process.pid },
  });
  const second = claimOf(other, "run2", groups("b"));
  other.release(second, false);
  claimOf(leases, "run3", groups("b"));
  leases.release(first, false);
  expect(inTheWay(other, "run2", groups("a", "b"))).toMatchObject({ name: "b", runId: "run3" });
  claimOf(other, "run2", groups("a"));
});

test("the groups of a dead process are free, and those of a process on another host are not", () => {
  const { leases } = open();
  const first = claimOf(leases, "run1", groups("a"));
  claimOf(leases, "run2", groups("b"));
  holds("run1", DEAD);
  holds("run2", ELSEWHERE);
  expect(inTheWay(leases, "run3", groups("a", "b"))).toMatchObject({ name: "b", holder: { host: "elsewhere" } });
  claimOf(leases, "run3", groups("a"));
  leases.release(first, false); // releases nothing that another run has taken over
  expect(inTheWay(leases, "run4", groups("a"))).toMatchObject({ name: "a", runId: "run3" });
});

test("several runs of one process can act as the same entity, and know that they are not alone", () => {
  const { leases } = open();
  const first = claimOf(leases, "run1", entities("alice"));
  expect(leases.isAlone("alice", "run1")).toBe(true);
  const second = claimOf(leases, "run2", entities("alice", "bob"));
  expect(["alice", "bob"].map((each) => leases.isAlone(each, "run2"))).toEqual([false, true]);
  leases.release(second, false);
  expect(leases.isAlone("alice", "run1")).toBe(false); // the other run did act meanwhile
  leases.release(first, false);
  claimOf(leases, "run3", entities("alice"));
  expect(leases.isAlone("alice", "run3")).toBe(true);
});

test("while a process acts as an entity, no other process can, until the first one is dead", () => {
  const { leases } = open();
  claimOf(leases, "run1", entities("alice", "bob"));
  holds("run1", LIVING);
  expect(inTheWay(leases, "run2", entities("carol", "alice"))).toMatchObject({ kind: "entity", name: "alice", runId: "run1" });
  claimOf(leases, "run3", entities("carol"));
  holds("run1", DEAD);
  claimOf(leases, "run2", entities("alice"));
  expect(leases.isAlone("alice", "run2")).toBe(true); // a dead process sends nothing
});

test("a run takes an entity that it meets later without waiting, and both runs know that they are not alone", () => {
  const { leases } = open();
  claimOf(leases, "run1", entities("alice"));
  holds("run1", LIVING);
  const second = claimOf(leases, "run2", entities());
  expect(leases.isAlone("alice", "run2")).toBe(false); // run2 has not taken alice, so it is not alone
  leases.actAs("alice", second);
  leases.actAs("bob", second);
  expect([leases.isAlone("alice", "run1"), leases.isAlone("alice", "run2"), leases.isAlone("bob", "run2")]).toEqual([
    false,
    false,
    true,
  ]);
});

test("after an open write, no later run is alone with the entity; its own run is, until another run acts", async () => {
  const store = open();
  const { leases } = store;
  const claim = claimOf(leases, "run1", entities("alice"));
  const { journal } = await store.begin(opened, claim);
  keep(journal, intended("mint"));
  await store.release(journal, "unknown", undefined);
  expect(leases.list()).toMatchObject([{ kind: "entity", name: "alice", holder: undefined, shared: false }]);
  const again = claimOf(leases, "run1", entities());
  expect(leases.isAlone("alice", "run1")).toBe(true); // the new claim takes alice again, although it did not ask for her
  leases.release(again, true);

  const second = claimOf(leases, "run2", entities("alice"));
  expect(leases.isAlone("alice", "run2")).toBe(false);
  leases.release(second, false);
  claimOf(leases, "run1", entities("alice"));
  expect(leases.isAlone("alice", "run1")).toBe(false);
});

test("a killed run that had all its answers leaves no lease", async () => {
  const store = open();
  const { journal } = await store.begin(opened, claimOf(store.leases, "run1", entities("alice")));
  keep(journal, intended("mint"));
  keep(journal, answered("mint", "refused"));
  holds("run1", DEAD);
  claimOf(store.leases, "run2", entities("alice"));
  expect(store.leases.isAlone("alice", "run2")).toBe(true);
});

test("only one claim at a time holds a run, and each claim raises the epoch", async () => {
  const store = open();
  const { leases } = store;
  const first = claimOf(leases, "run1", groups());
  expect(first).toEqual({ runId: "run1", epoch: 1 });
  await store.begin(opened, first);
  expect(inTheWay(open().leases, "run1", groups())).toMatchObject({ kind: "run", holder: { pid: process.pid } });
  holds("run1", DEAD);
  const second = claimOf(leases, "run1", groups());
  expect(second).toEqual({ runId: "run1", epoch: 2 });
  leases.release(second, false);
  expect(claimOf(leases, "run1", groups())).toEqual({ runId: "run1", epoch: 3 });
});

test("after a takeover the former holder cannot write, and the run is free once it is released", async () => {
  const store = open();
  const claim = claimOf(store.leases, "run1", { groups: ["a"], entities: ["alice"] });
  const { journal } = await store.begin(opened, claim);
  holds("run1", ELSEWHERE);
  expect(inTheWay(store.leases, "run1", groups())).toMatchObject({ holder: { host: "elsewhere" } });
  const taken = store.leases.takeOver("run1");
  expect(taken).toEqual({ runId: "run1", epoch: 2 });
  expect(() => keep(journal, intended("mint"))).toThrow(/no longer holds the run run1/);
  expect(store.read("run1")).toHaveLength(2);
  store.leases.release(taken, false);
  expect(store.leases.list()).toEqual([]);
  expect(claimOf(store.leases, "run1", groups("a"))).toEqual({ runId: "run1", epoch: 3 });
});

test("a process releases the leases of runs that it no longer performs, and no others", async () => {
  const { leases } = open();
  claimOf(leases, "run1", groups("a"));
  await actingFor("run2", async () => {
    const claim = claimOf(leases, "run2", groups("b"));
    claimOf(leases, "run3", groups("c"));
    holds("run3", LIVING);
    leases.releaseAbandoned();
    expect(leases.isHeld(claim)).toBe(true);
    expect(inTheWay(leases, "run4", groups("b"))?.runId).toBe("run2");
    expect(inTheWay(leases, "run4", groups("c"))?.runId).toBe("run3");
    expect(inTheWay(leases, "run4", groups("a"))).toBeUndefined();
  });
});

test.skipIf(!ON_SERVER)("a process that takes a run shows that it is alive, however long it was stopped before", () => {
  const { leases } = open();
  claimOf(leases, "first", groups("a"));
  const beats = (age: string): readonly unknown[] =>
    state.rows(JOURNAL_PART, `SELECT name FROM holder WHERE seen_at ${age} clock_timestamp() - interval '1 hour'`);
  state.tamper(JOURNAL_PART, "UPDATE holder SET seen_at = seen_at - interval '1 day'");
  claimOf(leases, "second", groups("b"));
  expect([beats("<"), beats(">")]).toEqual([[], [{ name: expect.any(String) as unknown }]]);
});
