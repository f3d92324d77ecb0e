import { isEmbedded, type TargetHeading } from "../protocol/heading.ts";
import type { ReportedOutcome, RowOutcome, StepReport, Totals } from "./shape.ts";
import type { FiringState } from "./schedule/shape.ts";

interface Word {
  readonly mark: string;
  readonly word: string;
}

interface StepWord extends Word {
  /** The run could continue from it. */
  readonly isDone: boolean;
}

/** How the outcomes of steps are written for people. Only what ended as expected has a tick. */
export const STEP_WORDS: Readonly<Record<RowOutcome, StepWord>> = {
  ok: { mark: "✓", word: "ok", isDone: true },
  changed: { mark: "✓", word: "changed", isDone: true },
  unchanged: { mark: "=", word: "unchanged", isDone: true },
  rescued: { mark: "!", word: "rescued", isDone: true },
  skipped: { mark: "–", word: "skipped", isDone: true },
  failed: { mark: "✗", word: "failed", isDone: false },
  pending: { mark: "…", word: "pending", isDone: false },
  unknown: { mark: "?", word: "unknown", isDone: false },
  conflict: { mark: "‼", word: "conflict", isDone: false },
  drift: { mark: "≠", word: "drift", isDone: false },
  "not-run": { mark: "·", word: "not run", isDone: false },
};

/** How the environment of a run is named for people: the embedded sandbox is never to be taken for a service. */
export function environmentWords(target: TargetHeading): string {
  return isEmbedded(target) ? `${target.environment} (embedded sandbox, no real service)` : target.environment;
}

const WARNED: Word = { mark: "!", word: "warned" };

/** How a step is written for people: one with a warning is not marked as a success. */
export function wordOf({ outcome, warning }: Pick<StepReport, "outcome" | "warning">): Word {
  return warning === null ? STEP_WORDS[outcome] : WARNED;
}

/** Returns who acted in a step: the actor's name and, where the name is not the same, the entity or the credential; empty when nobody is named. */
export function actedAs({ actor, as }: Pick<StepReport, "actor" | "as">): string {
  if (actor === null) return as ?? "";
  return as === null || as === actor ? actor : `${actor} (${as})`;
}

/** Of a step without a recorded end: its run continues, has ended, or its process died, which the step alone does not show. */
export const NO_END = "no end of this step is recorded";

/** How the outcomes of runs are written for people. */
export const RUN_WORDS: Readonly<Record<ReportedOutcome, Word>> = {
  passed: { mark: "✓", word: "passed" },
  failed: { mark: "✗", word: "failed" },
  pending: { mark: "…", word: "pending" },
  unknown: { mark: "?", word: "unknown" },
  conflict: { mark: "‼", word: "conflict" },
  drift: { mark: "≠", word: "drift" },
  interrupted: { mark: "!", word: "interrupted" },
  running: { mark: "!", word: "not finished" },
};

/** Of a playbook whose run did not begin. */
export const NOT_BEGUN: Word = { mark: "✗", word: "not begun" };

/** How the outcomes of firings are written for people. */
export const FIRING_WORDS: Readonly<Record<FiringState, Word>> = {
  ...RUN_WORDS,
  running: { mark: "…", word: "running" },
  queued: { mark: "…", word: "queued" },
  cancelled: { mark: "!", word: "cancelled" },
  died: { mark: "✗", word: "died" },
  skipped: { mark: "–", word: "skipped" },
  missed: { mark: "!", word: "missed" },
  replaced: { mark: "–", word: "replaced" },
  blocked: { mark: "!", word: "kept back" },
};

/** Whether a step's id says its name already: of a block without a name, and of a check with one. */
export function isNamedBy(id: string, name: string): boolean {
  return name === id || id.endsWith(`checks.${name}`) || id.endsWith(`reconcile.${name}`);
}

const COUNTED: readonly (readonly [keyof Totals, RowOutcome])[] = [
  ["changed", "changed"],
  ["unchanged", "unchanged"],
  ["ok", "ok"],
  ["skipped", "skipped"],
  ["rescued", "rescued"],
  ["failed", "failed"],
  ["pending", "pending"],
  ["unknown", "unknown"],
  ["conflict", "conflict"],
  ["drift", "drift"],
  ["notRun", "not-run"],
];

/** How many steps ended how, but for what none did. */
export function countsIn(totals: Totals): readonly (readonly [RowOutcome, number])[] {
  return COUNTED.flatMap(([field, outcome]) => (totals[field] === 0 ? [] : [[outcome, totals[field]] as const]));
}
