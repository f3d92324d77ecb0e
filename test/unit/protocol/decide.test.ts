import { expect, test } from "vitest";
import { ATTEMPTS_PER_CLAIM } from "../../../src/protocol/attempts.ts";
import { Walk } from "../../../src/protocol/decide.ts";
import type { PlanBlock, PlanCall, PlanInclude, PlanNode } from "../../../src/protocol/plan.ts";
import type { Fact } from "../../../src/protocol/record.ts";
import { stateOf } from "../../../src/protocol/state.ts";
import { answered, begun, claimed, completed, expanded, intended, opened, receipt, recordsOf, stopped, turned } from "./facts.ts";

type Node = PlanNode<string>;

const call = (id: string, more: Partial<PlanCall<string>> = {}): PlanCall<string> => ({
  kind: "call",
  step: id,
  id,
  parallel: undefined,
  writes: false,
  awaitsReceipt: false,
  conserves: false,
  ...more,
});
const block = (id: string, more: Partial<PlanBlock<string>> = {}): PlanBlock<string> => ({
  kind: "block",
  step: id,
  id,
  parallel: undefined,
  steps: [],
  rescue: [],
  always: [],
  attempts: 1,
  ...more,
});
const include = (id: string, more: Partial<PlanInclude<string>> = {}): PlanInclude<string> => ({
  kind: "include",
  step: id,
  id,
  parallel: undefined,
  compares: false,
  steps: [],
  checks: [],
  ...more,
});
const mint = call("mint", { writes: true, awaitsReceipt: true });
const read = call("read");

function next(steps: readonly Node[], ...facts: readonly Fact[]): string {
  return nextOf({ steps, checks: [] }, ...facts);
}

function nextOf(plan: { steps: readonly Node[]; checks: readonly Node[] }, ...facts: readonly Fact[]): string {
  const decided = new Walk(plan).next(stateOf(recordsOf(opened, claimed, ...facts)));
  if (decided.kind === "close") return `close ${decided.outcome}`;
  const actions = decided.actions.map((action) => {
    const what = `${action.do} ${action.place.address}`;
    if (action.do === "stop") return `${what} ${action.outcome}`;
    if (action.do === "turn") return `${what} ${action.turn.to}`;
    return action.do === "end" ? `${what} ${action.ending.outcome}` : what;
  });
  return actions.join(", ");
}

test("a run begins with its first step and passes after its last", () => {
  expect(next([mint, read])).toBe("begin mint");
  expect(next([mint, read], completed("mint"))).toBe("begin read");
  expect(next([mint, read], completed("mint"), completed("read"))).toBe("close passed");
});

test.each<[string, Fact[], string]>([
  ["no answer was recorded", [], "probe mint"],
  ["the answer cannot be trusted", [answered("mint", "ambiguous")], "probe mint"],
  ["it never left", [answered("mint", "not-sent")], "send-again mint"],
  ["the service was busy", [answered("mint", "refused-later")], "send-again mint"],
  ["the service refused", [answered("mint", "refused")], "judge-refusal mint"],
  ["the service took it", [answered("mint", "acknowledged")], "await-receipt mint"],
  ["the service took it and named no receipt", [answered("mint", "acknowledged", { receiptId: null })], "probe mint"],
  ["the receipt says COMMITTED", [answered("mint", "acknowledged"), receipt("mint", true)], "complete mint"],
  ["the receipt says FAILED", [answered("mint", "acknowledged"), receipt("mint", false)], "judge-refusal mint"],
])("the next action after a write was sent, and %s", (_what, facts, expected) => {
  expect(next([mint, read], intended("mint"), ...facts)).toBe(expected);
});

test("a write that may have taken effect is never sent again, however often the run is claimed", () => {
  for (const facts of [[], [answered("mint", "ambiguous")]]) {
    expect(next([mint], intended("mint"), ...facts, stopped("mint", "unknown"), claimed, claimed)).toBe("probe mint");
  }
  expect(next([mint], intended("mint"), answered("mint", "acknowledged"), claimed)).toBe("await-receipt mint");
  expect(
    next([mint], intended("mint"), answered("mint", "acknowledged"), receipt("mint", true), stopped("mint", "failed"), claimed),
  ).toBe("complete mint");
});

