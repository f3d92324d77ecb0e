import { onTestFinished, expect, test } from "vitest";
import { OldestUnknown } from "../../../src/cli/fleet/oldest-unknown.ts";
import { JOURNAL_PART } from "../../../src/journal/format.ts";
import { TestState } from "../../state.ts";
import { completed, intended, opened } from "../protocol/facts.ts";

test("the oldest run with an open write is found, and what has not changed is not read again", async () => {
  const state = new TestState();
  const store = state.openJournal();
  onTestFinished(() => store.close());
  const unknown = new OldestUnknown();
  const found = (): string | undefined => unknown.in(store)?.id;
  const begun = async (runId: string) => (await store.begin({ ...opened, runId }, "test")).journal;

  const clean = await begun("clean");
  expect(found()).toBeUndefined();
  for (const runId of ["left", "later"]) {
    const left = await begun(runId);
    left.note(intended("mint"));
    await store.release(left, "unknown", undefined);
  }
  expect(found()).toBe("left");
  // Whoever read these records again, or those of a later run, would find them damaged.
  state.tamper(JOURNAL_PART, "UPDATE record SET body = '{}' WHERE run_id IN ('clean', 'later')");
  expect(found()).toBe("left");
  clean.note(completed("mint"));
  await clean.flushed();
  expect(found).toThrow("damaged");
});
