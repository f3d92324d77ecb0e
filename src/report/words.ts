import { isEmbedded, type TargetHeading } from "../protocol/heading.ts";
import { TOTAL_OF, type ReportedOutcome, type RowOutcome, type StepReport, type Totals } from "./shape.ts";
import type { FiringState } from "./schedule/shape.ts";

/** How an outcome is written for people. */
export interface OutcomeWord {
  /** One character. */
  readonly mark: string;
  /** The outcome in a few words. */
  readonly word: string;
}

/** Returns the mark and the word: `✓ passed`. */
export function markedWord({ mark, word }: OutcomeWord): string {
  return `${mark} ${word}`;
}

interface StepWord extends OutcomeWord {
  /** Whether the run could continue after it. */
  readonly isDone: boolean;
}

/** How the outcomes of steps are written for people, in the order in which they are counted. Only outcomes as expected have a tick. */
export const STEP_WORDS: Readonly<Record<RowOutcome, StepWord>> = {
  changed: { mark: "✓", word: "changed", isDone: true },
  unchanged: { mark: "=", word: "unchanged", isDone: true },
  ok: { mark: "✓", word: "ok", isDone: true },
  skipped: { mark: "–", word: "skipped", isDone: true },
  rescued: { mark: "!", word: "rescued", isDone: true },
  failed: { mark: "✗", word: "failed", isDone: false },
  pending: { mark: "…", word: "pending", isDone: false },
  unknown: { mark: "?", word: "unknown", isDone: false },
  conflict: { mark: "‼", word: "conflict", isDone: false },
  drift: { mark: "≠", word: "drift", isDone: false },
  "not-run": { mark: "·", word: "not run", isDone: false },
};

/** Returns the name of a run's environment for people. The embedded sandbox must never be mistaken for a service. */
export function environmentWords(target: TargetHeading): string {
  return isEmbedded(target) ? `${target.environment} (embedded sandbox, no real service)` : target.environment;
}

const WARNED: OutcomeWord = { mark: "!", word: "warned" };

/** Returns how a step is written for people. A step with a warning is not marked as a success. */
export function wordOf({ outcome, warning }: Pick<StepReport, "outcome" | "warning">): OutcomeWord {
  return warning === null ? STEP_WORDS[outcome] : WARNED;
}

/** Returns whether a step must be shown to somebody who looks for what is wrong: it has a warning, or it began and did not end as expected. */
export function isConcern({ outcome, warning }: Pick<StepReport, "outcome" | "warning">): boolean {
  return warning !== null || (outcome !== "not-run" && !STEP_WORDS[outcome].isDone);
}

/** Returns who acted in a step: the actor's name, and the entity or credential if that is different; empty if nobody is named. */
export function actedAs({ actor, as }: Pick<StepReport, "actor" | "as">): string {
  if (actor === null) return as ?? "";
  return as === null || as === actor ? actor : `${actor} (${as})`;
}

/** For a step without a recorded end. Its run continues, or has ended, or its process died; the step alone does not show which. */
export const NO_END = "no end of this step is recorded";

/** How the outcomes of runs are written for people. */
export const RUN_WORDS: Readonly<Record<ReportedOutcome, OutcomeWord>> = {
  passed: { mark: "✓", word: "passed" },
  failed: { mark: "✗", word: "failed" },
  pending: { mark: "…", word: "pending" },
  unknown: { mark: "?", word: "unknown" },
  conflict: { mark: "‼", word: "conflict" },
  drift: { mark: "≠", word: "drift" },
  interrupted: { mark: "!", word: "interrupted" },
  running: { mark: "!", word: "not finished" },
};

/** For a playbook whose run did not begin. */
export const NOT_BEGUN: OutcomeWord = { mark: "✗", word: "not begun" };

/** How the outcomes of firings are written for people. */
export const FIRING_WORDS: Readonly<Record<FiringState, OutcomeWord>> = {
  ...RUN_WORDS,
  running: { mark: "…", word: "running" },
  queued: { mark: "…", word: "queued" },
  cancelled: { mark: "!", word: "cancelled" },
  died: { mark: "✗", word: "died" },
  skipped: { mark: "–", word: "skipped" },
  missed: { mark: "!", word: "missed" },
  replaced: { mark: "–", word: "replaced" },
  blocked: { mark: "!", word: "blocked" },
};

/** Returns whether a step's id already contains its name, as for a block without a name or a check with one. */
export function isNamedBy(id: string, name: string): boolean {
  return name === id || id.endsWith(`checks.${name}`) || id.endsWith(`reconcile.${name}`);
}

/** Returns the number of steps for each outcome that occurred. */
export function countsIn(totals: Totals): readonly (readonly [RowOutcome, number])[] {
  const counts = (Object.keys(STEP_WORDS) as RowOutcome[]).map((outcome) => [outcome, totals[TOTAL_OF[outcome]]] as const);
  return counts.filter(([, number]) => number > 0);
}
