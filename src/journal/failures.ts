import { type AdviceLines, command, type CommandLine } from "../base/command-line.ts";
import { EXIT } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { didYouMean } from "../base/text/text.ts";
import { isoTime } from "../base/time/date.ts";
import { spellHolder } from "./holder.ts";
import type { Lease } from "./leases.ts";

/** The code of the failure for a key that another run has. */
export const KEY_TAKEN = "run.key-taken";

/** Returns the failure for a key that another run has. */
export function keyTaken(runId: string): Failure {
  return new Failure({
    code: KEY_TAKEN,
    message: `the run ${runId} has this key already`,
    why: "a key names one run; nothing was sent",
    next: command`runs show ${runId}`,
    exit: EXIT.locked,
  });
}

/** Returns the failure for a journal whose tables contradict the records of its runs. */
export function contradicted(message: string): Failure {
  return new Failure({
    code: "journal.broken",
    message,
    why: "this decides which runs may begin, and what proves a write, and tokenbook never writes it so",
    next: "restore the state from a backup, and find out who changed it",
  });
}

/** Returns the failure for a journal that must be empty, but holds runs. */
export function notEmpty(path: string): Failure {
  return new Failure({
    code: "state.not-empty",
    message: `${path} holds runs already`,
    why: "the runs of two states cannot be merged",
    next: "name an empty folder, or another schema in tokenbook.yaml",
  });
}

/** Returns the failure for a state directory without runs. */
export function noRunYet(): Failure {
  return new Failure({
    code: "journal.no-such-run",
    message: "there is no run in this state directory yet",
    next: command`run PLAYBOOK`,
  });
}

/** Returns the failure for `latest` if the clock was set back after the run that would be the latest. */
export function latestUnsure({ id, openedAt }: { readonly id: string; readonly openedAt: number }): Failure {
  return new Failure({
    code: "journal.latest-unsure",
    message: `the run ${id} began at ${isoTime(openedAt)}, which is in the future`,
    why: "the clock was set back since, so another run may be the latest",
    next: ["name the run by its id:", command`runs`],
  });
}

/** Returns the failure for a text that is part of several ids. */
export function severalRuns(name: string, ids: readonly string[]): Failure {
  const listed = ids.slice(0, LIMITS.runsNamed);
  const more = ids.length > listed.length ? ["and more"] : [];
  return new Failure({
    code: "journal.several-runs",
    message: [`"${name}" is a part of the ids of several runs:`, ...listed, ...more].join("\n"),
    next: ["type more of the id; to see all of them:", command`runs`],
  });
}

/** Returns the failure for a name that no run has. */
export function noSuchRun(runId: string, ids: readonly string[]): Failure {
  // Names of one day are similar, so only a few edits may separate them.
  const near = didYouMean(runId, ids, 2);
  return new Failure({
    code: "journal.no-such-run",
    message: `there is no run "${runId}" in this state directory`,
    next: near === undefined ? command`runs` : [`did you mean ${near}? To see all of them:`, command`runs`],
  });
}

const RUN_HELD = "journal.held";

/** Whether an error is the failure for a held run. */
export function isHeld(error: unknown): boolean {
  return error instanceof Failure && error.code === RUN_HELD;
}

/** Returns the failure for a held run. */
export function runHeld(lease: Lease): Failure {
  const { runId, holder } = lease;
  return new Failure({
    code: RUN_HELD,
    message: `the run ${runId} is held by ${holder === undefined ? "nobody" : spellHolder(holder)}`,
    why: "two processes acting for one run could send a write twice",
    next: ["wait for that process to end, or stop it; then try this run again", ...releaseHint(lease)],
    exit: EXIT.locked,
  });
}

/** Returns what to do about a holder if we cannot tell whether it is alive; nothing for a living one. */
export function releaseHint({ runId, holder, life }: Lease): AdviceLines {
  if (holder === undefined || life !== "unknown") return [];
  return [`if it is gone for good (look on ${holder.host}):`, command`runs release ${runId} --because TEXT`];
}

/** Returns the commands by which a person records the outcome of a write: one for each outcome, without a reason. */
export function resolvingCommands(
  run: string,
  step: string,
  outcomes: readonly ("applied" | "absent")[] = ["applied", "absent"],
): readonly CommandLine[] {
  return outcomes.map((outcome) => command`resolve ${run} --step ${step} --as ${outcome} --because TEXT`);
}
