import type { ReportedOutcome, RowOutcome } from "./shape.ts";

interface Word {
  readonly mark: string;
  readonly word: string;
}

/** How the outcomes of steps are written for people. Only what happened, and happened as it was to, has a tick. */
export const STEP_WORDS: Readonly<Record<RowOutcome, Word>> = {
  ok: { mark: "✓", word: "ok" },
  changed: { mark: "✓", word: "changed" },
  skipped: { mark: "–", word: "skipped" },
  failed: { mark: "✗", word: "failed" },
  pending: { mark: "…", word: "pending" },
  unknown: { mark: "?", word: "unknown" },
  "not-run": { mark: "·", word: "not run" },
};

/** How the outcomes of runs are written for people. */
export const RUN_WORDS: Readonly<Record<ReportedOutcome, Word>> = {
  passed: { mark: "✓", word: "passed" },
  failed: { mark: "✗", word: "failed" },
  pending: { mark: "…", word: "pending" },
  unknown: { mark: "?", word: "unknown" },
  interrupted: { mark: "!", word: "interrupted" },
  running: { mark: "!", word: "not finished" },
};
