import { onTestFinished, expect, test } from "vitest";
import { systemClock } from "../../../src/base/ports.ts";
import { OldestUnknown } from "../../../src/cli/fleet/oldest-unknown.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import { TestState } from "../../state.ts";
import { completed, intended, opened } from "../protocol/facts.ts";

test("the oldest run with an open write is found, and unchanged runs are not read again", async () => {
  const state = new TestState();
  let now = Date.parse("2026-06-01T00:00:00Z");
  const clock = { ...systemClock, now: () => ++now };
  const store = JournalStore.open(state.place, { clock, redact: (text) => text });
  onTestFinished(() => store.close());
  const unknown = new OldestUnknown();
  const found = (): string | undefined => unknown.runIn(store)?.id;
  const begun = async (runId: string) => (await store.begin({ ...opened, runId })).journal;

  const clean = await begun("clean");
  expect([found(), unknown.ageIn(store)]).toEqual([undefined, 0]);
  for (const runId of ["left", "later"]) {
    const left = await begun(runId);
    left.note(intended("mint"));
    await store.release(left, "unknown", undefined);
  }
  expect(found()).toBe("left");
  expect(unknown.ageIn(store)).toBeGreaterThan(0);
  // If the code read these records again, or those of a later run, it would report damage.
  state.tamper(JOURNAL_PART, "UPDATE record SET body = '{}' WHERE run_id IN ('clean', 'later')");
  expect(found()).toBe("left");
  clean.note(completed("mint"));
  await clean.flushed();
  expect(found).toThrow("damaged");
});

test("an open write from a clock that was ahead has an age above 0, because 0 means no open write", async () => {
  const state = new TestState();
  const store = JournalStore.open(state.place, { clock: { ...systemClock, now: () => now }, redact: (text) => text });
  onTestFinished(() => store.close());
  let now = Date.parse("2026-06-02T00:00:00Z");
  const { journal } = await store.begin({ ...opened, runId: "left" });
  journal.note(intended("mint"));
  await store.release(journal, "unknown", undefined);
  now = Date.parse("2026-06-01T00:00:00Z");
  expect(new OldestUnknown().ageIn(store)).toBeGreaterThan(0);
});