test("a write that surely had no effect begins again under a new claim", () => {
  expect(next([mint], intended("mint"), answered("mint", "refused"), stopped("mint", "failed"))).toBe("close failed");
  expect(next([mint], intended("mint"), answered("mint", "refused"), stopped("mint", "failed"), claimed)).toBe("begin mint");
  expect(next([mint], intended("mint"), answered("mint", "acknowledged"), receipt("mint", false), claimed)).toBe("begin mint");
});

test("a write that the service never accepts ends after the limit of attempts", () => {
  const tries = Array.from({ length: ATTEMPTS_PER_CLAIM }, (_, attempt) => [
    intended("mint", attempt),
    answered("mint", "not-sent", { attempt }),
  ]);
  expect(next([mint], ...tries.slice(0, -1).flat())).toBe("send-again mint");
  expect(next([mint], ...tries.flat())).toBe("stop mint failed");
});

test("a foreach runs its recorded rounds in order, and ends when all are complete", () => {
  const each: Node = { ...mint, id: "each", parallel: 1 };
  const rounds = expanded("each", "a", "b");
  expect(next([each, read])).toBe("expand each");
  expect(next([each, read], rounds)).toBe("begin each[a]");
  expect(next([each, read], rounds, completed("each[a]"))).toBe("begin each[b]");
  expect(next([each, read], rounds, completed("each[a]"), intended("each[b]"))).toBe("probe each[b]");
  expect(next([each, read], rounds, completed("each[a]"), completed("each[b]"))).toBe("begin read");
  expect(next([each, read], rounds, completed("each[a]"), stopped("each[b]", "pending"))).toBe("close pending");
});

test("after a failure in parallel rounds, those that have begun continue and no other begins", () => {
  const each: Node = { ...mint, id: "each", parallel: 2 };
  const rounds = expanded("each", "a", "b", "c");
  expect(next([each], rounds)).toBe("begin each[a], begin each[b]");
  expect(next([each], rounds, completed("each[a]"))).toBe("begin each[b], begin each[c]");
  const sent = [intended("each[b]"), answered("each[b]", "acknowledged")];
  expect(next([each], rounds, stopped("each[a]", "failed"), ...sent)).toBe("await-receipt each[b]");
  expect(next([each], rounds, stopped("each[a]", "failed"), completed("each[b]"))).toBe("close failed");
  expect(next([each], rounds, stopped("each[a]", "failed"), stopped("each[b]", "unknown"))).toBe("close unknown");
});

test("a busy round continues after another round failed", () => {
  const each: Node = { ...read, id: "each", parallel: 2 };
  const walk = new Walk({ steps: [block("b", { steps: [each], rescue: [read] })], checks: [] });
  const state = stateOf(recordsOf(opened, claimed, begun("b"), expanded("each", "a", "b"), stopped("each[a]", "failed")));
  const busy = walk.next(state, { isBusy: (round) => round === "each[b]" });
  expect(busy.kind === "act" ? busy.actions.map((action) => action.do) : []).toEqual(["begin"]);
  const idle = walk.next(state);
  expect(idle.kind === "act" ? idle.actions.map((action) => action.do) : []).toEqual(["turn"]);
});

test("a block runs its steps, and has their outcome", () => {
  const plan = [block("b", { steps: [mint, read] })];
  expect(next(plan)).toBe("begin b");
  expect(next(plan, begun("b"))).toBe("begin mint");
  expect(next(plan, begun("b"), completed("mint"), completed("read"))).toBe("end b ok");
  expect(next(plan, begun("b"), stopped("mint", "failed"))).toBe("close failed");
  expect(next(plan, begun("b"), completed("mint"), completed("read"), completed("b"))).toBe("close passed");
});

test("a failure is rescued, but not an unknown outcome or a wait for approval", () => {
  const plan = [block("b", { steps: [mint], rescue: [read] })];
  expect(next(plan, begun("b"), stopped("mint", "failed"))).toBe("turn b rescue");
  expect(next(plan, begun("b"), stopped("mint", "failed"), turned("b", "rescue"))).toBe("begin read");
  expect(next(plan, begun("b"), stopped("mint", "failed"), turned("b", "rescue"), completed("read"))).toBe("end b rescued");
  expect(next(plan, begun("b"), stopped("mint", "failed"), turned("b", "rescue"), stopped("read", "failed"))).toBe(
    "close failed",
  );
  expect(next(plan, begun("b"), stopped("mint", "unknown"))).toBe("close unknown");
  expect(next(plan, begun("b"), stopped("mint", "pending"))).toBe("close pending");
});

