import type { KeptExchange } from "../../../src/exchanges/kept.ts";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { JsonObject } from "../../../src/base/json/json.ts";
import type {
  AttemptAnswered,
  AttemptIntended,
  Fact,
  RunOutcome,
  RunRecord,
  StepProblem,
  StoppedOutcome,
} from "../../../src/protocol/record.ts";
import type { StepHeading } from "../../../src/protocol/heading.ts";

/** 2026-11-21T09:30:00Z. */
export const START: number = Date.UTC(2026, 10, 21, 9, 30);
export const TRANSACTION: string = "3f2a9c1b".repeat(8);

/** The headings of an ordinary playbook. */
export const STEPS: readonly StepHeading[] = [
  { id: "asset", name: "Record the property", uses: "ledger.asset.create", line: 9 },
  { id: "mint", name: "Mint the shares", uses: "ledger.token.mint", line: 15 },
  { id: "approvals", name: "Approve the transfer", uses: "ledger.transfer.approve", line: 22 },
  { id: "owned", name: "See who owns it", uses: "ledger.asset.get", line: 30 },
];

/** Records of one run, made by hand. Each record comes a second after the previous one. */
export class Records {
  readonly all: RunRecord[] = [];
  #epoch = 1;
  #at = START;

  add(fact: Fact): this {
    this.all.push({ ...fact, sequence: this.all.length, epoch: this.#epoch, at: this.#at });
    this.#at += 1_000;
    return this;
  }

  /** The time of the next record. */
  get at(): number {
    return this.#at;
  }

  /** Lets time pass before the next record. */
  pass(ms: number): this {
    this.#at += ms;
    return this;
  }

  opened(
    changes: { name?: string; file?: string; runId?: string; steps?: readonly StepHeading[]; environment?: string } = {},
  ): this {
    const {
      name = "Onboard a property",
      file = "playbooks/onboarding.yaml",
      runId = "20261121T0930-k3x9q2ab",
      steps = STEPS,
      environment = "staging",
    } = changes;
    const target = { environment, ledger: "https://org.example", appId: "app1", orgId: "org1", investor: null };
    this.add({
      kind: "run.opened",
      format: 1,
      runId,
      runKey: "k3x9q2ab",
      playbook: { file, name, digest: "d".repeat(64) },
      steps,
      inputs: { shares: amount("12345678901234567890.50") },
      target,
    });
    return this.claimed();
  }

  claimed(): this {
    this.#epoch++;
    return this.add({ kind: "run.claimed", holder: { host: "here", bootId: "b", pid: 1, startedAt: "1" } });
  }

  intended(step: string, attempt = 0, changes: Partial<AttemptIntended> = {}): this {
    const operation = STEPS.find(({ id }) => step.startsWith(id))?.uses ?? "ledger.token.mint";
    return this.add({
      kind: "attempt.intended",
      step,
      attempt,
      operation,
      actor: "carol",
      input: { value: amount("100.00") },
      request: { method: "POST", path: "/token/mint", digest: "r".repeat(64) },
      ...changes,
    });
  }

  answered(step: string, changes: Partial<AttemptAnswered> = {}): this {
    const plain = {
      attempt: 0,
      meaning: "acknowledged",
      status: 200,
      payload: { transactionId: TRANSACTION, receiptId: "rc1" },
      envelope: null,
      receiptId: "rc1",
      message: null,
      condition: null,
      retryAfterMs: null,
      durationMs: 12,
    } as const;
    return this.add({ kind: "attempt.answered", step, ...plain, ...changes });
  }

  receipt(step: string, receipt: JsonObject = { status: "COMMITTED", transactionId: TRANSACTION, message: "Success" }): this {
    return this.add({ kind: "receipt.read", step, attempt: 0, committed: receipt["status"] === "COMMITTED", receipt });
  }

  /** Adds a write that succeeded, from its intent to its completion. */
  written(step: string): this {
    const startedAt = this.#at;
    this.intended(step).answered(step).receipt(step);
    const value = { response: { transactionId: TRANSACTION, receiptId: "rc1" }, outcome: "changed", transactionId: TRANSACTION };
    return this.add({ kind: "step.completed", step, outcome: "changed", value, startedAt, requests: 1 });
  }

  read(step: string, more: { readonly warning?: StepProblem } = {}): this {
    return this.add({
      kind: "step.completed",
      step,
      outcome: "ok",
      value: { response: { owners: ["bob"] }, outcome: "ok" },
      startedAt: this.#at - 400,
      requests: 2,
      ...more,
    });
  }

  skipped(step: string): this {
    return this.add({
      kind: "step.completed",
      step,
      outcome: "skipped",
      value: { outcome: "skipped" },
      startedAt: this.#at,
      requests: 0,
    });
  }

  expanded(step: string, keys: readonly string[]): this {
    return this.add({ kind: "step.expanded", step, rounds: keys.map((key) => ({ key, item: { userId: key } })) });
  }

  stopped(step: string, outcome: StoppedOutcome, problem: Partial<StepProblem> = {}): this {
    return this.add({
      kind: "step.stopped",
      step,
      outcome,
      problem: { code: "expect.failed", message: "this does not hold", ...problem },
      startedAt: this.#at - 2_000,
    });
  }

  closed(outcome: RunOutcome, outputs: JsonObject = {}, problem?: StepProblem): this {
    return this.add({ kind: "run.closed", outcome, outputs, ...(problem === undefined ? {} : { problem }) });
  }
}

function amount(text: string): Decimal {
  return Decimal.fromJsonSource(text);
}

/** One run of each kind. */
export const RUNS: Readonly<Record<string, () => Records>> = {
  passed: () =>
    new Records()
      .opened()
      .written("asset")
      .written("mint")
      .expanded("approvals", ["bob", "dora"])
      .written("approvals[bob]")
      .written("approvals[dora]")
      .read("owned")
      .closed("passed", { token: "LFT1", supply: amount("9007199254740993") }),
  failed: () =>
    new Records()
      .opened()
      .skipped("asset")
      .intended("mint")
      .answered("mint", { meaning: "refused", status: 409, payload: null, receiptId: null, message: "cap reached" })
      .stopped("mint", "failed", {
        code: "service.refused",
        message: "cap reached",
        why: "the cap is 100",
        evidence: { asked: amount("100.00") },
        next: "lower the value",
      })
      .closed("failed"),
  unknown: () =>
    new Records()
      .opened()
      .written("asset")
      .intended("mint")
      .answered("mint", { meaning: "ambiguous", status: 502, payload: null, receiptId: null, message: "Bad Gateway" })
      .stopped("mint", "unknown", { code: "write.ambiguous", message: "no answer that can be trusted" })
      .closed("unknown"),
  pending: () =>
    new Records()
      .opened()
      .written("asset")
      .written("mint")
      .expanded("approvals", ["bob", "dora"])
      .written("approvals[bob]")
      .stopped("approvals[dora]", "pending", { code: "until.timeout" })
      .closed("pending"),
  interrupted: () => new Records().opened().written("asset").intended("mint").answered("mint").closed("interrupted"),
  killed: () => new Records().opened().written("asset").intended("mint"),
  resumed: () =>
    new Records()
      .opened()
      .written("asset")
      .intended("mint")
      .answered("mint", { meaning: "not-sent", status: null, payload: null, receiptId: null })
      .stopped("mint", "failed", { code: "service.unreachable" })
      .closed("failed")
      .claimed()
      .intended("mint", 1)
      .answered("mint", { attempt: 1 })
      .add({ kind: "attempt.settled", step: "mint", attempt: 1, verdict: "applied", evidence: { seen: amount("1") } })
      .add({
        kind: "step.completed",
        step: "mint",
        outcome: "changed",
        value: { response: null, transactionId: TRANSACTION },
        startedAt: START + 20_000,
        requests: 1,
      })
      .expanded("approvals", [])
      .add({ kind: "step.completed", step: "approvals", outcome: "ok", value: {}, startedAt: START + 22_000, requests: 0 })
      .read("owned")
      .closed("passed"),
  refusal: () =>
    new Records()
      .opened({ steps: STEPS.slice(1, 2) })
      .intended("mint")
      .answered("mint", { meaning: "refused", status: 409, payload: null, receiptId: null, message: "cap reached" })
      .add({
        kind: "step.completed",
        step: "mint",
        outcome: "ok",
        value: { outcome: "ok", refusal: "cap reached" },
        startedAt: START,
        requests: 1,
      })
      .closed("passed"),
  held: () =>
    new Records()
      .opened({ steps: STEPS.slice(2) })
      .expanded("approvals", ["bob"])
      .add({
        kind: "step.completed",
        step: "approvals[bob]",
        outcome: "unchanged",
        value: { outcome: "unchanged" },
        startedAt: START + 2_000,
        requests: 1,
        held: {
          total: 1,
          shown: [{ keyword: "ensure", expression: "response == []", values: [{ expression: "response", value: [] }] }],
        },
      })
      .add({
        kind: "step.completed",
        step: "owned",
        outcome: "ok",
        value: { response: { owners: ["bob"] } },
        startedAt: START + 3_000,
        requests: 3,
        waitedMs: 700,
        held: {
          total: 6,
          shown: [
            { keyword: "until", expression: "has(response.owners)", values: [] },
            {
              keyword: "expect",
              expression: "response.value == inputs.shares",
              values: [
                { expression: "response.value", value: amount("12345678901234567890.5") },
                { expression: "inputs.shares", value: amount("12345678901234567890.50") },
              ],
            },
            {
              keyword: "expect",
              expression: 'response.status != "SOLD"',
              values: [{ expression: "response.status", value: "OPEN" }],
            },
            {
              keyword: "expect",
              expression: "response.history.size() > 1",
              values: [{ expression: "response.history", summary: "a list of 40 items" }],
            },
            {
              keyword: "expect",
              expression: "response.names.all(name, name.startsWith(inputs.prefixOfAllTheNamesThatThereAre))",
              values: [{ expression: "response.names", value: ["ann", "bob"] }],
            },
          ],
        },
      })
      .closed("passed"),
  outputless: () =>
    new Records()
      .opened({ steps: STEPS.slice(3) })
      .read("owned")
      .closed("failed", {}, { code: "output.no-value", message: "an output has no value: steps.token.id" }),
};

/** Returns a run with a write that the ledger accepted but did not commit, and that a later process sent again. */
export function uncommitted(): Records {
  return new Records()
    .opened({ steps: STEPS.slice(1, 2) })
    .intended("mint")
    .answered("mint")
    .receipt("mint", { status: "FAILED", transactionId: TRANSACTION, message: "endorsement failure" })
    .stopped("mint", "failed", { code: "receipt.failed" })
    .closed("failed")
    .claimed()
    .intended("mint", 1)
    .answered("mint", { attempt: 1, meaning: "ambiguous", status: 502, payload: null, receiptId: null, message: "Bad Gateway" })
    .stopped("mint", "unknown", { code: "write.ambiguous" })
    .closed("unknown");
}

/** Returns an exchange that has the text in every field that can hold one. */
export function exchangeOf(text: string): KeptExchange {
  return {
    run: "run",
    step: text,
    startedAt: START,
    durationMs: 5,
    method: "GET",
    url: `http://127.0.0.1/tokenize/app1/token?id=${text}`,
    headers: { [text]: text },
    body: text,
    answer: { status: 200, headers: { "content-type": "application/json", location: text }, text },
    why: text,
  };
}

/** Returns one exchange for each run. It has the name of the run's playbook in every field that can hold a text. */
export function exchangesOf(records: readonly RunRecord[]): readonly KeptExchange[] {
  return records.flatMap((record) => (record.kind === "run.opened" ? [exchangeOf(record.playbook.name)] : []));
}
