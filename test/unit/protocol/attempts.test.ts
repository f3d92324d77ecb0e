import { expect, test } from "vitest";
import { decideAttempts, ATTEMPTS_PER_CLAIM } from "../../../src/protocol/attempts.ts";
import { openWrites } from "../../../src/protocol/open-writes.ts";
import type { Fact } from "../../../src/protocol/record.ts";
import type { AttemptState } from "../../../src/protocol/attempt-state.ts";
import { type RunState, stateOf, stepIn } from "../../../src/protocol/state.ts";
import { answered, claimed, intended, opened, receipt, recordsOf, settled } from "./facts.ts";

// Everything that can happen to one attempt. HARMLESS lists the fates after which it cannot take effect beside another attempt.
const FATES: Readonly<Record<string, (attempt: number) => readonly Fact[]>> = {
  unanswered: () => [],
  ambiguous: (attempt) => [answered("mint", "ambiguous", { attempt })],
  "not-sent": (attempt) => [answered("mint", "not-sent", { attempt })],
  "refused-later": (attempt) => [answered("mint", "refused-later", { attempt })],
  refused: (attempt) => [answered("mint", "refused", { attempt })],
  acknowledged: (attempt) => [answered("mint", "acknowledged", { attempt })],
  "without a receipt": (attempt) => [answered("mint", "acknowledged", { attempt, receiptId: null })],
  committed: (attempt) => [answered("mint", "acknowledged", { attempt }), receipt("mint", true, attempt)],
  "receipt failed": (attempt) => [answered("mint", "acknowledged", { attempt }), receipt("mint", false, attempt)],
  "ambiguous, applied": (attempt) => [answered("mint", "ambiguous", { attempt }), settled("mint", "applied", attempt)],
  "ambiguous, absent": (attempt) => [answered("mint", "ambiguous", { attempt }), settled("mint", "absent", attempt)],
  "unanswered, superseded": (attempt) => [settled("mint", "superseded", attempt)],
  "refused, superseded": (attempt) => [answered("mint", "refused", { attempt }), settled("mint", "superseded", attempt)],
  "refused, absent": (attempt) => [answered("mint", "refused", { attempt }), settled("mint", "absent", attempt)],
  "batch refused-later": (attempt) => [answered("mint", "refused-later", { attempt })],
  "batch refused": (attempt) => [answered("mint", "refused", { attempt })],
  "batch receipt failed": (attempt) => [answered("mint", "acknowledged", { attempt }), receipt("mint", false, attempt)],
  "batch refused, absent": (attempt) => [answered("mint", "refused", { attempt }), settled("mint", "absent", attempt)],
};
const HARMLESS = new Set([
  "not-sent",
  "refused-later",
  "refused",
  "receipt failed",
  "ambiguous, absent",
  "refused, absent",
  "batch refused, absent",
]);
const names = Object.keys(FATES);

function stateAfter(fates: readonly string[], ...after: readonly Fact[]): RunState {
  const intent = (fate: string, attempt: number): Fact => ({
    ...(intended("mint", attempt) as Extract<Fact, { kind: "attempt.intended" }>),
    ...(fate.startsWith("batch ") ? { separable: true } : {}),
  });
  const facts = fates.flatMap((fate, attempt) => [intent(fate, attempt), ...(FATES[fate]?.(attempt) ?? [])]);
  return stateOf(recordsOf(opened, claimed, ...facts, ...after));
}

function attemptsOf(fates: readonly string[], ...after: readonly Fact[]): readonly AttemptState[] {
  return stepIn(stateAfter(fates, ...after), "mint").attempts;
}

function decided(fates: readonly string[], ...after: readonly Fact[]): string {
  const { do: what, ...rest } = decideAttempts(attemptsOf(fates, ...after), { awaitsReceipt: true, epoch: 1 });
  return "outcome" in rest ? `${what} ${rest.outcome}` : what;
}

// Returns the attempts after the last absent one: if that one never takes effect, no earlier one does.
function undecided(fates: readonly string[]): readonly string[] {
  return fates.slice(fates.findLastIndex((fate) => fate.endsWith(", absent")) + 1);
}

function maySend(fates: readonly string[]): boolean {
  return undecided(fates).every((fate) => HARMLESS.has(fate) || fate.endsWith("superseded"));
}

// Adds one more attempt, but only if it may be sent. By induction, the first test proves that no other history can occur.
function longer(fates: readonly string[]): readonly (readonly string[])[] {
  return maySend(fates) ? names.map((name) => [...fates, name]) : [];
}

