/** `problem`: must be fixed. `warning`: somebody should look at it. */
export type Grade = "ok" | "warning" | "problem";

/** What is looked at. */
export const AREAS = ["program", "terminal", "project", "keys", "state", "service", "profile"] as const;
export type Area = (typeof AREAS)[number];

/** One thing that was looked at. */
export interface DoctorFinding {
  readonly area: Area;
  readonly grade: Grade;
  /** Stays the same from version to version; programs branch on it. */
  readonly code: string;
  readonly message: string;
  readonly why: string | null;
  /** The command or edit that fixes it. */
  readonly next: string | null;
}

/** What `doctor --json` prints. Fields may be added; none is renamed. */
export interface DoctorDocument {
  readonly format: 1;
  /** Whether nothing must be fixed. */
  readonly ok: boolean;
  /** The environment that was looked at; null when there is none to be had. */
  readonly environment: string | null;
  readonly findings: readonly DoctorFinding[];
}
