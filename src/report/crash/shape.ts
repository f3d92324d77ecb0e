/** What a crash test found, as `test --crash-everywhere --json` prints it; `schemas/crash.schema.json` describes it. Fields are added, never renamed. */
export interface CrashDocument {
  readonly format: 1;
  /** No violation was found, and every playbook could be tested. */
  readonly ok: boolean;
  readonly playbooks: readonly CrashReport[];
}

/** One playbook, killed at each of its boundaries. */
export interface CrashReport {
  readonly playbook: { readonly file: string; readonly name: string };
  /** Why it could not be tested; null when it was. */
  readonly problem: CrashProblem | null;
  readonly boundaries: readonly TriedBoundary[];
  readonly totals: CrashTotals;
  readonly durationMs: number;
}

export interface CrashProblem {
  readonly code: string;
  readonly message: string;
  readonly why: string | null;
  readonly next: string | null;
}

/** Boundaries by what came of them. */
export interface CrashTotals {
  readonly tried: number;
  readonly same: number;
  readonly unknown: number;
  readonly answerLost: number;
  readonly different: number;
  /** Of those tried: the run came to its end without passing the boundary again. */
  readonly missed: number;
  /** Boundaries after which a value was set twice. */
  readonly setTwice: number;
  /** The command was interrupted before. */
  readonly notTried: number;
}

/**
 * `same`: the resumed run passed, and the ledger is as the undisturbed run left it. `unknown`: the run says that it does not know of a write
 * whether it took effect. `answer-lost`: the run found by reading that a write took effect, and failed, for the playbook wants of its answer what
 * reading does not give. `different`: anything else, which breaks the promise.
 */
export type CrashVerdict = "same" | "unknown" | "answer-lost" | "different";

/** A boundary of a run, and what came of a kill there. */
export interface TriedBoundary {
  /** Its name: `after:attempt.intended@mint`. */
  readonly point: string;
  /** The address of the step; null where it is the run's own. */
  readonly step: string | null;
  readonly verdict: CrashVerdict;
  readonly missed: boolean;
  /** Writes that set a value, and set it a second time, because nobody knew of the first: that changes nothing. */
  readonly setTwice: number;
  /** Unknown: the writes that it is unknown of. */
  readonly writes: readonly UnknownWrite[];
  /** Different: how. Answer lost: what the run says. */
  readonly differences: readonly string[];
  /** The command that does the same again. */
  readonly replay: string;
}

export interface UnknownWrite {
  readonly step: string;
  readonly operation: string;
  /** What the sandbox knows, and the run does not. */
  readonly tookEffect: boolean;
}
