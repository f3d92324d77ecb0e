import type { Json, JsonObject } from "../base/json/json.ts";
import type { Uptime } from "../base/uptime.ts";
import type { Comparison } from "./comparison.ts";
import type { TargetHeading, Writing } from "./heading.ts";
import type { KeptFailure } from "../base/failure.ts";

/**
 * Everything that can happen in a run, as recorded in the journal. The state of a run and every report are folds over its records.
 * On-disk values are public: fields are added, never renamed. `step` is a step's address: its id, in a `foreach` its key too (`approvals[bob]`),
 * and before it the steps that include it.
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
  /** The claim under which it was written; a holder that lost its claim can write no more. */
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
};

/** A run has begun: what it does, with which inputs, and where. */
export interface RunOpened extends Writing {
  readonly kind: "run.opened";
  /** The format of the run's records. */
  readonly format: 1;
  /** The time and a random part: `20260131T120000-k3v9x2pq`. */
  readonly runId: string;
  /** Letters and digits that distinguish this run's ids from those of other runs. */
  readonly runKey: string;
  /** The inputs, with their defaults; secrets are masked. */
  readonly inputs: JsonObject;
  /** The variables, by the file of the playbook that declares them. */
  readonly env?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The environment, with the addresses that it had. */
  readonly target: TargetHeading;
  /** Where the paths of its files begin, from the folder of tokenbook.yaml. Left out by older runs, and where there is no such file. */
  readonly folder?: string;
  /** The name that the caller gave to the run with `--key`: no other run of the journal has it. */
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
  /** Somebody else approved the plan. */
  readonly approval?: Approval;
}

/** A person's word. */
export interface PersonsWord {
  /** The name of the person. */
  readonly who: string;
  /** Why, in the person's words. */
  readonly because: string;
}

/** The word of a person that a run may do what a plan says. */
export interface Approval extends PersonsWord {
  /** The SHA-256 digest of the plan, in hexadecimal. */
  readonly plan: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A person's word that a run may begin beside writes that other runs have left open. */
export interface Anyway extends PersonsWord {
  /** The runs that left them. */
  readonly runs: readonly string[];
}

/** A process has taken the run: from here on only it writes. */
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
  /** The attempts that it may still send: only their intents are recorded. Left out by older runs. */
  readonly unsent?: readonly { readonly step: string; readonly attempt: number }[];
}

/** The run continues with its edited playbook, which does not contradict anything that was done. */
export interface RunEdited extends Writing {
  readonly kind: "run.edited";
  /** Notes for people: steps that were done and have been removed. */
  readonly notes: readonly string[];
  /** A person consented to the writes of the edited playbook in a protected environment. */
  readonly confirmed?: Confirmation;
}

/** The process that holds a run. */
export interface Holder {
  /** The name of its machine. */
  readonly host: string;
  /** What the kernel calls this start of the machine: no process of an earlier one is alive. */
  readonly bootId: string;
  readonly pid: number;
  /** When the process started, so that a reused pid is not mistaken for it. */
  readonly startedAt: string;
  /** The file in the state directory that it locks as long as it is alive, and its inode. Left out by older runs. */
  readonly lock?: { readonly file: string; readonly inode: string };
  /** The name under which it shows on a database server that it is alive. */
  readonly beat?: string;
  /** The process namespace in which its pid counts; absent where the system has none. */
  readonly space?: string;
}

/** How long nothing could be done for a step since the record of it before. */
export interface Waited {
  /** The pauses before further attempts, between two reads, and until a receipt or an effect was there, in milliseconds. Left out: none, and by older runs. */
  readonly waitedMs?: number;
}

/** What a record about one step has. */
interface OfStep {
  /** The address of the step. */
  readonly step: string;
}

/** What a record about one attempt of a write has. */
interface OfAttempt extends OfStep {
  /** Its number among the attempts of the step, from 1 on. */
  readonly attempt: number;
}

/** A `foreach` has its list: these rounds, in this order, and no others. */
export interface StepExpanded extends OfStep {
  readonly kind: "step.expanded";
  /** Each with the key in its address, and its item of the list. */
  readonly rounds: readonly { readonly key: string; readonly item: Json }[];
}

/** A block, or an included playbook with these inputs, has begun. */
export interface StepBegun extends OfStep {
  readonly kind: "step.begun";
  /** The inputs of the included playbook, with their defaults. */
  readonly inputs?: JsonObject;
}

/** A block continues with its `rescue` or its `always`, or, when it only reads, once more from its first step. */
export interface BlockTurned extends Waited, OfStep {
  readonly kind: "block.turned";
  /** What the block does next. */
  readonly to: "rescue" | "always" | "again";
  /** The outcome of the block once its `always` has run. */
  readonly outcome?: "ok" | "rescued" | "failed";
  /** The step that failed, and why. */
  readonly failed?: string;
  /** The problem of that step. */
  readonly problem?: StepProblem;
  /** The steps that must run again: for `again` those of the block, for `always` those of it that ran at an earlier end of the block. */
  readonly forget?: readonly string[];
  /** For `always`: its steps that sent a write at an earlier end of the block, and do not run again. */
  readonly kept?: readonly string[];
}