test("a failed block is rescued only after its comparison is complete", () => {
  const compared = include("each", { compares: true, parallel: 2, steps: [read], checks: [call("reconcile.h")] });
  const inner = block("inner", { steps: [mint, compared], always: [call("last")] });
  const plan = [block("b", { steps: [inner], rescue: [read] })];
  const facts = [begun("b"), begun("inner")];
  const ended = [turned("inner", "always", "failed"), completed("last")];
  expect(next(plan, ...facts, stopped("mint", "failed"), ...ended)).toBe("end inner failed");
  expect(next(plan, ...facts, stopped("mint", "failed"), ...ended, stopped("inner", "failed"))).toBe("close failed");
  const [first, later] = [block("b", { steps: [mint, compared], rescue: [read] }), stopped("mint", "failed")];
  expect(next([first], begun("b"), later)).toBe("close failed");
  expect(next([{ ...first, steps: [compared, mint] }], begun("b"), expanded("each"), later)).toBe("turn b rescue");
  const minted = [...facts, completed("mint")];
  const begunRounds = [...minted, expanded("each", "x", "y"), begun("each[x]"), begun("each[y]")];
  for (const failed of [
    [...minted, stopped("each", "failed")],
    [...begunRounds, stopped("each[x]/read", "failed"), stopped("each[y]/read", "failed")],
    [
      ...begunRounds,
      ...["x", "y"].flatMap((key) => [completed(`each[${key}]/read`), stopped(`each[${key}]/reconcile.h`, "failed")]),
    ],
  ]) {
    expect(next([block("b", { steps: [compared], rescue: [read] })], ...failed)).toBe("close failed");
    expect(next(plan, ...failed)).toBe("turn inner always");
    expect(next(plan, ...failed, ...ended, stopped("inner", "failed"))).toBe("close failed");
  }
});

test("a block is not rescued if a comparison of an inner block is missing, also in a round, rescue or always", () => {
  const compared = include("c", { compares: true, checks: [call("reconcile.h")] });
  const inner = block("inner", { parallel: 1, steps: [compared, mint] });
  const around = (node: Node): readonly Node[] => [block("b", { steps: [node], rescue: [read] })];
  const rounds = [begun("b"), expanded("inner", "x", "y"), begun("inner[x]"), completed("c[x]"), stopped("mint[x]", "failed")];
  expect(next(around(inner), ...rounds)).toBe("close failed");
  expect(next(around(inner), begun("b"), expanded("inner", "x"), ...rounds.slice(2))).toBe("turn b rescue");
  expect(next(around(inner), begun("b"), stopped("inner", "failed"))).toBe("close failed");
  const [failed, last] = [stopped("mint", "failed"), call("last")];
  const rescuing = block("inner", { steps: [mint], rescue: [last, compared] });
  expect(next(around(rescuing), begun("b"), begun("inner"), failed)).toBe("turn inner rescue");
  const again = [begun("b"), begun("inner"), failed, turned("inner", "rescue"), stopped("last", "failed")];
  expect(next(around(rescuing), ...again)).toBe("close failed");
  const ending = block("inner", { steps: [read], always: [last, compared] });
  const ended = [begun("b"), begun("inner"), completed("read"), turned("inner", "always", "ok"), stopped("last", "failed")];
  expect(next(around(ending), ...ended)).toBe("close failed");
});

test("a block is not rescued after a failed `conserve` in it, at any depth, and other failures are rescued", () => {
  const conserved = call("checks.1", { conserves: true });
  const inner = include("i", { steps: [mint], checks: [conserved, call("checks.2")] });
  const plan = [block("b", { steps: [block("each", { parallel: 1, steps: [inner] })], rescue: [read] })];
  const facts = [begun("b"), expanded("each", "x"), begun("each[x]"), begun("i[x]")];
  expect(next(plan, ...facts, stopped("i[x]/mint", "failed"))).toBe("turn b rescue");
  const looked = [...facts, completed("i[x]/mint")];
  expect(next(plan, ...looked, completed("i[x]/checks.1"), stopped("i[x]/checks.2", "failed"))).toBe("turn b rescue");
  expect(next(plan, ...looked, stopped("i[x]/checks.1", "failed"), completed("i[x]/checks.2"))).toBe("close failed");
  const rounds = include("i", { checks: [call("checks.1", { conserves: true, parallel: 1 })] });
  const failed = [begun("b"), begun("i"), expanded("i/checks.1", "t"), stopped("i/checks.1[t]", "failed")];
  expect(next([block("b", { steps: [rounds], rescue: [read] })], ...failed)).toBe("close failed");
});

