import type { Json } from "../../base/json/json.ts";
import type { InterfaceName } from "../../contract/contract.ts";
import type { TargetHeading } from "../../protocol/record.ts";

/** What runs of some playbooks would do; `schemas/plan.schema.json` describes it. Fields are added, never renamed. */
export interface PlanDocument {
  readonly format: 1;
  readonly madeAt: string;
  /** Nothing of it would surely fail, or be refused. */
  readonly ok: boolean;
  readonly target: TargetHeading;
  readonly plans: readonly PlannedRun[];
}

/** What a run of one playbook would do. */
export interface PlannedRun {
  readonly playbook: { readonly file: string; readonly name: string; readonly digest: string };
  /** A digest of each value that it is given from outside: inputs, variables (`env.NAME`), and data that an included playbook has from a file (`FILE: NAME`). */
  readonly inputs: Readonly<Record<string, string>>;
  readonly outcome: "would-pass" | "would-fail";
  /** Why a run would not begin (exit 6): an earlier one has left a write open. */
  readonly refused: PlannedProblem | null;
  /** Why the run would fail although no step does. */
  readonly problem: PlannedProblem | null;
  readonly steps: readonly PlannedStep[];
  /** Steps that only a failure leads to, or that one keeps from running. */
  readonly notReached: readonly string[];
  readonly totals: PlannedTotals;
}

/**
 * `reads`, `holds`: the service gives now what it should. `will-be-refused`: it is sent and refused, as the playbook expects. `opens`:
 * the steps below it say what happens. `would-warn`: a check that does not hold, and only warns.
 */
export type PlannedVerdict =
  | "will-create"
  | "will-change"
  | "will-be-refused"
  | "already-so"
  | "reads"
  | "holds"
  | "opens"
  | "skipped"
  | "would-wait"
  | "would-warn"
  | "would-fail"
  | "cannot-know";

export interface PlannedStep {
  /** The step's address. */
  readonly step: string;
  readonly name: string;
  readonly line: number;
  readonly kind: "call" | "block" | "include" | "check" | "foreach";
  readonly uses: string;
  /** How many blocks, playbooks and rounds are around it. */
  readonly depth: number;
  readonly actor: string | null;
  readonly verdict: PlannedVerdict;
  /** What keeps the verdict, or a part of the input, from being known; or what else there is to say of it. */
  readonly why: readonly string[];
  readonly problem: PlannedProblem | null;
  /** The interface that a write goes to. */
  readonly writes: InterfaceName | null;
  /** What a write would send; an unknown value is null here, and is listed under `unknown`. */
  readonly input: Json;
  readonly unknown: readonly UnknownPart[];
  readonly reads: readonly PlannedRead[];
}

export interface PlannedProblem {
  readonly code: string;
  readonly message: string;
  readonly next: string | null;
}

/** A part of an input that only the run will know. */
export interface UnknownPart {
  readonly path: string;
  readonly why: string;
}

/** One request that the plan made, and what was answered. */
export interface PlannedRead {
  readonly operation: string;
  readonly actor: string | null;
  readonly input: Json;
  readonly page: string | null;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly digest: string;
  /** The answer, where it is not too large to keep. */
  readonly answer: Json;
}

export interface PlannedTotals {
  /** The writes of each interface, such as `ledgerTransactions`. */
  readonly [writes: string]: number;
  /** Steps that may or may not write. */
  readonly cannotKnow: number;
  readonly alreadySo: number;
  readonly wouldFail: number;
}