/** What has the age of a write counted from it, also by a later process. */
interface Aged {
  /** For how long the machine had been running. Left out where that is not known or does not count, and by older runs. */
  readonly uptime?: Uptime;
}

/** What a record has from which the outcome of a write may follow. */
interface Learnt {
  /** The latest time that the service had given to the run, in milliseconds since the Unix epoch. Left out: none, and by older runs. */
  readonly serviceAt?: number;
}

/** A write is about to be sent. Durable before its first byte leaves. */
export interface AttemptIntended extends Waited, Aged, OfAttempt {
  readonly kind: "attempt.intended";
  /** Its name: `ledger.token.mint`. */
  readonly operation: string;
  /** Who acts, as reports show it: the name of an actor, an entity or a credential; null when none is named. */
  readonly actor: string | null;
  /** The acting entity (`userId:alice`), also that of the key, or the name of a credential; null: the key, whoever that is. Left out by older runs. */
  readonly as?: string | null;
  /** The completed input, with chosen ids and our mark. */
  readonly input: JsonObject;
  /** What is sent; by the digest, in hexadecimal, the run recognizes the same request. */
  readonly request: { readonly method: string; readonly path: string; readonly digest: string };
  /** It has several items, and the service may do some of them without the others: a refusal is not proof that nothing was done. */
  readonly separable?: true;
  /** The readings before the write, which a probe compares with later ones. Null: they could not be made. */
  readonly baseline?: JsonObject | null;
  /** When these readings were made. Left out when there are none. */
  readonly baselineAt?: BaselineAt;
  /** When the step began, before what it read first. Only of the first attempt; left out by older runs. */
  readonly startedAt?: number;
}

/** When the baseline was read. */
export interface BaselineAt {
  /** The service's own time; null when it did not give one. */
  readonly date: string | null;
  /** The run's last record before it. */
  readonly sequence: number;
  /** How long, at the least, the run had written nothing by then, in milliseconds: `readLag` says whether it shows all earlier writes. */
  readonly quietMs?: number;
  /** Whether it shows all earlier writes, by the `readLag` at that time. Only of older runs, which have no `quietMs`. */
  readonly recent?: true;
}

/**
 * What an answer means. `ambiguous`: the write may have taken effect, or still take effect later.
 * `refused-later`: not now (429, or 503 with Retry-After).
 */
export type AnswerMeaning = "not-sent" | "refused" | "refused-later" | "ambiguous" | "acknowledged";

/** A write has been answered, or its attempt has ended without an answer. */
export interface AttemptAnswered extends Aged, Learnt, OfAttempt {
  readonly kind: "attempt.answered";
  /** What the answer says about the write's effect. */
  readonly meaning: AnswerMeaning;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** What the service gave as the result; null without a readable answer. */
  readonly payload: Json;
  /** What the interface wraps around each result; null without one. */
  readonly envelope: JsonObject | null;
  /** The id by which the outcome can be asked for later; null without one. */
  readonly receiptId: string | null;
  /** Refused: the service's message. Otherwise why the answer means what it means. */
  readonly message: string | null;
  /** Refused: the name of the reason in the contract, if the message is one of those that it knows. */
  readonly condition: string | null;
  /** How long the service asked to wait, in milliseconds; null when it did not. */
  readonly retryAfterMs: number | null;
  /** From the first byte sent to the last one received, in milliseconds. */
  readonly durationMs: number;
}

/** A receipt has become final. */
export interface ReceiptRead extends Waited, Learnt, OfAttempt {
  readonly kind: "receipt.read";
  /** Whether the ledger has taken the write; otherwise it never will. */
  readonly committed: boolean;
  /** The receipt as the service gave it. */
  readonly receipt: JsonObject;
}

/**
 * The outcome of an attempt, decided by evidence other than its own answer. `absent`: it had no effect and never will. `superseded`: it may
 * still arrive, and then does no harm beside one more. `unchanged`: what it sets was set before and still is; it may still arrive, and
 * then sets the same.
 */
export interface AttemptSettled extends Waited, Learnt, OfAttempt {
  readonly kind: "attempt.settled";
  readonly verdict: Verdict;
  /** The readings that prove it, before and after. */
  readonly evidence: Json;
  /** The ledger's transaction, where reading named it. */
  readonly transactionId?: string;
  /** The record that proves this attempt, and can prove no other. */
  readonly spends?: string;
  /** Where several prove it, the others. */
  readonly alsoSpends?: readonly string[];
}

