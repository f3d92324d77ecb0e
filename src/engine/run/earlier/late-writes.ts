import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { jsonEquals } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import type { Clock } from "../../../base/ports.ts";
import { count } from "../../../base/text/text.ts";
import { isoTime } from "../../../base/time/date.ts";
import { surelyPassed } from "../../../base/uptime.ts";
import { headingOf, mayBeAtSame, type Target } from "../../../environment/target.ts";
import type { RunSummary } from "../../../journal/run-summary.ts";
import type { JournalStore } from "../../../journal/store.ts";
import type { AttemptState } from "../../../protocol/attempt-state.ts";
import { lateAttempts } from "../../../protocol/attempts.ts";
import { type RunState, stateOf } from "../../../protocol/state.ts";
import { canUndoLate } from "../../../services/meaning.ts";
import { mayLeaveWithinMs } from "../run-context.ts";
import { foreseenWrites, type ForeseenRun, mayTouchSame, touchedBy, type TouchingWrite } from "./foreseen-writes.ts";

/** A request of an earlier run that may still arrive, and could then undo a write of the new run. */
export interface LateWrite {
  /** The earlier run. */
  readonly run: Pick<RunSummary, "id" | "playbook">;
  /** The request. It had no answer, and was sent again, because no later step of its run could collide with it. */
  readonly attempt: AttemptState;
  /** Until when it may arrive, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** Whether the environment declares that time, as `settleWithin`. */
  readonly isDeclared: boolean;
  /** The step of the new run that it may undo. */
  readonly undoes: string;
}

/**
 * Returns the requests of other runs that may still arrive and undo what a run does: all of its writes, or those that a resumed run has not
 * completed. They may arrive as long as the environment declares (`settleWithin`), or else for an hour. See decision 225.
 */
export function lateBefore(
  store: JournalStore,
  starting: ForeseenRun,
  { clock, resumed }: { readonly clock: Clock; readonly resumed?: RunState },
): readonly LateWrite[] {
  const { target } = starting;
  const runs = store.runs.mayArriveAfter(clock.now()).filter(({ id }) => id !== resumed?.opened?.runId);
  if (runs.length === 0) return [];
  const would = foreseenWrites(starting).filter(({ step }) => resumed?.steps.get(step)?.completed === undefined);
  if (would.length === 0) return [];
  return runs.flatMap((run): readonly LateWrite[] => {
    const { opened, steps } = stateOf(store.read(run.id));
    if (opened === undefined) return [];
    return [...steps.values()].flatMap(({ attempts }) =>
      lateAttempts(attempts).flatMap((attempt): readonly LateWrite[] => {
        const late = touchedBy(attempt, target);
        if (late === undefined || !mayBeAtSame(late.operation.service, opened.target, headingOf(target))) return [];
        const leftMs = arrivesWithin(attempt, target) - goneFor(attempt, { clock, target });
        const undone = leftMs > 0 ? would.find((write) => mayUndo(late, write, target)) : undefined;
        if (undone === undefined) return [];
        const isDeclared = target.settleWithinMs !== undefined;
        return [{ run, attempt, until: clock.now() + leftMs, isDeclared, undoes: undone.step }];
      }),
    );
  });
}

function arrivesWithin({ mayStillBeSent }: AttemptState, { settleWithinMs }: Target): number {
  return mayStillBeSent ? LIMITS.lateWriteMs : (settleWithinMs ?? LIMITS.lateWriteMs);
}

// Counts like `RunContext.goneFor`, but for a process that has ended.
function goneFor({ intended, intendedAt, answered }: AttemptState, { clock, target }: { clock: Clock; target: Target }): number {
  const [at, latestMs] = answered === undefined ? [intendedAt, mayLeaveWithinMs(target)] : [answered.at, 0];
  return Math.min(clock.now() - at, surelyPassed(intended.uptime, clock.uptime()) ?? Infinity) - latestMs;
}

// A late request that sets the same value undoes nothing.
function mayUndo(late: TouchingWrite, write: TouchingWrite, { profile }: Target): boolean {
  const [own, theirs] = [late.operation, write.operation];
  if (!own.writes || !theirs.writes || own.service !== theirs.service || !mayTouchSame(late, write)) return false;
  if (own === theirs && write.input !== undefined && jsonEquals(late.input ?? null, write.input)) return false;
  return canUndoLate({ meaning: own.meaning, input: late.input }, { meaning: theirs.meaning, input: write.input }, profile);
}

/** Returns the Failure of a run that must not begin, or be resumed, while a request of another run may still undo what it does. */
export function lateWriteSent(found: readonly [LateWrite, ...LateWrite[]], act: "run" | "resume"): Failure {
  const shown = found.slice(0, LIMITS.openWritesShown).map(sentenceOf);
  const more = found.length > shown.length ? [`and ${count(found.length - shown.length, "more request")}`] : [];
  const [first] = found;
  return new Failure({
    code: "run.late-write",
    message: [...shown, ...more].join("\n"),
    why: "that request had no answer, and was sent again, because that did no harm by itself; if it arrives now, it undoes what this run does; nothing was sent",
    next: [
      `${act} it after ${isoTime(Math.max(...found.map(({ until }) => until)))}`,
      ...(first.isDeclared ? [] : ["or declare in tokenbook.yaml how long a request can be under way, as `settleWithin`"]),
      ...(act === "run" ? ["or run it now, with your reason kept in the journal, by adding: --anyway --because TEXT"] : []),
    ],
    exit: EXIT.locked,
  });
}

function sentenceOf({ run, attempt: { intended, intendedAt }, undoes }: LateWrite): string {
  const { step, operation } = intended;
  return `a request of the run ${run.id} of ${run.playbook} may still arrive: "${step}" (${operation}, attempted at ${isoTime(intendedAt)}), and could undo what "${undoes}" of this playbook does`;
}
