import type { ProblemReport } from "../shape.ts";

/** `problem`: must be fixed. `warning`: somebody should look at it. */
export type Grade = "ok" | "warning" | "problem";

/** What is looked at. */
export const AREAS = ["program", "terminal", "project", "keys", "state", "service", "profile"] as const;
/** One of the areas that are looked at. */
export type Area = (typeof AREAS)[number];

/** One thing that was looked at. */
export interface DoctorFinding extends ProblemReport {
  /** What was looked at. */
  readonly area: Area;
  /** How it was found. */
  readonly grade: Grade;
}

/** What `doctor --json` prints. Fields may be added; none is renamed. */
export interface DoctorDocument {
  readonly format: 1;
  /** Whether nothing must be fixed. */
  readonly ok: boolean;
  /** The environment that was looked at; null when there is none to be had. */
  readonly environment: string | null;
  /** Everything that was looked at, also what is well. */
  readonly findings: readonly DoctorFinding[];
}
