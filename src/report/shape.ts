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
  /** Of a run that `--repeat` made: which one of how many. */
  readonly repeat?: NthRun;
  /** Of a run that `--each` made: the row whose columns are its inputs. */
  readonly row?: EachRow;
  /** What is known of the run as a whole. */
  readonly run: RunHeading;
  /** One row for each step, and for each round of a `foreach`, in the order of the playbook. */
  readonly steps: readonly StepReport[];
  /** How many steps have which outcome. */
  readonly totals: Totals;
}

/** A row of the file of `--each`, and its line. */
export interface EachRow {
  /** The file that `--each` names. */
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
}

/** One of several runs of a playbook that one command makes. */
export interface NthRun {
  /** Its number among them, from 1 on. */
  readonly number: number;
  /** How many there are. */
  readonly of: number;
}

/** A playbook that was expected to run, but has no run. */
export interface NotBegun {
  /** Its title and its file. */
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
  /** The time and a random part: `20260131T120000-k3v9x2pq`. */
  readonly id: string;
  /** Letters and digits that distinguish this run's ids from those of other runs. */
  readonly key: string;
  /** The name that the caller gave to the run with `--key`; null: none. */
  readonly idempotencyKey: string | null;
  /** Its title, its file, and the SHA-256 digest of its text and of all that it includes, in hexadecimal. */
  readonly playbook: { readonly name: string; readonly file: string; readonly digest: string };
  /** The environment, with the addresses that it had. */
  readonly target: TargetHeading;
  /** The inputs, with their defaults; secrets are masked. */
  readonly inputs: JsonObject;
  /** How the run ended. */
  readonly outcome: ReportedOutcome;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Null while the run is under way, or when its process died. */
  readonly finishedAt: string | null;
  /** From the opening to the last closing, without the times between a stop and its resume. */
  readonly durationMs: number | null;
  /** The values of the playbook's `outputs`, by name; empty while the run is not closed. */
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
export interface StepReport extends Pick<StepHeading, "id" | "name" | "uses" | "line"> {
  /** The step's address: its id, and the key of its round. */
  readonly step: string;
  /** What the step is. */
  readonly kind: "call" | "check" | "block" | "include";
  /** The keys of the rounds around it, the outermost first. */
  readonly key?: string;
  /** The included playbook in whose file it is written; null: the run's own. */
  readonly file: string | null;
  /** How many blocks and included playbooks are around it: they come before it. */
  readonly depth: number;
  /** Who acts, as reports show it; null when none is named, or recorded. */
  readonly actor: string | null;
  /** The acting entity (`userId:alice`) or the name of a credential; null: the key's own, or not recorded. */
  readonly as: string | null;
  /** How it ended. */
  readonly outcome: RowOutcome;
  /** Of the last attempt, as is the receipt. */
  readonly transactionId: string | null;
  /** What the receipt of the last attempt says; null without one. */
  readonly receipt: ReceiptReport | null;
  /** The attempts of a write, in their order. */
  readonly attempts: readonly AttemptReport[];
  /** Of a write that was sent, how many attempts; otherwise, how many requests it took. */
  readonly requests: number;
  /** ISO 8601, UTC; null when it has not begun. */
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
  /** Why it stopped; null when it did not. */
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
  /** The quantity on the first side; null where it has none. */
  readonly left: Json;
  /** The quantity on the second side; null where it has none. */
  readonly right: Json;
}

/**
 * A step that had begun when the run ended is `unknown` when a write of it may have taken effect unseen, otherwise `pending`.
 */
export type RowOutcome = StepOutcome | "not-run";

/** What the receipt of a write said. */
export interface ReceiptReport {
  /** The id by which the outcome can be asked for later; null without one. */
  readonly receiptId: string | null;
  /** The ledger's own word; null when no last word has been read. */
  readonly status: string | null;
  /** Whether that word means that the write took effect; null when none has been read. */
  readonly committed: boolean | null;
  /** The ledger's message; null without one. */
  readonly message: string | null;
}

/** One attempt of a write. */
export interface AttemptReport extends Pick<AttemptIntended, "operation" | "input" | "request"> {
  /** Its number among the attempts of the step, from 1 on. */
  readonly attempt: number;
  /** When its intent became durable, right before it was sent. ISO 8601, UTC. */
  readonly at: string;
  /** Whether it has several items, so that a refusal is not proof that none of them took effect. */
  readonly separable: boolean;
  /** What was there before the write, which shows the outcome of it later; null when nothing was read, or it could not be. */
  readonly baseline: JsonObject | null;
  /** Null when no answer was recorded. */
  readonly meaning: AnswerMeaning | null;
  /** HTTP status; null when no answer came, or none was recorded. */
  readonly status: number | null;
  /** Refused: the service's message. Otherwise why the answer means what it means; null without one. */
  readonly message: string | null;
  /** The id by which the outcome can be asked for later; null without one. */
  readonly receiptId: string | null;
  /** What its receipt says; null without one. */
  readonly receipt: ReceiptReport | null;
  /** The outcome that other evidence than its own answer decided, and that evidence; null when none did. */
  readonly settled: { readonly verdict: AttemptSettled["verdict"]; readonly evidence: Json } | null;
  /** From the first byte sent to the last one received, in milliseconds; null when no answer was recorded. */
  readonly durationMs: number | null;
}

/** How many rows that are calls or checks have which outcome; `steps` is their sum. */
export interface Totals {
  /** All rows that are calls or checks. */
  readonly steps: number;
  /** Rows with the outcome `ok`. */
  readonly ok: number;
  /** Rows with the outcome `changed`. */
  readonly changed: number;
  /** Rows with the outcome `unchanged`. */
  readonly unchanged: number;
  /** Rows with the outcome `skipped`. */
  readonly skipped: number;
  /** Rows with the outcome `rescued`. */
  readonly rescued: number;
  /** Rows with the outcome `failed`. */
  readonly failed: number;
  /** Rows with the outcome `pending`. */
  readonly pending: number;
  /** Rows with the outcome `unknown`. */
  readonly unknown: number;
  /** Rows with the outcome `conflict`. */
  readonly conflict: number;
  /** Comparisons that found one. */
  readonly drift: number;
  /** Rows with the outcome `not-run`. */
  readonly notRun: number;
  /** Steps whatever their outcome, beside which there is a warning. */
  readonly warnings: number;
}

/** What is wrong, written for people. */
export interface ProblemReport {
  /** Identifies the kind of problem, and stays the same: `output.no-value`. */
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** Why that is so, or matters; null when that is not said. */
  readonly why: string | null;
  /** The command or edit that continues from here; null when there is none. */
  readonly next: string | null;
}

/** A file of a folder that was left out, and why. */
export interface SkippedFile {
  /** The path of the file. */
  readonly file: string;
  /** Why it was left out, in a few words. */
  readonly why: string;
}