const ones = longer([]);
const twos = ones.flatMap(longer);
const histories = [...ones, ...twos, ...twos.flatMap(longer)];

test("after up to three attempts, nothing is sent while one of them could still do harm", () => {
  for (const fates of histories) {
    for (const claims of [[], [claimed], [claimed, claimed]]) {
      const history = `${fates.join("; ")}, claimed ${claims.length} times more`;
      const what = decided(fates, ...claims);
      if (what === "send-again" || what === "begin") expect(maySend(fates), history).toBe(true);
      // The engine may bind a new input only when no attempt with the old input can still arrive.
      if (what === "begin")
        expect(
          undecided(fates).every((fate) => HARMLESS.has(fate)),
          history,
        ).toBe(true);
      if (what === "complete") expect(fates.at(-1), history).toMatch(/^(?:committed|ambiguous, applied)$/);
    }
  }
});

test("the last attempt decides, and a refusal after a superseded attempt needs a probe", () => {
  const after = (...fates: readonly string[]): string => decided(fates);
  expect(names.map((name) => [name, after(name), after("unanswered, superseded", name)])).toEqual([
    ["unanswered", "probe", "probe"],
    ["ambiguous", "probe", "probe"],
    ["not-sent", "send-again", "send-again"],
    ["refused-later", "send-again", "send-again"],
    ["refused", "judge-refusal", "probe"],
    ["acknowledged", "await-receipt", "await-receipt"],
    ["without a receipt", "probe", "probe"],
    ["committed", "complete", "complete"],
    ["receipt failed", "judge-refusal", "probe"],
    ["ambiguous, applied", "complete", "complete"],
    ["ambiguous, absent", "send-again", "send-again"],
    ["unanswered, superseded", "send-again", "send-again"],
    ["refused, superseded", "send-again", "send-again"],
    ["refused, absent", "judge-refusal", "judge-refusal"],
    ["batch refused-later", "probe", "probe"],
    ["batch refused", "probe", "probe"],
    ["batch receipt failed", "probe", "probe"],
    ["batch refused, absent", "judge-refusal", "judge-refusal"],
  ]);
});

test("a person's verdict that a write is absent covers all its attempts so far", () => {
  expect(decided(["unanswered, superseded", "refused"])).toBe("probe");
  expect(decided(["unanswered, superseded", "ambiguous, absent", "refused"])).toBe("judge-refusal");
  expect(decided(["unanswered, superseded", "ambiguous, absent"], claimed)).toBe("begin");
});

test("attempts have a limit, and the step ends as unknown if one of them can still arrive", () => {
  const times = (fate: string): string[] => Array.from({ length: ATTEMPTS_PER_CLAIM }, () => fate);
  expect(decided(times("not-sent"))).toBe("stop failed");
  expect(decided(times("unanswered, superseded"))).toBe("stop unknown");
  expect(decided(["unanswered, superseded", ...times("not-sent")])).toBe("stop unknown");
});

test("a write is open exactly while one of its attempts can still take effect, whenever its run ends", () => {
  const surely = new Set(["committed", "ambiguous, applied"]);
  for (const fates of histories) {
    for (const claims of [[], [claimed]]) {
      const history = `${fates.join("; ")}, claimed ${claims.length} times more`;
      const isKnown = surely.has(fates.at(-1) ?? "") || undecided(fates).every((fate) => HARMLESS.has(fate));
      expect(openWrites(stateAfter(fates, ...claims)).length, history).toBe(isKnown ? 0 : 1);
    }
  }
});

test("an acknowledged purchase is not open, because the investor interface has no receipts", () => {
  const bought = { ...intended("buy"), operation: "investor.sales.buy" } as Fact;
  const facts = [bought, answered("buy", "acknowledged", { receiptId: null })];
  expect(openWrites(stateOf(recordsOf(opened, claimed, ...facts)))).toEqual([]);
});

test.for([
  ["not-sent", "service.unreachable", "could not be delivered in 5 attempts"],
  ["refused-later", "service.busy", "could not be delivered in 5 attempts"],
  ["ambiguous, absent", "service.no-answer", "was sent 5 times, and no answer can be trusted"],
] as const)("a write that stops after only %s attempts gives that as the reason", ([fate, code, words]) => {
  const fates = Array.from({ length: ATTEMPTS_PER_CLAIM }, () => fate);
  const given = decideAttempts(attemptsOf(fates), { awaitsReceipt: true, epoch: 1 });
  expect(given).toMatchObject({ do: "stop", outcome: "failed", problem: { code } });
  expect("problem" in given ? given.problem.message : undefined).toContain(words);
});
