import type { Json } from "../../base/json/json.ts";
import type { InterfaceName } from "../../contract/contract.ts";
import type { TargetHeading } from "../../protocol/heading.ts";
import type { ProblemReport, StepReport } from "../shape.ts";

/** What runs of some playbooks would do; `schemas/plan.schema.json` describes it. Fields are added, never renamed. */
export interface PlanDocument {
  readonly format: 1;
  /** When the plan was made. ISO 8601, UTC. */
  readonly madeAt: string;
  /** Nothing of it would surely fail, or be refused. */
  readonly ok: boolean;
  /** The environment, with the addresses that it had. */
  readonly target: TargetHeading;
  /** One for each playbook, each as if it alone were run. */
  readonly plans: readonly PlannedRun[];
  /** What an assistant asked to plan: its run does the same. Left out of the plans of people. */
  readonly request?: PlanRequest;
}

/** What an assistant asked to plan. Values of inputs are texts, as on the command line. */
export interface PlanRequest {
  /** The playbook's path from the folder of the server, or its name in the library. */
  readonly playbook: string;
  /** The values of inputs, by their names. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Where the plan was made, by its full name. */
  readonly environment: string;
}

/** What a run of one playbook would do. */
export interface PlannedRun {
  /** Its file, its title, and the SHA-256 digest of its text and of all that it includes, in hexadecimal. */
  readonly playbook: { readonly file: string; readonly name: string; readonly digest: string };
  /** A digest of each value that it is given from outside: inputs, variables (`env.NAME`), and data that an included playbook has from a file (`FILE: NAME`). */
  readonly inputs: Readonly<Record<string, string>>;
  /** `would-fail`: a step or an output would surely fail. `refused` says whether it would begin at all. */
  readonly outcome: "would-pass" | "would-fail";
  /** Why a run would not begin (exit 6): an earlier one has left a write open. */
  readonly refused: PlannedProblem | null;
  /** Why the run would fail although no step does. */
  readonly problem: PlannedProblem | null;
  /** In the order in which they were planned; the rows of one round are together. */
  readonly steps: readonly PlannedStep[];
  /** Steps that only a failure leads to, or that one keeps from running. */
  readonly notReached: readonly string[];
  /** How many steps would do what. */
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

/** What a run would do at one step, or at one round of it. */
export interface PlannedStep extends Pick<StepReport, "step" | "name" | "line" | "uses" | "depth" | "actor"> {
  /** `foreach`: the step as a whole, not one of its rounds. */
  readonly kind: "call" | "block" | "include" | "check" | "foreach";
  /** What would happen. */
  readonly verdict: PlannedVerdict;
  /** What keeps the verdict, or a part of the input, from being known; or what else there is to say of it. */
  readonly why: readonly string[];
  /** Why the step would fail, or what a check would warn of; null when there is nothing. */
  readonly problem: PlannedProblem | null;
  /** The interface that a write goes to. */
  readonly writes: InterfaceName | null;
  /** What a write would send; an unknown value is null here, and is listed under `unknown`. */
  readonly input: Json;
  /** The parts of the input that only the run will know. */
  readonly unknown: readonly UnknownPart[];
  /** The requests that the plan made for the step. */
  readonly reads: readonly PlannedRead[];
}

/** Why a run or a step would fail or be refused, written for people. */
export type PlannedProblem = Omit<ProblemReport, "why">;

/** A part of an input that only the run will know. */
export interface UnknownPart {
  /** Its place in the input: `data.items[0].id`; empty for the input as a whole. */
  readonly path: string;
  /** Why it cannot be known before the run. */
  readonly why: string;
}

/** One request that the plan made, and what was answered. */
export interface PlannedRead {
  /** Its name: `ledger.token.get`. */
  readonly operation: string;
  /** Who asked, as reports show it; null when none is named. */
  readonly actor: string | null;
  /** The input of the operation. */
  readonly input: Json;
  /** The page that was asked for; null when none was named. */
  readonly page: string | null;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** The SHA-256 digest of the answer, or of the status and condition of a refusal, in hexadecimal. */
  readonly digest: string;
  /** The answer, where it is not too large to keep. */
  readonly answer: Json;
}

/** How many steps would do what. */
export interface PlannedTotals {
  /** The writes of each interface, such as `ledgerTransactions`. */
  readonly [writes: string]: number;
  /** Steps that may or may not write. */
  readonly cannotKnow: number;
  /** Writes whose goal is met already. */
  readonly alreadySo: number;
  /** Steps that would fail. */
  readonly wouldFail: number;
}
