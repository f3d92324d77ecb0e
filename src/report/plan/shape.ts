import type { Json } from "../../base/json/json.ts";
import type { InterfaceName } from "../../contract/contract.ts";
import type { TargetHeading } from "../../protocol/heading.ts";
import type { ProblemReport, StepReport } from "../shape.ts";

/** What runs of some playbooks would do. `schemas/plan.schema.json` describes it. Fields are added, never renamed. */
export interface PlanDocument {
  readonly format: 1;
  /** When the plan was made. ISO 8601, UTC. */
  readonly madeAt: string;
  /** Whether nothing in it would certainly fail or be refused. */
  readonly ok: boolean;
  /** The environment with its addresses at that time. */
  readonly target: TargetHeading;
  /** One plan for each playbook, as if that playbook alone were run. */
  readonly plans: readonly PlannedRun[];
  /** The request of the assistant that made the plan; its run does the same. Left out in plans that people make. */
  readonly request?: PlanRequest;
}

/** The plan that an assistant asked for. Input values are texts, as on the command line. */
export interface PlanRequest {
  /** The playbook's path from the folder of the server, or its name in the library. */
  readonly playbook: string;
  /** The values of inputs by name. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The full name of the environment of the plan. */
  readonly environment: string;
}

/** What a run of one playbook would do. */
export interface PlannedRun {
  /** Its file, its title, and the hexadecimal SHA-256 digest of its text and of everything that it includes. */
  readonly playbook: { readonly file: string; readonly name: string; readonly digest: string };
  /** A digest of each value from outside: inputs, variables (`env.NAME`), and data that an included playbook reads from a file (`FILE: NAME`). */
  readonly inputs: Readonly<Record<string, string>>;
  /** `would-fail` if a step or an output would certainly fail. `refused` says whether the run would begin at all. */
  readonly outcome: "would-pass" | "would-fail";
  /** Why the run would not begin (exit 6): an earlier run has left a write open, or a submitted run would do the same. */
  readonly refused: PlannedProblem | null;
  /** Why the run would fail although no step does. */
  readonly problem: PlannedProblem | null;
  /** The steps in the order in which they were planned. The rows of one round are together. */
  readonly steps: readonly PlannedStep[];
  /** Steps that only run after a failure, or that a failure keeps from running. */
  readonly notReached: readonly string[];
  /** The number of steps by verdict. */
  readonly totals: PlannedTotals;
}

/**
 * `reads`, `holds`: the service now returns what it should. `will-be-refused`: the write is sent and refused, as the playbook expects. `opens`: the steps below
 * show what happens. `would-warn`: a check does not hold, but only warns.
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

/** What a run would do at one step, or in one round of it. */
export interface PlannedStep extends Pick<StepReport, "step" | "name" | "line" | "uses" | "depth" | "actor"> {
  /** The kind of step. `foreach` is the step as a whole, not one of its rounds. */
  readonly kind: "call" | "block" | "include" | "check" | "foreach";
  /** What would happen. */
  readonly verdict: PlannedVerdict;
  /** Why the verdict or a part of the input is not known, or other notes. */
  readonly why: readonly string[];
  /** Why the step would fail, or what a check would warn about; null if nothing. */
  readonly problem: PlannedProblem | null;
  /** The interface that a write goes to. */
  readonly writes: InterfaceName | null;
  /** What a write would send. An unknown value is null here and is listed under `unknown`. */
  readonly input: Json;
  /** The parts of the input that only the run can know. */
  readonly unknown: readonly UnknownPart[];
  /** The requests that the plan made for the step. */
  readonly reads: readonly PlannedRead[];
}

/** Why a run or a step would fail or be refused, for people. */
export type PlannedProblem = Omit<ProblemReport, "why">;

/** A part of an input that only the run can know. */
export interface UnknownPart {
  /** Its path in the input: `data.items[0].id`; empty for the whole input. */
  readonly path: string;
  /** Why it cannot be known before the run. */
  readonly why: string;
}

/** A request that the plan made, and its answer. */
export interface PlannedRead {
  /** The name of the operation: `ledger.token.get`. */
  readonly operation: string;
  /** Who made the request, as reports show it; null if nobody is named. */
  readonly actor: string | null;
  /** The input of the operation. */
  readonly input: Json;
  /** The requested page; null if none was named. */
  readonly page: string | null;
  /** The HTTP status; null if no answer came. */
  readonly status: number | null;
  /** The hexadecimal SHA-256 digest of the answer, or of the status and condition of a refusal. */
  readonly digest: string;
  /** The answer, unless it is too large to store. */
  readonly answer: Json;
}

/** The number of steps by verdict. */
export interface PlannedTotals {
  /** The number of writes of each interface, such as `ledgerTransactions`. */
  readonly [writes: string]: number;
  /** Steps that may or may not write. */
  readonly cannotKnow: number;
  /** Writes whose goal is already met. */
  readonly alreadySo: number;
  /** Steps that would fail. */
  readonly wouldFail: number;
}
