import type { Json, JsonObject } from "../base/json/json.ts";
import type { Uptime } from "../base/uptime.ts";
import type { Comparison } from "./comparison.ts";
import type { TargetHeading, Writing } from "./heading.ts";
import type { KeptFailure } from "../base/failure.ts";

/**
 * Everything that can happen in a run, as recorded in the journal. The state of a run and every report are folds over its records. On-disk
 * values are public: fields are added, never renamed. `step` is a step's address: its id, in a `foreach` followed by its key (`approvals[bob]`),
 * and preceded by the steps that include it.
 */
export type Fact =
  | RunOpened
  | RunClaimed
  | RunReleased
  | RunEdited
  | StepExpanded
  | StepBegun
  | BlockTurned
  | AttemptIntended
  | AttemptAnswered
  | ReceiptRead
  | AttemptSettled
  | StepCompleted
  | StepStopped
  | RunClosed;

/** A fact with its place in the journal. */
export type RunRecord = Fact & {
  /** Its number in the run, from 0 on. */
  readonly sequence: number;
  /** The claim under which it was written. A holder that has lost its claim cannot write any more. */
  readonly epoch: number;
  /** When it was recorded, in milliseconds since the Unix epoch. */
  readonly at: number;
};

/** A run has begun: its playbook, its inputs, and where it acts. */
export interface RunOpened extends Writing {
  readonly kind: "run.opened";
  /** The format of the run's records. */
  readonly format: 1;
  /** The time and a random part, such as `20260131T120000-k3v9x2pq`. */
  readonly runId: string;
  /** Letters and digits that distinguish this run's ids from those of other runs. */
  readonly runKey: string;
  /** The inputs, with their defaults; secrets are masked. */
  readonly inputs: JsonObject;
  /** The variables, by the file of the playbook that declares them. */
  readonly env?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The environment, with the addresses at that time. */
  readonly target: TargetHeading;
  /**
   * The folder against which the paths of its files are resolved, relative to the folder of tokenbook.yaml. Left out by older runs, and if
   * there is no tokenbook.yaml.
   */
  readonly folder?: string;
  /** The name that the caller gave to the run with `--key`. No other run of the journal has this name. */
  readonly idempotencyKey?: string;
  /** A person began the run although earlier runs had left writes open. */
  readonly anyway?: Anyway;
  /** A person consented to its writes in a protected environment. */
  readonly confirmed?: Confirmation;
}

/** A person's consent to the writes of a run in a protected environment. */
export interface Confirmation {
  /** Who started the run. */
  readonly who: string;
  /** `asked`: by an answer to the question. `yes`: in advance, by --yes. `plan`: the run does what an approved plan says. */
  readonly how: "asked" | "yes" | "plan";
  /** The approval of the plan by somebody else. */
  readonly approval?: Approval;
}

/** A person's statement. */
export interface PersonsWord {
  /** The name of the person. */
  readonly who: string;
  /** The reason, in the person's words. */
  readonly because: string;
}