test("a rescue that has begun continues under a new claim, and the failed step is not retried", () => {
  const plan = [block("b", { steps: [mint], rescue: [read] })];
  expect(next(plan, begun("b"), stopped("mint", "failed"), turned("b", "rescue"), claimed)).toBe("begin read");
  expect(next(plan, begun("b"), stopped("mint", "failed"), claimed)).toBe("begin mint");
});

test("a block retries the failed step if its `rescue` was removed from the playbook", () => {
  const plan = [block("b", { steps: [mint] })];
  const before = [begun("b"), stopped("mint", "failed"), turned("b", "rescue"), claimed];
  expect(next(plan, ...before)).toBe("begin mint");
  expect(next(plan, ...before, stopped("mint", "failed"))).toBe("close failed");
  expect(next(plan, ...before, completed("mint"))).toBe("end b ok");
});

test("`always` runs after a success and after a failure, and does not change the outcome of the block", () => {
  const plan = [block("b", { steps: [mint], always: [read] })];
  expect(next(plan, begun("b"), completed("mint"))).toBe("turn b always");
  expect(next(plan, begun("b"), completed("mint"), turned("b", "always", "ok"))).toBe("begin read");
  expect(next(plan, begun("b"), completed("mint"), turned("b", "always", "ok"), completed("read"))).toBe("end b ok");
  const failed = [begun("b"), stopped("mint", "failed"), turned("b", "always", "failed")];
  expect(next(plan, ...failed)).toBe("begin read");
  expect(next(plan, ...failed, completed("read"))).toBe("end b failed");
  expect(next(plan, ...failed, claimed, completed("read"))).toBe("end b failed");
});

test("a failed block is retried under a new claim, and its completed `always` is not repeated", () => {
  const plan = [block("b", { steps: [mint], always: [read] })];
  const failed = [
    begun("b"),
    stopped("mint", "failed"),
    turned("b", "always", "failed"),
    completed("read"),
    stopped("b", "failed"),
  ];
  expect(next(plan, ...failed)).toBe("close failed");
  expect(next(plan, ...failed, claimed)).toBe("begin mint");
  expect(next(plan, ...failed, claimed, completed("mint"))).toBe("turn b always");
  expect(next(plan, ...failed, claimed, completed("mint"), turned("b", "always", "ok"))).toBe("end b ok");
  expect(next(plan, ...failed, claimed, stopped("mint", "failed"), turned("b", "always", "failed"))).toBe("end b failed");

  const last = call("last");
  const rescued = [block("b", { steps: [mint], rescue: [last], always: [read] })];
  const twice = [begun("b"), stopped("mint", "failed"), turned("b", "rescue"), stopped("last", "failed")];
  const ended = [turned("b", "always", "failed"), completed("read"), stopped("b", "failed")];
  expect(next(rescued, ...twice, ...ended, claimed)).toBe("begin last");
});

test("a retry of a block that only reads begins with its first step", () => {
  const inner = block("inner", { steps: [read, call("last")] });
  const plan = [block("b", { steps: [inner], attempts: 2 })];
  const first = [begun("b"), begun("inner"), completed("read"), stopped("last", "failed")];
  expect(next(plan, ...first)).toBe("turn b again");
  const again = turned("b", "again", undefined, ["inner", "read", "last"]);
  expect(next(plan, ...first, again)).toBe("begin inner");
  expect(next(plan, ...first, again, begun("inner"))).toBe("begin read");
  const second = [begun("inner"), completed("read"), stopped("last", "failed")];
  expect(next(plan, ...first, again, ...second)).toBe("close failed");
});

test("the walk forgets completed steps when a block is retried", () => {
  const walk = new Walk({ steps: [block("b", { steps: [read, call("last")], attempts: 2 })], checks: [] });
  const facts: Fact[] = [begun("b"), completed("read"), stopped("last", "failed")];
  walk.next(stateOf(recordsOf(opened, claimed, ...facts)));
  const again = walk.next(stateOf(recordsOf(opened, claimed, ...facts, turned("b", "again", undefined, ["read", "last"]))));
  expect(again.kind === "act" ? again.actions.map(({ place }) => place.address) : []).toEqual(["read"]);
});

