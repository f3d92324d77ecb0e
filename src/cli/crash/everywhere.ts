import type { Advice } from "../../base/command-line.ts";
import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { didYouMean } from "../../base/text/text.ts";
import type { CrashReport, CrashTotals, TriedBoundary } from "../../report/crash/shape.ts";
import type { RunReport } from "../../report/shape.ts";
import { inParallel } from "../runs/run-queue.ts";
import type { Subject } from "./island.ts";
import { type Boundary, CrashTest, type TrialGround, type Undisturbed } from "./trial.ts";

const SHOWN_BOUNDARIES = 6;

/** Options of a crash test. */
export interface Testing {
  /** How many runs are killed in parallel. */
  readonly jobs: number;
  /** The only boundary to try. If left out, all of them. */
  readonly at: string | undefined;
  /** Returns the command that tries a boundary again. */
  readonly replay: (point: string) => string;
  /** The command that shows the result of the undisturbed run. */
  readonly look: Advice;
  /** Called after each boundary with the number of tried boundaries and the total. */
  readonly onTried: (tried: number, of: number) => void;
}

/** The folder of the undisturbed run. */
export const UNDISTURBED = "undisturbed";

/** Kills a playbook at every boundary of its run. A playbook that cannot be tested is a problem in the report. */
export async function crashEverywhere(subject: Subject, ground: TrialGround, testing: Testing): Promise<CrashReport> {
  const { file, name } = subject.playbook;
  const startedAt = performance.now();
  const reportOf = (parts: Pick<CrashReport, "problem" | "boundaries">, notTried = 0): CrashReport => ({
    playbook: { file, name },
    ...parts,
    totals: totalsOf(parts.boundaries, notTried),
    durationMs: Math.round(performance.now() - startedAt),
  });
  const test = new CrashTest(subject, ground);
  try {
    const undisturbed = await undisturbedTwice(test, file, testing.look);
    if (!subject.playbook.readOnly && !undisturbed.report.steps.some(({ attempts }) => attempts.length > 0)) throw noWrite(file);
    const chosen = chosenOf(undisturbed.boundaries, testing.at);
    const tried = await tryAll(test, { undisturbed, chosen, stopping: ground.shell.stopping() }, testing);
    return reportOf({ problem: null, boundaries: tried }, chosen.length - tried.length);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, why = null, next = null } = error;
    return reportOf({ problem: { code, message, why, next }, boundaries: [] });
  }
}

interface Trials {
  readonly undisturbed: Undisturbed;
  readonly chosen: readonly Boundary[];
  /** Once aborted, no further boundary is tried, and a trial that was under way does not count. */
  readonly stopping: AbortSignal;
}

async function tryAll(
  test: CrashTest,
  { undisturbed, chosen, stopping }: Trials,
  { jobs, replay, onTried }: Testing,
): Promise<readonly TriedBoundary[]> {
  let count = 0;
  const numbered = chosen.map((boundary, at) => ({ boundary, name: String(at + 1) }));
  const tried = await inParallel(numbered, jobs, async ({ boundary, name }) => {
    if (stopping.aborted) return [];
    const one = await test.crashAt(boundary, name, undisturbed);
    if (stopping.aborted) return [];
    onTried(++count, chosen.length);
    return [{ ...one, replay: replay(boundary.point) }];
  });
  return tried.flat();
}

// Runs the playbook twice. If it does something else each time, a crash test cannot see what a crash changes.
async function undisturbedTwice(test: CrashTest, file: string, look: Advice): Promise<Undisturbed> {
  const undisturbed = await test.undisturbed(UNDISTURBED);
  if (undisturbed.outcome !== "passed") {
    throw new Failure({
      code: "test.not-passed",
      message: `${file} does not pass on a new sandbox, even undisturbed: ${reasonIn(undisturbed.report)}`,
      why: "the test compares each crashed run with a run that passes",
      next: look,
      exit: EXIT.cannotStart,
    });
  }
  const again = await test.undisturbed("undisturbed-again");
  const [difference] = test.differences(undisturbed.ledger, again.ledger);
  if (difference === undefined) return undisturbed;
  throw new Failure({
    code: "test.not-repeatable",
    message: `${file} does not do the same twice on new sandboxes: ${difference}`,
    why: "the test could not distinguish this from the effect of a crash",
    next: "make it independent of the time, and of the order of steps that run side by side",
  });
}

function noWrite(file: string): Failure {
  return new Failure({
    code: "test.no-write",
    message: `${file} sends no write on a new sandbox, so there is nothing that a crash could lose or repeat`,
    why: "a test without writes proves nothing about the writes that it may send elsewhere",
    next: "choose inputs and a sandbox (--seed) with which it writes; if it must not write, add mode: read-only",
    exit: EXIT.cannotStart,
  });
}

function reasonIn({ run, steps }: RunReport): string {
  const stopped = steps.find(({ problem }) => problem !== null);
  const problem = run.problem ?? stopped?.problem;
  return `${run.outcome}${stopped === undefined ? "" : ` at ${stopped.step}`}${problem === undefined || problem === null ? "" : `: ${problem.message}`}`;
}

function chosenOf(boundaries: readonly Boundary[], at: string | undefined): readonly Boundary[] {
  const chosen = boundaries.filter(({ point }) => at === undefined || point === at);
  if (at === undefined || chosen.length > 0) return chosen;
  const points = boundaries.map(({ point }) => point);
  throw new Failure({
    code: "test.no-such-boundary",
    message: `the run passes no boundary "${at}"`,
    why: `it passes ${points.length}: ${points.slice(0, SHOWN_BOUNDARIES).join(", ")}${points.length > SHOWN_BOUNDARIES ? ", …" : ""}`,
    next: `--at '${didYouMean(at, points) ?? points[0] ?? ""}'`,
  });
}

function totalsOf(tried: readonly TriedBoundary[], notTried: number): CrashTotals {
  const numberOf = (verdict: TriedBoundary["verdict"]): number => tried.filter((each) => each.verdict === verdict).length;
  return {
    tried: tried.length,
    same: numberOf("same"),
    unknown: numberOf("unknown"),
    answerLost: numberOf("answer-lost"),
    different: numberOf("different"),
    missed: tried.filter(({ missed }) => missed).length,
    setTwice: tried.filter(({ setTwice }) => setTwice > 0).length,
    notTried,
  };
}
