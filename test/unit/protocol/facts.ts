import type { AttemptAnswered, AttemptSettled, Fact, RunOpened, RunRecord } from "../../../src/protocol/record.ts";

/** Returns facts as records of a run, numbered in order. */
export function recordsOf(...facts: readonly Fact[]): readonly RunRecord[] {
  return facts.map((fact, sequence) => ({ ...fact, sequence, epoch: 1, at: 1_000 + sequence }));
}

export const opened: RunOpened = {
  kind: "run.opened",
  format: 1,
  runId: "run1",
  runKey: "key1",
  playbook: { file: "a.yaml", name: "A", digest: "d" },
  steps: [],
  inputs: {},
  target: { environment: "test", ledger: null, appId: null, orgId: null, investor: null },
};

export const claimed: Fact = { kind: "run.claimed", holder: { host: "h", bootId: "b", pid: 1, startedAt: "1" } };

export function intended(step: string, attempt = 0): Fact {
  const request = { method: "POST", path: "/token/mint", digest: "d" };
  return {
    kind: "attempt.intended",
    step,
    attempt,
    operation: "ledger.token.mint",
    actor: "issuer",
    input: { id: "t1" },
    request,
  };
}

export function answered(step: string, meaning: AttemptAnswered["meaning"], more: Partial<AttemptAnswered> = {}): Fact {
  return {
    kind: "attempt.answered",
    step,
    attempt: 0,
    meaning,
    status: meaning === "acknowledged" ? 200 : null,
    payload: null,
    envelope: null,
    receiptId: meaning === "acknowledged" ? "r1" : null,
    message: meaning,
    condition: null,
    retryAfterMs: null,
    durationMs: 1,
    ...more,
  };
}

export function receipt(step: string, committed: boolean, attempt = 0): Fact {
  return { kind: "receipt.read", step, attempt, committed, receipt: { status: committed ? "COMMITTED" : "FAILED" } };
}

export function settled(step: string, verdict: AttemptSettled["verdict"], attempt = 0): Fact {
  return { kind: "attempt.settled", step, attempt, verdict, evidence: {} };
}

export function completed(step: string): Fact {
  return { kind: "step.completed", step, outcome: "changed", value: { outcome: "changed" }, startedAt: 1, requests: 1 };
}

export function stopped(step: string, outcome: "failed" | "unknown" | "pending"): Fact {
  return { kind: "step.stopped", step, outcome, problem: { code: "c", message: "m" }, startedAt: 1 };
}

export function expanded(step: string, ...keys: readonly string[]): Fact {
  return { kind: "step.expanded", step, rounds: keys.map((key) => ({ key, item: key })) };
}

export function begun(step: string): Fact {
  return { kind: "step.begun", step };
}

export function turned(
  step: string,
  to: "rescue" | "always" | "again",
  outcome?: "ok" | "rescued" | "failed",
  forget?: readonly string[],
): Fact {
  return {
    kind: "block.turned",
    step,
    to,
    ...(outcome === undefined ? {} : { outcome }),
    ...(forget === undefined ? {} : { forget }),
  };
}
