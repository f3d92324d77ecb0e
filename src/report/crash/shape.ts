import type { ProblemReport } from "../shape.ts";

/** The result of a crash test, as `test --crash-everywhere --json` prints it. `schemas/crash.schema.json` describes it. Fields are added, never renamed. */
export interface CrashDocument {
  readonly format: 1;
  /** Whether no violation was found, and every playbook could be tested. */
  readonly ok: boolean;
  /** One report for each playbook. */
  readonly playbooks: readonly CrashReport[];
}

/** One playbook that was killed at each of its boundaries. */
export interface CrashReport {
  /** Its file and its title. */
  readonly playbook: { readonly file: string; readonly name: string };
  /** Why it could not be tested; null if it was. */
  readonly problem: ProblemReport | null;
  /** The boundaries that were tried; empty if the playbook could not be tested. */
  readonly boundaries: readonly TriedBoundary[];
  /** The number of boundaries by verdict. */
  readonly totals: CrashTotals;
  /** How long the whole test took, in milliseconds. */
  readonly durationMs: number;
}

/** The number of boundaries: by verdict, and in total. */
export interface CrashTotals extends Readonly<Record<"same" | "unknown" | "answerLost" | "different", number>> {
  /** Boundaries that were tried, whatever the verdict. */
  readonly tried: number;
  /** Those tried whose run ended without passing the boundary again. */
  readonly missed: number;
  /** Boundaries after which a value was set twice. */
  readonly setTwice: number;
  /** Boundaries that were not tried because the command was interrupted. */
  readonly notTried: number;
}

/**
 * `same`: the resumed run passed, and the ledger is the same as after the undisturbed run. `unknown`: the run reports that the outcome of a write is unknown.
 * `answer-lost`: the run found by reading that a write took effect, but failed, because the playbook needs a value from the lost answer. `different`: anything
 * else, which breaks the guarantee.
 */
type CrashVerdict = "same" | "unknown" | "answer-lost" | "different";

/** A boundary of a run, and the result of a kill there. */
export interface TriedBoundary {
  /** Its name: `after:attempt.intended@mint`. */
  readonly point: string;
  /** The address of the step; null for a boundary of the run itself. */
  readonly step: string | null;
  /** The result of the kill there. */
  readonly verdict: CrashVerdict;
  /** Whether the run ended without passing the boundary again. */
  readonly missed: boolean;
  /** How many writes set the same value twice, because the run did not know about the first. This changes nothing. */
  readonly setTwice: number;
  /** For `unknown`: the writes with unknown outcome. */
  readonly writes: readonly UnknownWrite[];
  /** For `different`: the differences. For `answer-lost`: what the run reports. */
  readonly differences: readonly string[];
  /** The command that tries this boundary again. */
  readonly replay: string;
}

/** A write whose outcome the run does not know. */
export interface UnknownWrite {
  /** The address of the step. */
  readonly step: string;
  /** The name of the operation: `ledger.token.mint`. */
  readonly operation: string;
  /** Whether it took effect, as the sandbox knows and the run does not. */
  readonly tookEffect: boolean;
}
