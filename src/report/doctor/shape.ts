import type { ProblemReport } from "../shape.ts";

/** `problem` must be fixed. `warning` should be looked at. */
export type Grade = "ok" | "warning" | "problem";

/** The areas that `doctor` checks. */
export const AREAS = ["program", "terminal", "project", "keys", "state", "service", "profile"] as const;
/** One of the areas that `doctor` checks. */
export type Area = (typeof AREAS)[number];

/** One finding of `doctor`. */
export interface DoctorFinding extends ProblemReport {
  /** The area of the finding. */
  readonly area: Area;
  /** How serious the finding is. */
  readonly grade: Grade;
}

/** The output of `doctor --json`. Fields may be added; none is renamed. */
export interface DoctorDocument {
  readonly format: 1;
  /** Whether nothing must be fixed. */
  readonly ok: boolean;
  /** The environment that was checked; null if there is none. */
  readonly environment: string | null;
  /** All findings, including what is all right. */
  readonly findings: readonly DoctorFinding[];
}