/** The outcome of an attempt, when its own answer did not show it. */
export type Verdict = "applied" | "absent" | "superseded" | "unchanged";

/**
 * `changed`: a write took effect. `ok`: a read, or a refusal that was expected. `unchanged`: the write's goal was already met, so it was
 * not sent, or its answer was lost and nothing is missing. `rescued`: a block failed, and its `rescue` did not.
 */
export type CompletedOutcome = "ok" | "changed" | "unchanged" | "skipped" | "rescued";
/**
 * `conflict`: the visible effect contradicts the write: it occurred twice, in part, or differently. `drift`: two sides that must agree
 * differ, and the difference is not acknowledged.
 */
export type StoppedOutcome = "failed" | "pending" | "unknown" | "conflict" | "drift";
/** How a step ended. */
export type StepOutcome = CompletedOutcome | StoppedOutcome;

/** A step is done, and is not done again. */
export interface StepCompleted extends Waited, OfStep {
  readonly kind: "step.completed";
  readonly outcome: CompletedOutcome;
  /** The value of `steps.ID` in later steps. */
  readonly value: JsonObject;
  /** In milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Reads: how many requests it took. */
  readonly requests: number;
  /** The caller of a read. For a write it is in the intent. */
  readonly actor?: string | null;
  /** Reads: the acting entity or the name of a credential, as of an attempt. */
  readonly as?: string | null;
  /** A check of severity `warn` did not hold. */
  readonly warning?: StepProblem;
  /** Its conditions: all of them held. Left out when it has none, and by older runs. */
  readonly held?: HeldConditions;
  /** Two sides were compared. */
  readonly comparison?: Comparison;
}

/** The conditions of a step that held: the first ones, as far as `LIMITS.heldConditions` and `LIMITS.heldChars` allow, and how many there are. */
export interface HeldConditions {
  /** How many held, shown or not. */
  readonly total: number;
  /** In the order in which they are written. */
  readonly shown: readonly HeldCondition[];
}

/** A condition that held, and the values that it was about. */
export interface HeldCondition {
  /** Where it is written: `that` is a check's. */
  readonly keyword: "expect" | "ensure" | "until" | "that";
  /** As it is written. */
  readonly expression: string;
  /** Its parts that have a value of their own. */
  readonly values: readonly HeldValue[];
}

/** A part of a condition with its value, or a description of a value that is too large to be kept. */
export type HeldValue = { readonly expression: string } & ({ readonly value: Json } | { readonly summary: string });

/** A step has stopped before its end. A new claim of the run tries it again. */
export interface StepStopped extends Waited, OfStep, Pick<StepCompleted, "startedAt" | "actor" | "as" | "comparison"> {
  readonly kind: "step.stopped";
  readonly outcome: StoppedOutcome;
  readonly problem: StepProblem;
  /** Reads: how many requests it took. */
  readonly requests?: number;
}

/** Why a step stopped, written for people. */
export interface StepProblem extends KeptFailure {
  /** The evidence: the values of a failed expectation, the answer. */
  readonly evidence?: Json;
}

/** How a run ended: as the worst of its steps did, or interrupted. */
export type RunOutcome = "passed" | "failed" | "pending" | "unknown" | "conflict" | "drift" | "interrupted";

/** A run has ended. When it is resumed, its records continue after this one. */
export interface RunClosed {
  readonly kind: "run.closed";
  readonly outcome: RunOutcome;
  /** It was stopped before its end, and its outcome is worse than that. Left out otherwise, and by older runs. */
  readonly interrupted?: true;
  /** The values of the playbook's `outputs`, by name. */
  readonly outputs: JsonObject;
  /** Why the run failed although no step did. */
  readonly problem?: StepProblem;
  /** How long steps had waited, in milliseconds, that were interrupted before their next record. Left out: none, and by older runs. */
  readonly waited?: Readonly<Record<string, number>>;
}

/** Progress for people, on which no state depends. Never journaled. */
export type Notice =
  | { readonly kind: "step.started"; readonly step: string; readonly at: number }
  | { readonly kind: "run.waiting"; readonly for: string; readonly untilMs: number; readonly at: number }
  | { readonly kind: "step.waiting"; readonly step: string; readonly for: string; readonly untilMs: number; readonly at: number }
  /** A list has more than one page: how many were read, and the rows on them. */
  | { readonly kind: "step.reading"; readonly step: string; readonly pages: number; readonly rows: number; readonly at: number };

/** An event that an observer of a run receives, in order. */
export type RunEvent = RunRecord | Notice;

const NOTICES: ReadonlySet<string> = new Set<Notice["kind"]>(["step.started", "run.waiting", "step.waiting", "step.reading"]);

/** Returns whether an event is progress alone. */
export function isNotice(event: RunEvent): event is Notice {
  return NOTICES.has(event.kind);
}
