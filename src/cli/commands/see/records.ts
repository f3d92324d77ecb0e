import { isDeepStrictEqual } from "node:util";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { recordLine } from "../../../journal/archives/archive-file.ts";
import { contradicted, noRunYet } from "../../../journal/failures.ts";
import { unlessArchived } from "../../../journal/archives/archives.ts";
import type { JournalStore } from "../../../journal/store.ts";
import type { SqlRow } from "../../../sql/database.ts";
import { advance, emptyState, type RunState } from "../../../protocol/state.ts";
import { oneLine } from "../../../report/formats/foreign-text.ts";
import { lookForRuns, lookIntoJournal, type RunsOptions } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import type { Command } from "../../shell.ts";
import { printData, printLines } from "../../print/result.ts";
import type { MemoryOptions } from "../../project/state-place.ts";

interface ExportOptions extends RunsOptions {
  readonly run: RunReference;
}

/** `tokenbook runs export RUN`: prints every record as a line of JSON, in order. Each record is verified before it is printed. */
export const exportRun: Command<ExportOptions> = async (shell, options) => {
  await lookForRuns(shell, options, [options.run], (store) => {
    const run = options.run.in(store);
    for (const each of store.chain(run)) shell.stdout.write(`${recordLine(run, each)}\n`, "json");
  });
  return EXIT.passed;
};

interface VerifyOptions extends MemoryOptions {
  readonly run?: RunReference;
  readonly archive?: string;
}

interface Verified {
  readonly run: string;
  readonly records: number;
  /** The hash of the last record, which covers all records before it. */
  readonly hash: string | null;
  readonly problem: Failure | null;
}

/** `tokenbook runs verify [RUN]`: checks whether the records of a run, or of all runs, are unchanged. Exits with 1 if some are not, and with 2 if there are none. */
export const verifyRuns: Command<VerifyOptions> = async (shell, options) => {
  if (options.archive !== undefined)
    return (await import("./runs-archive.ts")).verifyArchive(shell, { ...options, archive: options.archive });
  const verified = lookIntoJournal(shell, options, (store) => {
    if (options.run !== undefined) return [verify(store, options.run.in(store))];
    store.assertWhole();
    return verifyAll(store);
  });
  if (verified.length === 0) throw noRunYet();
  if (options.json === true) {
    printData(shell, { runs: verified.map(verifiedData) });
  } else printLines(shell, verified.map(verifiedLine));
  return exitOfVerified(verified);
};

/** Returns what was verified as `--json` has it. */
export function verifiedData({ problem, ...rest }: WithProblem): object {
  return { ...rest, intact: problem === null, problem: problem?.toJSON() ?? null };
}

/** Returns the exit code of a command that has verified something. */
export function exitOfVerified(verified: readonly WithProblem[]): ExitCode {
  return verified.some(({ problem }) => problem !== null) ? EXIT.failed : EXIT.passed;
}

interface WithProblem {
  readonly problem: Failure | null;
}

// Another process may archive a run meanwhile. Then its records are in the archive and no longer in the journal.
function verifyAll(store: JournalStore): readonly Verified[] {
  return store.runs.ids().flatMap((run) => unlessArchived(() => verify(store, run)) ?? []);
}

// Any other failure means that the records could not be read. It does not show that they were changed.
const DAMAGE: ReadonlySet<string> = new Set(["journal.broken", "database.damaged"]);

function verify(store: JournalStore, run: string): Verified {
  let [records, hash]: [number, string | null] = [0, null];
  try {
    const before = store.runs.rowOf(run);
    const state = emptyState();
    for (const each of store.chain(run)) {
      [records, hash] = [records + 1, each.hash];
      advance(state, each.record);
    }
    return { run, records, hash, problem: before === undefined ? null : rowProblem(store, before, state) };
  } catch (error) {
    if (error instanceof Failure && DAMAGE.has(error.code)) return { run, records, hash, problem: error };
    throw error;
  }
}

function rowProblem(store: JournalStore, before: SqlRow, state: RunState): Failure | null {
  const message = store.runs.contradiction(before, state);
  if (message === undefined) return null;
  // Another process may be resuming the run, or may have just ended it.
  const run = String(before["id"]);
  if (store.leases.holding(run) !== undefined || !isDeepStrictEqual(store.runs.rowOf(run), before)) return null;
  return contradicted(message);
}

// Whoever changes the state, and a service that names a transaction, must not write a line of the result.
function verifiedLine({ run, records, hash, problem }: Verified): string {
  const id = oneLine(run);
  return problem === null
    ? `${id}  intact   ${records} records, the last ${hash}`
    : `${id}  damaged  ${oneLine(problem.message)}`;
}
