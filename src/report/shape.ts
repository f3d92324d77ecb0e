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
  AttemptIntended,
} from "../protocol/record.ts";
import type { TargetHeading, StepHeading } from "../protocol/heading.ts";

/** The outcome of a run and of each of its steps. Its JSON form is public: fields are added, never renamed. */
export interface RunReport {
  readonly format: 1;
  /** If `--repeat` made the run: its number and the total. */
  readonly repeat?: NthRun;
  /** If `--each` made the run: the row with its inputs. */
  readonly row?: EachRow;
  /** The run as a whole. */
  readonly run: RunHeading;
  /** One row for each step, and for each round of a `foreach`, in the order of the playbook. */
  readonly steps: readonly StepReport[];
  /** The number of steps by outcome. */
  readonly totals: Totals;
}

/** A row of the file for `--each`. */
export interface EachRow {
  /** The file that `--each` names. */
  readonly file: string;
  /** The line of the row, from 1. */
  readonly line: number;
}

/** One of several runs of a playbook that one command makes. */
export interface NthRun {
  /** Its number among them, from 1. */
  readonly number: number;
  /** How many there are. */
  readonly of: number;
}

/** A playbook that should have run, but has no run. */
export interface NotBegun {
  /** Its title and its file. */
  readonly playbook: { readonly name: string; readonly file: string };
  /** The row of the file for `--each` for which it should have run. */
  readonly row?: EachRow;
  /** Why its run did not begin. */
  readonly problem: StepProblem;
}

/** The problem code of a playbook that `--fail-fast` did not start. Nothing is wrong with the playbook. */
export const NOT_STARTED = "run.not-started";

/** The run as a whole. */
export interface RunHeading {
  /** The time and a random part: `20260131T120000-k3v9x2pq`. */
  readonly id: string;
  /** Letters and digits that distinguish the ids of this run from those of other runs. */
  readonly key: string;
  /** The key that the caller gave to the run with `--key`; null if none. */
  readonly idempotencyKey: string | null;
  /** Its title, its file, and the hexadecimal SHA-256 digest of its text and of everything that it includes. */
  readonly playbook: { readonly name: string; readonly file: string; readonly digest: string };
  /** The environment with its addresses at that time. */
  readonly target: TargetHeading;
  /** The inputs with their defaults. Secrets are masked. */
  readonly inputs: JsonObject;
  /** How the run ended. */
  readonly outcome: ReportedOutcome;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC. Null while the run is under way, or if its process died. */
  readonly finishedAt: string | null;
  /** From the opening to the last closing, without the time between a stop and its resume. */
  readonly durationMs: number | null;
  /** The values of the playbook's `outputs`, by name; empty while the run is not closed. */
  readonly outputs: JsonObject;
  /** Why the run failed although no step did. */
  readonly problem: StepProblem | null;
  /** The processes that ran it, and how it continued, in order. */
  readonly history: readonly HistoryReport[];
  /** Set if a person started the run although earlier runs had left writes open; null if this was not needed. */
  readonly anyway: Anyway | null;
  /** The person's consent to writes in a protected environment; null if this was not needed. */
  readonly confirmed: Confirmation | null;
}

/** Something that happened to a run as a whole. */
export interface HistoryReport {
  /** ISO 8601, UTC. */
  readonly at: string;
  /**
   * `released`: a person voided the claim of another process. `resolved`: a person recorded the outcome of a write. `edited`: the run resumed with its edited
   * playbook.
   */
  readonly what: "claimed" | "released" | "resolved" | "edited" | "closed";
  /** The process or the person; null if it does not matter. */
  readonly by: string | null;
  /** `closed`: the outcome. `released`: why. `resolved`: what, and why. `edited`: what a person should know about it. */
  readonly text: string | null;
}

/** `running`: not closed. The run is under way, or its process died. */
export type ReportedOutcome = RunOutcome | "running";

