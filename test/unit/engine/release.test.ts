import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/base/ports.ts";
import { releaseRun } from "../../../src/engine/run/release-run.ts";
import { resolveWrite } from "../../../src/engine/write/resolve-write.ts";
import { thisProcess } from "../../../src/journal/holder.ts";
import type { JournalPorts } from "../../../src/journal/journal.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { hasSettled } from "../../../src/protocol/settle.ts";
import { stateOf, stepIn } from "../../../src/protocol/state.ts";
import { keep } from "../journal/keep.ts";
import { answered, intended, opened, stopped } from "../protocol/facts.ts";
import { folderForTest } from "./server.ts";

const PORTS: JournalPorts = { clock: systemClock, redact: (text) => text };
const WORD = { who: "olga", because: "its machine is gone" };
const ELSEWHERE = { ...thisProcess(), host: "elsewhere", bootId: "another" };

/** Records a run that a process of another machine holds, with one write that was answered and one that was not. */
async function held(folder: string): Promise<void> {
  const store = JournalStore.open(folder, PORTS);
  const { journal } = await store.begin(opened);
  keep(journal, intended("first"));
  keep(journal, answered("first", "ambiguous"));
  keep(journal, stopped("first", "unknown"));
  keep(journal, intended("mint"));
  store.close();
  const database = new DatabaseSync(join(folder, "journal.db"));
  database.prepare("UPDATE lease SET holder = ?").run(JSON.stringify(ELSEWHERE));
  database.close();
}

test("one commit records a takeover and its release, so a crash leaves both or neither", async () => {
  const folder = folderForTest();
  await held(folder);
  const commits: string[][] = [];
  const heldBefore: (string | undefined)[] = [];
  const looker = JournalStore.open(folder, PORTS);
  const watch: JournalPorts["watch"] = (moment, records) => {
    if (moment === "before") heldBefore.push(looker.leases.holding("run1")?.holder?.host);
    else commits.push(records.map(({ kind }) => kind));
  };
  const store = JournalStore.open(folder, { ...PORTS, watch });
  expect(await releaseRun(store, "run1", WORD)).toEqual(ELSEWHERE);
  expect(commits).toEqual([["run.claimed", "run.released"], ["run.closed"]]);
  expect(heldBefore[0]).toBe("elsewhere");
  expect(store.leases.holding("run1")).toBeUndefined();
  store.close();
  looker.close();
});

test("the release names the writes that the former holder may still send, and no time settles these or later attempts", async () => {
  const folder = folderForTest();
  await held(folder);
  const store = JournalStore.open(folder, PORTS);
  await releaseRun(store, "run1", WORD);
  const records = store.read("run1");
  expect(records.find(({ kind }) => kind === "run.released")).toMatchObject({
    unsent: [{ step: "mint", attempt: 0 }],
    who: "olga",
  });
  const state = stateOf(records);
  const longAgo = { goneForMs: 1_000_000, settlingMs: 1 };
  expect(hasSettled(stepIn(state, "first").attempts, longAgo)).toBe(true);
  const { attempts } = stepIn(state, "mint");
  expect(hasSettled(attempts, longAgo)).toBe(false);
  // A second attempt was sent later. Even if it were absent, the first attempt might still arrive.
  const later = { ...attempts[0], mayStillBeSent: false } as (typeof attempts)[number];
  expect(hasSettled([...attempts, later], longAgo)).toBe(false);
  store.close();
});

test("a holder that continues during a release keeps its run", async () => {
  const folder = folderForTest();
  await held(folder);
  const store = JournalStore.open(folder, PORTS);
  const lease = store.leases.holding("run1");
  if (lease === undefined) throw new Error("it is held");
  const other = JournalStore.open(folder, PORTS);
  other.leases.takeOver("run1");
  await expect(store.takeOver(lease, () => ({ kind: "run.closed", outcome: "interrupted", outputs: {} }))).rejects.toMatchObject({
    exit: 6,
  });
  expect(store.read("run1")).toHaveLength(6);
  other.close();
  store.close();
});

test("a run stays unknown until the last of its open writes is resolved", async () => {
  const folder = folderForTest();
  await held(folder);
  const store = JournalStore.open(folder, PORTS);
  const outcomes: unknown[] = [];
  const look = (): void => {
    const closed = store.read("run1").at(-1);
    outcomes.push([closed?.kind === "run.closed" && closed.outcome, store.summary("run1").outcome]);
  };
  await releaseRun(store, "run1", WORD);
  look();
  for (const step of ["first", "mint"]) {
    await resolveWrite(store, "run1", { ...WORD, step, verdict: "absent" });
    look();
  }
  expect(outcomes).toEqual([
    ["unknown", "unknown"],
    ["unknown", "unknown"],
    ["interrupted", "interrupted"],
  ]);
  store.close();
});
