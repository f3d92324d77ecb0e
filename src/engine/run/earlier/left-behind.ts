import type { Failure } from "../../../base/failure.ts";
import type { Clock } from "../../../base/ports.ts";
import type { JournalStore } from "../../../journal/store.ts";
import { lateBefore, type LateWrite, lateWriteSent } from "./late-writes.ts";
import { type HasLeftNothing, type LeftOpen, leftOpenBefore, openWriteLeft, type Starting } from "./writes-left-open.ts";

/** What earlier runs have left behind that prevents a run from beginning. */
export interface LeftBehind {
  /** Their writes with unknown outcome. */
  readonly open: readonly LeftOpen[];
  /** Their requests that may still arrive. */
  readonly late: readonly LateWrite[];
}

/** Returns what earlier runs have left behind that prevents a run from beginning. */
export function leftBehindBefore(
  store: JournalStore,
  starting: Starting,
  { clock, hasLeftNothing }: { readonly clock: Clock; readonly hasLeftNothing?: HasLeftNothing },
): LeftBehind {
  return { open: leftOpenBefore(store, starting, hasLeftNothing), late: lateBefore(store, starting, { clock }) };
}

/** Returns the ids of the runs that have left something behind. */
export function runsOf({ open, late }: LeftBehind): readonly string[] {
  return [...new Set([...open, ...late].map(({ run }) => run.id))];
}

/** Returns the Failure of a run that must not begin; `undefined` if a person has accepted all of the runs that have left something behind. */
export function refusalBeside({ open, late }: LeftBehind, accepted: readonly string[] = []): Failure | undefined {
  const isRefused = ({ run }: LeftOpen | LateWrite): boolean => !accepted.includes(run.id);
  const [left, ...moreLeft] = open.filter(isRefused);
  if (left !== undefined) return openWriteLeft([left, ...moreLeft]);
  const [sent, ...moreSent] = late.filter(isRefused);
  return sent === undefined ? undefined : lateWriteSent([sent, ...moreSent], "run");
}