/** The outcome of one step, or of one round of it. Unknown values are null, never left out. */
export interface StepReport extends Pick<StepHeading, "id" | "name" | "uses" | "line"> {
  /** The step's address: its id and the key of its round. */
  readonly step: string;
  /** The kind of the step. */
  readonly kind: "call" | "check" | "block" | "include";
  /** The keys of the rounds around it, the outermost first, in one text. */
  readonly key?: string;
  /** The included playbook that contains the step; null for the run's own. */
  readonly file: string | null;
  /** How many blocks and included playbooks are around it. Their rows come before it. */
  readonly depth: number;
  /** The actor, as reports show it; null if none is named or recorded. */
  readonly actor: string | null;
  /** The acting entity (`userId:alice`) or the name of a credential; null for the key's own entity, or if not recorded. */
  readonly as: string | null;
  /** How it ended. */
  readonly outcome: RowOutcome;
  /** The transaction of the last attempt, like the receipt. */
  readonly transactionId: string | null;
  /** The receipt of the last attempt; null if there is none. */
  readonly receipt: ReceiptReport | null;
  /** The attempts of a write, in order. */
  readonly attempts: readonly AttemptReport[];
  /** The number of attempts if it sent a write, otherwise the number of its requests. */
  readonly requests: number;
  /** ISO 8601, UTC; null if it has not begun. */
  readonly startedAt: string | null;
  /** How long it was worked on. For a write, this includes all attempts and the reads before them. */
  readonly durationMs: number | null;
  /** How long nothing could be done: pauses before further attempts, pauses between reads, and waiting for a receipt or an effect. */
  readonly waitedMs: number | null;
  /** The time between a stop of the step or the run and its resume. */
  readonly stoppedMs: number | null;
  /** The answer of a completed step. */
  readonly response: Json;
  /** The service's message when it refused as expected. */
  readonly refusal: string | null;
  /** Why it stopped; null if it did not. */
  readonly problem: StepProblem | null;
  /** What a check of severity `warn` found. */
  readonly warning: StepProblem | null;
  /** What a comparison of two sides found. */
  readonly comparison: Comparison | null;
  /** The quantities that a `conserve` found equal on both sides. */
  readonly balances: readonly BalanceReport[] | null;
  /** The conditions of a completed step, which all held; null if it has none, or if they were not recorded. */
  readonly held: HeldConditions | null;
}

/** A quantity that is conserved. */
interface BalanceReport {
  /** The object and the part of it whose quantity this is. */
  readonly of: readonly string[];
  /** The quantity on the first side; null if it has none. */
  readonly left: Json;
  /** The quantity on the second side; null if it has none. */
  readonly right: Json;
}

/** A step that had begun when the run ended is `unknown` if one of its writes may have taken effect unseen, otherwise `pending`. */
export type RowOutcome = StepOutcome | "not-run";

/** The receipt of a write. */
export interface ReceiptReport {
  /** The id with which the outcome can be queried later; null if there is none. */
  readonly receiptId: string | null;
  /** The ledger's own status; null if no final status was read. */
  readonly status: string | null;
  /** Whether this status means that the write took effect; null if none was read. */
  readonly committed: boolean | null;
  /** The ledger's message; null if there is none. */
  readonly message: string | null;
}

/** One attempt of a write. */
export interface AttemptReport extends Pick<AttemptIntended, "operation" | "input" | "request"> {
  /** Its number among the attempts of the step, from 1. */
  readonly attempt: number;
  /** When its intent was durably recorded, right before it was sent. ISO 8601, UTC. */
  readonly at: string;
  /** Whether it has several items, so that a refusal does not prove that none of them took effect. */
  readonly separable: boolean;
  /** The state before the write, which later shows its outcome; null if nothing could be read. */
  readonly baseline: JsonObject | null;
  /** What the answer means; null if no answer was recorded. */
  readonly meaning: AnswerMeaning | null;
  /** The HTTP status; null if no answer came or none was recorded. */
  readonly status: number | null;
  /** If refused, the service's message. Otherwise, why the answer has this meaning; null if there is nothing to say. */
  readonly message: string | null;
  /** The id with which the outcome can be queried later; null if there is none. */
  readonly receiptId: string | null;
  /** Its receipt; null if there is none. */
  readonly receipt: ReceiptReport | null;
  /** The verdict of other evidence than its own answer, with that evidence; null if there is none. */
  readonly settled: { readonly verdict: AttemptSettled["verdict"]; readonly evidence: Json } | null;
  /** From the first byte sent to the last one received, in milliseconds; null if no answer was recorded. */
  readonly durationMs: number | null;
}

/** The field of the totals that counts the steps with an outcome. */
export const TOTAL_OF = {
  ok: "ok",
  changed: "changed",
  unchanged: "unchanged",
  skipped: "skipped",
  rescued: "rescued",
  failed: "failed",
  pending: "pending",
  unknown: "unknown",
  conflict: "conflict",
  drift: "drift",
  "not-run": "notRun",
} as const;

/** The number of calls and checks by outcome. `steps` is their sum, and `warnings` counts those with a warning, whatever their outcome. */
export type Totals = Readonly<Record<"steps" | (typeof TOTAL_OF)[RowOutcome] | "warnings", number>>;

/** A problem, written for people. */
export interface ProblemReport {
  /** Identifies the kind of problem and never changes: `output.no-value`. */
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** Why that is the case, or why it matters; null if nothing is said. */
  readonly why: string | null;
  /** The command or edit that continues from here; null if there is none. */
  readonly next: string | null;
}

/** A file in a folder that was skipped. */
export interface SkippedFile {
  /** The path of the file. */
  readonly file: string;
  /** Why it was skipped, in a few words. */
  readonly why: string;
}
