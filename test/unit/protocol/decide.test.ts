import { expect, test } from "vitest";
import { decide, type PlanStep, SENDINGS_PER_CLAIM } from "../../../src/protocol/decide.ts";
import type { Fact } from "../../../src/protocol/record.ts";
import { stateOf } from "../../../src/protocol/state.ts";
import { answered, claimed, completed, intended, opened, receipt, recordsOf, stopped } from "./facts.ts";

const mint: PlanStep = { id: "mint", foreach: false, writes: true, awaitsReceipt: true };
const read: PlanStep = { id: "read", foreach: false, writes: false, awaitsReceipt: false };

function next(plan: readonly PlanStep[], ...facts: readonly Fact[]): string {
  const action = decide(plan, stateOf(recordsOf(opened, claimed, ...facts)));
  if (action.do === "close") return `close ${action.outcome}`;
  return action.do === "stop" ? `stop ${action.place.address} ${action.outcome}` : `${action.do} ${action.place.address}`;
}

test("a run begins with its first step and passes after its last", () => {
  expect(next([mint, read])).toBe("begin mint");
  expect(next([mint, read], completed("mint"))).toBe("begin read");
  expect(next([mint, read], completed("mint"), completed("read"))).toBe("close passed");
});

test.each<[string, Fact[], string]>([
  ["no answer was recorded", [], "stop mint unknown"],
  ["the answer cannot be trusted", [answered("mint", "ambiguous")], "stop mint unknown"],
  ["it never left", [answered("mint", "not-sent")], "send-again mint"],
  ["the service was busy", [answered("mint", "refused-later")], "send-again mint"],
  ["the service refused", [answered("mint", "refused")], "judge-refusal mint"],
  ["the service took it", [answered("mint", "acknowledged")], "await-receipt mint"],
  ["the service took it and named no receipt", [answered("mint", "acknowledged", { receiptId: null })], "complete mint"],
  ["the receipt says COMMITTED", [answered("mint", "acknowledged"), receipt("mint", true)], "complete mint"],
  ["the receipt says FAILED", [answered("mint", "acknowledged"), receipt("mint", false)], "judge-refusal mint"],
])("a write was sent, and %s", (_what, facts, expected) => {
  expect(next([mint, read], intended("mint"), ...facts)).toBe(expected);
});

test("what was sent and may have taken effect is never sent again, however often the run is claimed", () => {
  for (const facts of [[], [answered("mint", "ambiguous")]]) {
    expect(next([mint], intended("mint"), ...facts, stopped("mint", "unknown"), claimed, claimed)).toBe("stop mint unknown");
  }
  expect(next([mint], intended("mint"), answered("mint", "acknowledged"), claimed)).toBe("await-receipt mint");
  expect(
    next([mint], intended("mint"), answered("mint", "acknowledged"), receipt("mint", true), stopped("mint", "failed"), claimed),
  ).toBe("complete mint");
});

test("what surely had no effect begins anew under a new claim", () => {
  expect(next([mint], intended("mint"), answered("mint", "refused"), stopped("mint", "failed"))).toBe("close failed");
  expect(next([mint], intended("mint"), answered("mint", "refused"), stopped("mint", "failed"), claimed)).toBe("begin mint");
  expect(next([mint], intended("mint"), answered("mint", "acknowledged"), receipt("mint", false), claimed)).toBe("begin mint");
});

test("a write that is never taken is given up", () => {
  const tries = Array.from({ length: SENDINGS_PER_CLAIM }, (_, attempt) => [
    intended("mint", attempt),
    answered("mint", "not-sent", { attempt }),
  ]);
  expect(next([mint], ...tries.slice(0, -1).flat())).toBe("send-again mint");
  expect(next([mint], ...tries.flat())).toBe("stop mint failed");
});

test("a foreach runs its recorded rounds in order, and is passed over when all are complete", () => {
  const each: PlanStep = { ...mint, id: "each", foreach: true };
  const expanded: Fact = {
    kind: "step.expanded",
    step: "each",
    rounds: [
      { key: "a", item: "a" },
      { key: "b", item: "b" },
    ],
  };
  expect(next([each, read])).toBe("expand each");
  expect(next([each, read], expanded)).toBe("begin each[a]");
  expect(next([each, read], expanded, completed("each[a]"))).toBe("begin each[b]");
  expect(next([each, read], expanded, completed("each[a]"), intended("each[b]"))).toBe("stop each[b] unknown");
  expect(next([each, read], expanded, completed("each[a]"), completed("each[b]"))).toBe("begin read");
  expect(next([each, read], expanded, completed("each[a]"), stopped("each[b]", "pending"))).toBe("close pending");
});

test("the walk may start at the first step that is not complete", () => {
  const state = stateOf(recordsOf(opened, claimed, completed("mint")));
  expect(decide([mint, read], state, 1)).toEqual(decide([mint, read], state));
});