test("steps of a block in a foreach belong to its rounds, at any depth", () => {
  const inner = block("inner", { steps: [mint], parallel: 1 });
  const plan = [block("pay", { steps: [read, inner], parallel: 1 })];
  const facts = [expanded("pay", "alice"), begun("pay[alice]"), completed("read[alice]"), expanded("inner[alice]", "eur", "usd")];
  expect(next(plan, ...facts.slice(0, 2))).toBe("begin read[alice]");
  expect(next(plan, ...facts)).toBe("begin inner[alice][eur]");
  expect(next(plan, ...facts, begun("inner[alice][eur]"))).toBe("begin mint[alice][eur]");
  expect(next(plan, ...facts, begun("inner[alice][eur]"), completed("mint[alice][eur]"))).toBe("end inner[alice][eur] ok");
  expect(next(plan, ...facts, completed("inner[alice][eur]"))).toBe("begin inner[alice][usd]");
  expect(next(plan, ...facts, completed("inner[alice][eur]"), completed("inner[alice][usd]"))).toBe("end pay[alice] ok");
});

test("an included playbook has its own frame, and its own checks", () => {
  const plan = [include("deposit", { steps: [mint], checks: [call("checks.sum")], parallel: 1 })];
  const facts = [expanded("deposit", "a/b"), begun("deposit[a/b]")];
  expect(next(plan, ...facts)).toBe("begin deposit[a/b]/mint");
  expect(next(plan, ...facts, completed("deposit[a/b]/mint"))).toBe("begin deposit[a/b]/checks.sum");
  expect(next(plan, ...facts, completed("deposit[a/b]/mint"), completed("deposit[a/b]/checks.sum"))).toBe("end deposit[a/b] ok");
});

test("every check is made, whatever the outcome of the others", () => {
  const plan = { steps: [read], checks: [call("checks.1"), call("checks.2")] };
  expect(nextOf(plan, completed("read"))).toBe("begin checks.1");
  expect(nextOf(plan, completed("read"), stopped("checks.1", "failed"))).toBe("begin checks.2");
  expect(nextOf(plan, completed("read"), stopped("checks.1", "failed"), completed("checks.2"))).toBe("close failed");
});

test("a new walk decides the same as one that has followed the run", () => {
  const plan = { steps: [mint, read], checks: [] };
  const walk = new Walk(plan);
  for (const facts of [[], [completed("mint")], [completed("mint"), completed("read")]]) {
    const state = stateOf(recordsOf(opened, claimed, ...facts));
    expect(walk.next(state)).toEqual(new Walk(plan).next(state));
  }
});

test("after an interrupt, only the steps of `always` begin", () => {
  const inner = block("inner", { steps: [mint], always: [read] });
  const walk = new Walk({ steps: [block("b", { steps: [inner, call("later")], always: [call("clean")] })], checks: [] });
  const after = (...facts: readonly Fact[]): string => {
    const decided = walk.next(stateOf(recordsOf(opened, claimed, ...facts)), { interrupted: true });
    if (decided.kind === "close") return `close ${decided.outcome}`;
    return decided.actions.map((action) => `${action.do} ${action.place.address}`).join(", ");
  };
  expect(after()).toBe("close interrupted");
  const facts: Fact[] = [begun("b"), begun("inner")];
  expect(after(...facts)).toBe("turn inner");
  facts.push(turned("inner", "always", "failed"));
  expect(after(...facts)).toBe("begin read");
  facts.push(completed("read"));
  expect(after(...facts)).toBe("end inner");
  facts.push(stopped("inner", "failed"));
  expect(after(...facts)).toBe("turn b");
});

test("after an interrupt, the `always` of a block does not begin while one of its writes is open", () => {
  const plan = { steps: [block("b", { steps: [mint], always: [read] })], checks: [] };
  const state = stateOf(recordsOf(opened, claimed, begun("b"), intended("mint"), answered("mint", "acknowledged")));
  expect(new Walk(plan).next(state, { interrupted: true })).toEqual({ kind: "close", outcome: "interrupted" });
});