/** A person's approval of a plan for a run. */
export interface Approval extends PersonsWord {
  /** The SHA-256 digest of the plan, in hexadecimal. */
  readonly plan: string;
  /** When it was given, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A person's consent to begin a run although other runs have left writes open. */
export interface Anyway extends PersonsWord {
  /** The runs that left the writes open. */
  readonly runs: readonly string[];
}

/** A process has taken the run. From now on only this process writes to it. */
export interface RunClaimed {
  readonly kind: "run.claimed";
  /** The process that does the run's steps from now on. */
  readonly holder: Holder;
}

/** A person has revoked the claim of another process. */
export interface RunReleased extends PersonsWord {
  readonly kind: "run.released";
  /** The process that held the run. It may be alive on another machine. */
  readonly from: Holder;
  /** The attempts that this process may still send: only their intents are recorded. Left out by older runs. */
  readonly unsent?: readonly { readonly step: string; readonly attempt: number }[];
}

/** The run continues with an edited playbook. The edit does not contradict anything that was done. */
export interface RunEdited extends Writing {
  readonly kind: "run.edited";
  /** Notes for people, such as steps that were done and are now removed. */
  readonly notes: readonly string[];
  /** A person consented to the writes of the edited playbook in a protected environment. */
  readonly confirmed?: Confirmation;
}

/** The process that holds a run. */
export interface Holder {
  /** The name of its machine. */
  readonly host: string;
  /** The kernel's id for this start of the machine. No process from an earlier start is alive. */
  readonly bootId: string;
  readonly pid: number;
  /** When the process started. It distinguishes the process from a later one with the same pid. */
  readonly startedAt: string;
  /** The file in the state directory that the process locks while it is alive, and the file's inode. Left out by older runs. */
  readonly lock?: { readonly file: string; readonly inode: string };
  /** The name of its heartbeat, by which it shows on a database server that it is alive. */
  readonly beat?: string;
  /** The process namespace to which its pid belongs; absent if the system has none. */
  readonly space?: string;
}

/** How long a step could only wait since its previous record. */
export interface Waited {
  /**
   * The pauses before further attempts, between two reads, and until a receipt or an effect was visible, in milliseconds. Left out for none, and by older
   * runs.
   */
  readonly waitedMs?: number;
}

/** The fields of a record about one step. */
interface OfStep {
  /** The address of the step. */
  readonly step: string;
}

/** The fields of a record about one attempt of a write. */
interface OfAttempt extends OfStep {
  /** Its number among the attempts of the step, from 1 on. */
  readonly attempt: number;
}

/** The list of a `foreach` is known: its rounds in this order, and no others. */
export interface StepExpanded extends OfStep {
  readonly kind: "step.expanded";
  /** The rounds, each with the key in its address, and its item of the list. */
  readonly rounds: readonly { readonly key: string; readonly item: Json }[];
}

/** A block, or an included playbook with these inputs, has begun. */
export interface StepBegun extends OfStep {
  readonly kind: "step.begun";
  /** The inputs of the included playbook, with their defaults. */
  readonly inputs?: JsonObject;
}

/** A block continues with its `rescue` or its `always` or, if it only reads, again from its first step. */
export interface BlockTurned extends Waited, OfStep {
  readonly kind: "block.turned";
  /** What the block does next. */
  readonly to: "rescue" | "always" | "again";
  /** The outcome of the block once its `always` has run. */
  readonly outcome?: "ok" | "rescued" | "failed";
  /** The step that failed. */
  readonly failed?: string;
  /** The problem of that step. */
  readonly problem?: StepProblem;
  /**
   * The steps that must run again. For `again` they are the steps of the block; for `always`, those of its steps that ran when the block
   * ended earlier.
   */
  readonly forget?: readonly string[];
  /** For `always`: its steps that sent a write when the block ended earlier, so that they do not run again. */
  readonly kept?: readonly string[];
}

/** The fields of a record from which a later process may count the age of a write. */
interface Aged {
  /** How long the machine had been running. Left out if this is unknown or does not count, and by older runs. */
  readonly uptime?: Uptime;
}

/** The fields of a record that may show the outcome of a write. */
interface Learnt {
  /** The latest time that the service had given to the run, in milliseconds since the Unix epoch. Left out for none, and by older runs. */
  readonly serviceAt?: number;
}

/** A write is about to be sent. The record is durable before the first byte leaves. */
export interface AttemptIntended extends Waited, Aged, OfAttempt {
  readonly kind: "attempt.intended";
  /** The name of the operation, such as `ledger.token.mint`. */
  readonly operation: string;
  /** Who acts, as reports show it: the name of an actor, an entity or a credential; null if none is named. */
  readonly actor: string | null;
  /**
   * The acting entity (`userId:alice`), including the key's own, or the name of a credential; null if only the key is known. Left out by older runs.
   */
  readonly as?: string | null;
  /** The completed input, with chosen ids and our mark. */
  readonly input: JsonObject;
  /** The request. The run recognizes the same request by the digest, which is in hexadecimal. */
  readonly request: { readonly method: string; readonly path: string; readonly digest: string };
  /** Whether it has several items, and the service may do some of them without the others. Then a refusal does not prove that nothing was done. */
  readonly separable?: true;
  /** The readings before the write, which a probe compares with later ones; null if they could not be made. */
  readonly baseline?: JsonObject | null;
  /** When these readings were made; left out if there are none. */
  readonly baselineAt?: BaselineAt;
  /** When the step began, before its first reads. Only for the first attempt; left out by older runs. */
  readonly startedAt?: number;
}

/** When the baseline was read. */
export interface BaselineAt {
  /** The service's own time; null if the service gave none. */
  readonly date: string | null;
  /** The last record of the run before the reading. */
  readonly sequence: number;
  /**
   * How long the run had surely written nothing by then, in milliseconds. Compared with `readLag`, it says whether the baseline shows all
   * earlier writes.
   */
  readonly quietMs?: number;
  /** Whether the baseline shows all earlier writes, by the `readLag` at that time. Only for older runs, which have no `quietMs`. */
  readonly recent?: true;
}

/**
 * The meaning of an answer. `ambiguous`: the write may have taken effect, or may still do so. `refused-later`: not now (429, or 503 with
 * Retry-After).
 */
export type AnswerMeaning = "not-sent" | "refused" | "refused-later" | "ambiguous" | "acknowledged";

/** A write has been answered, or its attempt has ended without an answer. */
export interface AttemptAnswered extends Aged, Learnt, OfAttempt {
  readonly kind: "attempt.answered";
  /** What the answer says about the write's effect. */
  readonly meaning: AnswerMeaning;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** The result that the service gave; null without a readable answer. */
  readonly payload: Json;
  /** The envelope that the interface puts around each result; null without one. */
  readonly envelope: JsonObject | null;
  /** The id with which the outcome can be requested later; null without one. */
  readonly receiptId: string | null;
  /** For a refusal, the service's message. Otherwise why the answer has this meaning. */
  readonly message: string | null;
  /** For a refusal, the name of the reason in the contract, if the contract knows the message. */
  readonly condition: string | null;
  /** How long the service asked to wait, in milliseconds; null if it did not ask. */
  readonly retryAfterMs: number | null;
  /** The time from the first byte sent to the last byte received, in milliseconds. */
  readonly durationMs: number;
}

/** A receipt has become final. */
export interface ReceiptRead extends Waited, Learnt, OfAttempt {
  readonly kind: "receipt.read";
  /** Whether the ledger has committed the write; if not, it never will. */
  readonly committed: boolean;
  /** The receipt as received from the service. */
  readonly receipt: JsonObject;
}

/**
 * The outcome of an attempt, decided by evidence other than its own answer. `absent`: it had no effect and never will. `superseded`: it may
 * still arrive, but does no harm next to another attempt. `unchanged`: the value that it sets was already set and still is; if the attempt
 * arrives later, it sets the same value.
 */
export interface AttemptSettled extends Waited, Learnt, OfAttempt {
  readonly kind: "attempt.settled";
  readonly verdict: Verdict;
  /** The readings that prove the outcome, from before and after the write. */
  readonly evidence: Json;
  /** The ledger's transaction, if a reading named it. */
  readonly transactionId?: string;
  /** The ledger's record that proves this attempt, and so cannot prove another. */
  readonly spends?: string;
  /** If several records prove it, the others. */
  readonly alsoSpends?: readonly string[];
}

/** The outcome of an attempt whose own answer did not show it. */
export type Verdict = "applied" | "absent" | "superseded" | "unchanged";

/**
 * `changed`: a write took effect. `ok`: a read, or an expected refusal. `unchanged`: the goal of the write was already met, so it was not
 * sent, or its answer was lost and nothing is missing. `rescued`: a block failed, but its `rescue` did not.
 */
export type CompletedOutcome = "ok" | "changed" | "unchanged" | "skipped" | "rescued";
/**
 * `conflict`: the visible effect contradicts the write: it occurred twice, in part, or differently. `drift`: two sides that must agree
 * differ, and nobody has acknowledged the difference.
 */
export type StoppedOutcome = "failed" | "pending" | "unknown" | "conflict" | "drift";
/** How a step ended. */
export type StepOutcome = CompletedOutcome | StoppedOutcome;

/** A step is done, and will not be done again. */
export interface StepCompleted extends Waited, OfStep {
  readonly kind: "step.completed";
  readonly outcome: CompletedOutcome;
  /** The value of `steps.ID` in later steps. */
  readonly value: JsonObject;
  /** In milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** For reads: how many requests were made. */
  readonly requests: number;
  /** The caller of a read. For a write, the intent holds it. */
  readonly actor?: string | null;
  /** For reads: the acting entity or the name of a credential, as in an intent. */
  readonly as?: string | null;
  /** The problem of a check with severity `warn` that did not hold. */
  readonly warning?: StepProblem;
  /** Its conditions, which all held. Left out if it has none, and by older runs. */
  readonly held?: HeldConditions;
  /** The comparison, if the step compared two sides. */
  readonly comparison?: Comparison;
}

/** The conditions of a step that held, as many as `LIMITS.heldConditions` and `LIMITS.heldChars` allow, and how many there are. */
export interface HeldConditions {
  /** How many held, shown or not. */
  readonly total: number;
  /** The conditions in the order in which they are written. */
  readonly shown: readonly HeldCondition[];
}

/** A condition that held, with the values that it used. */
export interface HeldCondition {
  /** The keyword under which it is written; `that` is the one of a check. */
  readonly keyword: "expect" | "ensure" | "until" | "that";
  /** The condition as it is written. */
  readonly expression: string;
  /** The parts of it that have a value of their own. */
  readonly values: readonly HeldValue[];
}

/** A part of a condition with its value, or a description of a value that is too large to be kept. */
export type HeldValue = { readonly expression: string } & ({ readonly value: Json } | { readonly summary: string });

/** A step has stopped before its end. A new claim of the run tries the step again. */
export interface StepStopped extends Waited, OfStep, Pick<StepCompleted, "startedAt" | "actor" | "as" | "comparison"> {
  readonly kind: "step.stopped";
  readonly outcome: StoppedOutcome;
  readonly problem: StepProblem;
  /** For reads: how many requests were made. */
  readonly requests?: number;
}

/** Why a step stopped, written for people. */
export interface StepProblem extends KeptFailure {
  /** The evidence, such as the values of a failed expectation, or the answer. */
  readonly evidence?: Json;
}

/** How a run ended: like the worst of its steps, or interrupted. */
export type RunOutcome = "passed" | "failed" | "pending" | "unknown" | "conflict" | "drift" | "interrupted";

/** A run has ended. When it is resumed, its records continue after this one. */
export interface RunClosed {
  readonly kind: "run.closed";
  readonly outcome: RunOutcome;
  /** Whether it was stopped early, but has a worse outcome than `interrupted`. Left out otherwise, and by older runs. */
  readonly interrupted?: true;
  /** The values of the playbook's `outputs`, by name. */
  readonly outputs: JsonObject;
  /** Why the run failed although no step did. */
  readonly problem?: StepProblem;
  /** How long interrupted steps had waited since their last records, in milliseconds. Left out for none, and by older runs. */
  readonly waited?: Readonly<Record<string, number>>;
}

/** Progress for people. No state depends on it, and it is never recorded. */
export type Notice =
  | { readonly kind: "step.started"; readonly step: string; readonly at: number }
  | { readonly kind: "run.waiting"; readonly for: string; readonly untilMs: number; readonly at: number }
  | { readonly kind: "step.waiting"; readonly step: string; readonly for: string; readonly untilMs: number; readonly at: number }
  /** A list with more than one page: how many pages and rows were read so far. */
  | { readonly kind: "step.reading"; readonly step: string; readonly pages: number; readonly rows: number; readonly at: number };

/** An event of a run, for observers. They receive the events in order. */
export type RunEvent = RunRecord | Notice;

const NOTICES: ReadonlySet<string> = new Set<Notice["kind"]>(["step.started", "run.waiting", "step.waiting", "step.reading"]);

/** Returns whether an event is only progress. */
export function isNotice(event: RunEvent): event is Notice {
  return NOTICES.has(event.kind);
}
