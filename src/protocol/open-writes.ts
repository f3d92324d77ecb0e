import { textOrJson } from "../base/json/json.ts";
import { field } from "../base/json/parts.ts";
import { LIMITS } from "../base/limits.ts";
import { decideAttempts, hasTakenEffect, mayHaveReceipt, mayStillArrive } from "./attempts.ts";
import { type AttemptState, hadNoEffect } from "./attempt-state.ts";
import type { PersonsWord, Verdict } from "./record.ts";
import type { RunState, StepState } from "./state.ts";

/** A write with unknown outcome. */
export interface OpenWrite {
  /** The address of its step. */
  readonly step: string;
  /** The number of its last attempt, from 1 on. */
  readonly attempt: number;
  /** The name of its operation, such as `ledger.token.mint`. */
  readonly operation: string;
  /** When that attempt was about to be sent, in milliseconds since the Unix epoch. */
  readonly sentAt: number;
}

/** A write with unknown outcome, and its last attempt. */
export interface OpenAttempt extends OpenWrite {
  readonly last: AttemptState;
  /** Why its step stopped, if it did. */
  readonly stopped: StepState["stopped"];
}

/** A write whose outcome a person has stated. */
export interface SaidWrite extends OpenWrite {
  readonly verdict: Verdict;
  /** Who stated it, and why. */
  readonly said: PersonsWord;
}

/** Returns the writes of a run with unknown outcome. */
export function openWrites(state: RunState): readonly OpenWrite[] {
  return openAttempts(state).map(({ step, attempt, operation, sentAt }) => ({ step, attempt, operation, sentAt }));
}

/** Returns the writes of a run with unknown outcome, each with its last attempt. */
function openAttempts(state: RunState): readonly OpenAttempt[] {
  return [...state.steps].flatMap(([step, { attempts, completed, stopped }]) => {
    const last = attempts.at(-1);
    if (completed !== undefined || last === undefined || !isOpen(attempts, state.epoch)) return [];
    const { intended, intendedAt } = last;
    return [{ step, attempt: intended.attempt, operation: intended.operation, sentAt: intendedAt, last, stopped }];
  });
}

/**
 * Returns until when other runs may find what this run has written, in milliseconds since the Unix epoch, by the service's time if it is
 * known. It is `undefined` while a write is open, and 0 without a write.
 */
export function writtenUntil(state: RunState): number | undefined {
  if (openAttempts(state).length > 0) return undefined;
  const attempts = [...state.steps.values()].flatMap((step) => step.attempts);
  const mayArrive = attempts.some((each) => !hadNoEffect(each) && !hasTakenEffect(each));
  return state.learntAt + (mayArrive ? LIMITS.mayArriveMs : 0);
}

/** Whether a run has changed something, or may have done so. */
export function mayHaveWritten(state: RunState): boolean {
  return stepsWritten(state).length > 0;
}

/** Returns the steps whose writes a new run would repeat, in words; an empty text for a run that has changed nothing. */
export function writtenWords(state: RunState): string {
  const steps = stepsWritten(state);
  const shown = steps.slice(0, LIMITS.writtenShown).join(", ");
  return steps.length > LIMITS.writtenShown ? `${shown} and ${steps.length - LIMITS.writtenShown} more` : shown;
}

// Returns the addresses of these steps.
function stepsWritten({ steps }: RunState): readonly string[] {
  return [...steps].flatMap(([step, { attempts }]) => (attempts.every(hadNoEffect) ? [] : [step]));
}

/**
 * Returns the open writes that a run has left behind. They include those of an earlier holder, and those that the present holder has given
 * up, but not those that it has in progress.
 */
export function leftWrites(state: RunState, isHeld: boolean): readonly OpenAttempt[] {
  const open = openAttempts(state);
  return isHeld ? open.filter(({ last, stopped }) => last.epoch < state.epoch || stopped !== undefined) : open;
}

/**
 * Returns a write whose outcome a person has stated, as long as nothing depends on the statement: its step is not complete, and nothing was sent
 * since.
 */
export function saidWrite({ steps }: RunState, step: string): SaidWrite | undefined {
  const { attempts, completed, stopped } = steps.get(step) ?? {};
  const last = attempts?.at(-1);
  if (last?.settled === undefined || completed !== undefined || stopped !== undefined) return undefined;
  const { intended, intendedAt: sentAt, settled } = last;
  const [who, because] = [field(settled.evidence, "who"), field(settled.evidence, "because")];
  if (who === undefined) return undefined;
  const said = { who: textOrJson(who), because: textOrJson(because ?? "") };
  return { step, attempt: intended.attempt, operation: intended.operation, sentAt, verdict: settled.verdict, said };
}

function isOpen(attempts: readonly AttemptState[], epoch: number): boolean {
  const last = attempts.at(-1);
  const decided = decideAttempts(attempts, { awaitsReceipt: last === undefined || mayHaveReceipt(last.intended), epoch });
  switch (decided.do) {
    case "probe":
    case "await-receipt":
      return true;
    case "send-again":
      return mayStillArrive(attempts);
    case "stop":
      return decided.outcome === "unknown";
    case "begin":
    case "complete":
    case "judge-refusal":
      return false;
  }
}
