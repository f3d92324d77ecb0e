import type { Json, JsonObject } from "../base/json/json.ts";
import type { Comparison } from "../protocol/comparison.ts";
import type {
  Anyway,
  AnswerMeaning,
  AttemptSettled,
  RunOutcome,
  Confirmation,
  HeldConditions,
  StepOutcome,
  StepProblem,
  TargetHeading,
} from "../protocol/record.ts";

/** The outcome of a run and of each of its steps. Its JSON form is public: fields are added, never renamed. */
export interface RunReport {
  readonly format: 1;
  /** Of a run that `--repeat` made: which one of how many. */
  readonly repeat?: NthRun;
  /** Of a run that `--each` made: the row whose columns are its inputs. */
  readonly row?: EachRow;
  readonly run: RunHeading;
  /** One row for each step, and for each round of a `foreach`, in the order of the playbook. */
  readonly steps: readonly StepReport[];
  readonly totals: Totals;
}

/** A row of the file of `--each`, and its line. */
export interface EachRow {
  readonly file: string;
  readonly line: number;
}

/** One of several runs of a playbook that one command makes. */
export interface NthRun {
  readonly number: number;
  readonly of: number;
}

/** A playbook that was expected to run, but has no run. */
export interface NotBegun {
  readonly playbook: { readonly name: string; readonly file: string };
  /** The row of the file of `--each` for which it was expected to run. */
  readonly row?: EachRow;
  /** Why its run did not begin. */
  readonly problem: StepProblem;
}

/** The code of the problem of a playbook that `--fail-fast` did not start: nothing is wrong with it. */
export const NOT_STARTED = "run.not-started";

/** What is known of a run as a whole. */
export interface RunHeading {
  readonly id: string;
  readonly key: string;
  /** The name that the caller gave to the run with `--key`; null: none. */
  readonly idempotencyKey: string | null;
  readonly playbook: { readonly name: string; readonly file: string; readonly digest: string };
  readonly target: TargetHeading;
  readonly inputs: JsonObject;
  readonly outcome: ReportedOutcome;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Null while the run is under way, or when its process died. */
  readonly finishedAt: string | null;
  /** From the opening to the last closing, without the times between a stop and its resume. */
  readonly durationMs: number | null;
  readonly outputs: JsonObject;
  /** Why the run failed although no step did. */
  readonly problem: StepProblem | null;
  /** Who ran it, and how it continued, in order. */
  readonly history: readonly HistoryReport[];
  /** A person began the run although earlier runs had left writes open; null: nobody had to. */
  readonly anyway: Anyway | null;
  /** A person consented to its writes in a protected environment; null: nobody had to. */
  readonly confirmed: Confirmation | null;
}

/** Something that happened to a run as a whole. */
export interface HistoryReport {
  /** ISO 8601, UTC. */
  readonly at: string;
  /**
   * `released`: a person made the claim of another process void. `resolved`: a person recorded the outcome of a write. `edited`: the run
   * resumed with its edited playbook.
   */
  readonly what: "claimed" | "released" | "resolved" | "edited" | "closed";
  /** The process, or the person; null where it does not matter. */
  readonly by: string | null;
  /** `closed`: the outcome. `released`: why. `resolved`: what, and why. `edited`: what of it somebody should know. */
  readonly text: string | null;
}

/** `running`: not closed. Either it is under way, or its process died. */
export type ReportedOutcome = RunOutcome | "running";

/** The outcome of one step, or of one round of it. What is not known is null, never left out. */
export interface StepReport {
  /** The step's address: its id, and the key of its round. */
  readonly step: string;
  readonly id: string;
  readonly kind: "call" | "check" | "block" | "include";
  /** The keys of the rounds around it, the outermost first. */
  readonly key?: string;
  readonly name: string;
  readonly uses: string;
  /** The included playbook in whose file it is written; null: the run's own. */
  readonly file: string | null;
  readonly line: number;
  /** How many blocks and included playbooks are around it: they come before it. */
  readonly depth: number;
  readonly actor: string | null;
  /** The acting entity (`userId:alice`) or the name of a credential; null: the key's own, or not recorded. */
  readonly as: string | null;
  readonly outcome: RowOutcome;
  /** Of the last attempt, as is the receipt. */
  readonly transactionId: string | null;
  readonly receipt: ReceiptReport | null;
  readonly attempts: readonly AttemptReport[];
  readonly requests: number;
  readonly startedAt: string | null;
  /** How long it was worked on: of a write, all attempts, and what was read before them. */
  readonly durationMs: number | null;
  /** How long nothing could be done: pauses before further attempts, between two reads, and until a receipt or an effect was there. */
  readonly waitedMs: number | null;
  /** The time between a stop, of the step or of the run, and its resume. */
  readonly stoppedMs: number | null;
  /** The answer of a completed step. */
  readonly response: Json;
  /** What the service said when it refused as expected. */
  readonly refusal: string | null;
  readonly problem: StepProblem | null;
  /** What a check of severity `warn` found. */
  readonly warning: StepProblem | null;
  /** What a comparison of two sides found. */
  readonly comparison: Comparison | null;
  /** What a `conserve` found to be equal on both sides. */
  readonly balances: readonly BalanceReport[] | null;
  /** The conditions of a completed step: all of them held. Null: it has none, or they were not recorded. */
  readonly held: HeldConditions | null;
}

/** A quantity that is conserved. */
export interface BalanceReport {
  /** What it is a quantity of: the object, and the part of it. */
  readonly of: readonly string[];
  readonly left: Json;
  readonly right: Json;
}

/**
 * A step that had begun when the run ended is `unknown` when a write of it may have taken effect unseen, otherwise `pending`.
 */
export type RowOutcome = StepOutcome | "not-run";

/** What the receipt of a write said. */
export interface ReceiptReport {
  readonly receiptId: string | null;
  /** The ledger's own word; null when no last word has been read. */
  readonly status: string | null;
  /** Whether that word means that the write took effect; null when none has been read. */
  readonly committed: boolean | null;
  readonly message: string | null;
}

/** One attempt of a write. */
export interface AttemptReport {
  readonly attempt: number;
  /** When its intent became durable, right before it was sent. ISO 8601, UTC. */
  readonly at: string;
  readonly operation: string;
  readonly input: JsonObject;
  readonly request: { readonly method: string; readonly path: string; readonly digest: string };
  /** What was there before the write, which shows the outcome of it later; null when nothing was read, or it could not be. */
  readonly baseline: JsonObject | null;
  /** Null when no answer was recorded. */
  readonly meaning: AnswerMeaning | null;
  readonly status: number | null;
  readonly message: string | null;
  readonly receiptId: string | null;
  readonly receipt: ReceiptReport | null;
  readonly settled: { readonly verdict: AttemptSettled["verdict"]; readonly evidence: Json } | null;
  readonly durationMs: number | null;
}

/** How many rows that are calls or checks have which outcome; `steps` is their sum. */
export interface Totals {
  readonly steps: number;
  readonly ok: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly rescued: number;
  readonly failed: number;
  readonly pending: number;
  readonly unknown: number;
  readonly conflict: number;
  /** Comparisons that found one. */
  readonly drift: number;
  readonly notRun: number;
  /** Steps whatever their outcome, beside which there is a warning. */
  readonly warnings: number;
}

/** A file of a folder that was left out, and why. */
export interface SkippedFile {
  readonly file: string;
  readonly why: string;
}
