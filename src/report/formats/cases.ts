import { comparisonLines } from "../comparison.ts";
import { heldLines } from "../held.ts";
import { problemLines } from "../problem.ts";
import { oneLine } from "./foreign-text.ts";
import { NOT_STARTED, type NotBegun, type ReportedOutcome, type RowOutcome, type RunReport, type StepReport } from "../shape.ts";
import { placeLines } from "../steps/step-lines.ts";
import { isNamedBy, NO_END, RUN_WORDS } from "../words.ts";

/** The entry of a test report for a step, or for a run that ended badly although no step did. */
export interface Case {
  /** Left out for the run itself. */
  readonly step: StepReport | undefined;
  /** The name as in the playbook. It must be made harmless before it is written. */
  readonly name: string;
  /** How a test report counts it. */
  readonly verdict: CaseVerdict;
  /** A dotted code that never changes, or the outcome. */
  readonly type: string;
  /** Why it is not green, on one line; empty if it is. */
  readonly message: string;
  /** Everything that a person must know about it. */
  readonly lines: readonly string[];
  /** What a check of severity `warn` found, regardless of the verdict. */
  readonly warning: readonly string[];
  /** What a comparison of two sides found, regardless of the verdict. */
  readonly comparison: readonly string[];
  /** The conditions that held, with their values. */
  readonly held: readonly string[];
}

/**
 * Only what happened as expected is green. `error` is a write with unknown outcome, or one that is contradicted. `waiting` is a step that the run has started
 * and did not finish.
 */
export type CaseVerdict = "passed" | "failed" | "error" | "skipped" | "rescued" | "waiting";

/** How each format writes a verdict. */
interface CountedAs {
  readonly junit: "passed" | "failure" | "error" | "skipped";
  readonly ctrf: "passed" | "failed" | "skipped" | "other";
  readonly tap: "ok" | "ok # SKIP" | "not ok";
  readonly github: "error" | "warning" | "none";
  readonly md: "attention" | "none";
}

/** A CI job that believes one of these formats must pass only if the exit code is 0. So a waiting step is neither a success nor a TODO. */
export const COUNTED_AS: Readonly<Record<CaseVerdict, CountedAs>> = {
  passed: { junit: "passed", ctrf: "passed", tap: "ok", github: "none", md: "none" },
  failed: { junit: "failure", ctrf: "failed", tap: "not ok", github: "error", md: "attention" },
  error: { junit: "error", ctrf: "failed", tap: "not ok", github: "error", md: "attention" },
  waiting: { junit: "error", ctrf: "failed", tap: "not ok", github: "warning", md: "attention" },
  rescued: { junit: "skipped", ctrf: "other", tap: "ok # SKIP", github: "none", md: "none" },
  skipped: { junit: "skipped", ctrf: "skipped", tap: "ok # SKIP", github: "none", md: "none" },
};

/** The verdict on a case, by the outcome of its step. */
export const VERDICTS: Readonly<Record<RowOutcome, CaseVerdict>> = {
  ok: "passed",
  changed: "passed",
  unchanged: "passed",
  rescued: "rescued",
  skipped: "skipped",
  failed: "failed",
  drift: "failed",
  pending: "waiting",
  unknown: "error",
  conflict: "error",
  "not-run": "skipped",
};

const NO_PROBLEM: Readonly<Record<RowOutcome, string>> = {
  ok: "",
  changed: "",
  unchanged: "",
  rescued: "failed, and was rescued",
  skipped: "its condition did not hold, or its list was empty",
  failed: "failed",
  pending: `pending: ${NO_END}`,
  unknown: "unknown: no answer of its write is recorded",
  conflict: "conflict: what can be seen contradicts the write",
  drift: "drift: two sides differ that must not",
  "not-run": "not run",
};

/** Returns a case for each row that a test report should list, and a case for the run itself if no row shows how it ended. */
export function casesOf({ run, steps }: RunReport): readonly Case[] {
  const cases = steps.filter(isCase).map(caseOf);
  return withOwnNames(showsOutcome(run.outcome, cases) ? cases : [...cases, runCase(run)]);
}

const NAME_CHARS = 290;

// Readers of test reports take two cases with one name for one. Names that are cut, or that differ in what is invisible, are written alike.
function withOwnNames(cases: readonly Case[]): readonly Case[] {
  const times = new Map<string, number>();
  return cases.map((each) => {
    const written = oneLine(each.name);
    const nth = (times.get(written) ?? 0) + 1;
    times.set(written, nth);
    return nth === 1 ? each : { ...each, name: `${oneLine(each.name, NAME_CHARS)} (${nth})` };
  });
}

// The steps in a block show the outcome of the block, unless the block itself failed.
function isCase({ kind, problem }: StepReport): boolean {
  return kind === "call" || kind === "check" || (problem !== null && problem.code !== "block.failed");
}

// Returns whether the cases of the steps alone show how the run ended.
function showsOutcome(outcome: ReportedOutcome, cases: readonly Case[]): boolean {
  if (outcome === "passed") return true;
  return cases.some(({ verdict, step }) => verdict === "failed" || verdict === "error" || step?.outcome === outcome);
}

function caseOf(step: StepReport): Case {
  const lines = step.problem === null ? [] : [...problemLines(step.problem), ...placeLines(step)];
  const message = lines[0] ?? NO_PROBLEM[step.outcome];
  return {
    step,
    name: isNamedBy(step.step, step.name) ? step.step : `${step.step}: ${step.name}`,
    verdict: VERDICTS[step.outcome],
    type: (step.problem ?? step.warning)?.code ?? step.outcome,
    message: step.outcome === "rescued" && lines.length > 0 ? `rescued: ${message}` : message,
    lines,
    warning: step.warning === null ? [] : [...problemLines(step.warning), ...placeLines(step)],
    comparison: step.comparison === null ? [] : comparisonLines(step.comparison),
    held: heldLines(step.held, true),
  };
}

/** Returns a warning under its heading, for formats that print all texts of a case together. */
export function warningLines(warning: Case["warning"]): readonly string[] {
  return warning.length === 0 ? [] : ["warning:", ...warning];
}

function runCase({ outcome, problem }: RunReport["run"]): Case {
  return caseOfWhole(problem?.code ?? outcome, problem === null ? [RUN_WORDS[outcome].word] : problemLines(problem));
}

/** Returns the only case of a playbook whose run did not begin. */
export function notBegunCase({ problem }: NotBegun): Case {
  const row = caseOfWhole(problem.code, problemLines(problem));
  return problem.code === NOT_STARTED ? { ...row, verdict: "skipped" } : row;
}

function caseOfWhole(type: string, lines: readonly string[]): Case {
  return {
    step: undefined,
    name: "the run itself",
    verdict: "failed",
    type,
    message: lines[0] ?? type,
    lines,
    warning: [],
    comparison: [],
    held: [],
  };
}
