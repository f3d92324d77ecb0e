// What a process sees of runs that another process ends or archives at the same time.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JournalStore } from "../../../src/journal/store.ts";
import { temporaryFolder } from "../../stories/world.ts";
import { TestState } from "../../state.ts";

let state: TestState;
let store: JournalStore;

beforeEach(() => {
  state = new TestState();
  store = state.openJournal();
});
afterEach(() => store.close());

function otherProcess(what: "archives" | "ends"): ChildProcess {
  const { place } = state;
  const [where, variables] = typeof place === "string" ? [place, {}] : [place.schema, { STATE_URL: place.url.reveal() }];
  return spawn(process.execPath, [fileURLToPath(new URL("other-process.ts", import.meta.url)), where, temporaryFolder(), what], {
    stdio: "inherit",
    env: { ...process.env, ...variables },
  });
}

/** Looks again and again until the other process has ended. That process must end with code 0. */
async function whileIn(other: ChildProcess, look: () => void): Promise<void> {
  const over = once(other, "exit");
  for (; other.exitCode === null; await nextTurn()) look();
  expect(await over).toEqual([0, null]);
}

test("a run that another process is archiving is read whole or reported as archived, never as damaged", async () => {
  let [whole, archived] = [0, 0];
  await whileIn(otherProcess("archives"), () => {
    for (const id of store.runs.ids()) {
      try {
        const [first, ...others] = store.read(id);
        expect([first?.kind, others.length > 0], id).toEqual(["run.opened", true]);
        whole++;
      } catch (error) {
        expect(error).toMatchObject({ code: "run.archived" });
        archived++;
      }
    }
  });
  expect(whole).toBeGreaterThan(0);
  expect(archived).toBeGreaterThan(0);
});

test("a run is shown as in progress until it has passed, and never as dead in between", async () => {
  const seen = new Set<string>();
  await whileIn(otherProcess("ends"), () => {
    for (const { outcome, held } of store.runs.latest(5)) seen.add(outcome ?? (held === undefined ? "died" : "under way"));
  });
  expect([...seen].toSorted()).toEqual(["passed", "under way"]);
});
