import { join, relative, resolve } from "node:path";
import { command, type Hint } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { count, countLong } from "../../../base/text/text.ts";
import { isoTime } from "../../../base/time/date.ts";
import { ExchangeStore } from "../../../exchanges/exchange-store.ts";
import type { StatePlace } from "../../../sql/place.ts";
import { verifyArchives, type VerifiedArchive } from "../../../journal/archives/archive-chain.ts";
import { archiveRuns, type ArchivedRuns, type CompletedArchive } from "../../../journal/archives/archive-runs.ts";
import type { Archives, KeptBecause } from "../../../journal/archives/archives.ts";
import { keptProblem } from "../../../journal/archives/archive-kept.ts";
import { DriftBook } from "../../../reconcile/drift-book.ts";
import { knownStatePlace, type MemoryOptions } from "../../project/state-place.ts";
import { oneLine } from "../../../report/formats/foreign-text.ts";
import { changeJournal, knownArchives, lookIntoJournal, noteUncompared } from "../../runs/open-journal.ts";
import { runsThatShowDone } from "../../runs/done-since.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import { printData, printLines } from "../../print/result.ts";
import type { Command, Shell } from "../../shell.ts";
import { exitOfVerified, verifiedData } from "./records.ts";

interface ArchiveOptions extends MemoryOptions {
  readonly older?: number;
  readonly to?: string;
}

/** `tokenbook runs archive --older AGE --to DIR`: moves finished runs from the journal into a new file of a chain of archives. */
export const archive: Command<ArchiveOptions> = async (shell, options) => {
  const { older, to } = options;
  if (older === undefined || to === undefined) {
    throw new Failure({
      code: "archive.incomplete",
      message: "say how old the runs must be, and in which folder to write the archive",
      next: command`runs archive --older 90d --to archives`,
    });
  }
  const place = knownStatePlace(shell, options);
  const ofDrifts = runsOfOpenDrifts(place);
  const folder = resolve(shell.cwd, to);
  using exchanges = ExchangeStore.existing(place);
  const removed = (sealed: CompletedArchive): void => {
    // The digest is printed at once, because a later archive may fail, and nothing prints this digest again.
    if (options.json !== true) printLines(shell, archiveLines(sealed));
    exchanges.dropOf(sealed.runs);
  };
  const done = await changeJournal(shell, options, async (store) => {
    const now = store.clock.now();
    const showDone = runsThatShowDone(store);
    const neededFor = (run: string): KeptBecause | undefined =>
      ofDrifts.has(run) ? "open drift" : showDone.has(run) ? "done since" : undefined;
    return archiveRuns(store, { folder, before: now - older, now, neededFor, removed });
  });
  if (options.json === true) return printData(shell, asData(done));
  return printLines(shell, doneLines(shell, done, relative(shell.cwd, folder) || "."));
};

function runsOfOpenDrifts(place: StatePlace): ReadonlySet<string> {
  using book = DriftBook.existing(place);
  return book.runsOfOpen();
}

function asData({ archives, kept }: ArchivedRuns): object {
  return {
    archives: archives.map(({ sealedAt, ...rest }) => ({ ...rest, sealedAt: isoTime(sealedAt) })),
    kept: kept.map(({ id, because }) => ({ run: id, because })),
  };
}

function doneLines({ hint }: Shell, { archives, kept }: ArchivedRuns, folder: string): readonly string[] {
  const nothing = archives.length === 0 ? ["no run was archived"] : [];
  const verify = archives.length === 0 ? [] : ["", `to verify: ${hint(command`runs verify --archive ${folder}`)}`];
  return [...nothing, ...keptLines(hint, kept), ...verify];
}

function archiveLines({ file, digest, runs, records, wasBegun }: CompletedArchive): readonly string[] {
  const begun = wasBegun ? ["  an earlier command wrote this file, and ended before it removed the runs from the journal"] : [];
  const counts = `${countLong(runs.length, "run")}, ${countLong(records, "record")}`;
  return [`archived  ${counts}`, `  file    ${file}`, `  digest  ${digest}`, ...begun];
}

const KEPT_WORDS: Readonly<Record<KeptBecause, string>> = {
  unfinished: "not finished, pending or unknown",
  held: "held by a process",
  "open write": "left a write open",
  damaged: "damaged",
  "open drift": "the first or last run that saw a drift that is still open",
  "done since": "passed with the same inputs as an earlier run that has not passed",
  "last of its playbook": "the last run of its playbook in its environment",
};

function keptLines(hint: Hint, kept: ArchivedRuns["kept"]): readonly string[] {
  if (kept.length === 0) return [];
  const reasons = Map.groupBy(kept, ({ because }) => because);
  return [
    `kept      ${count(kept.length, "older run")} in the journal`,
    ...[...reasons].map(([because, runs]) => `  ${runs.length}  ${KEPT_WORDS[because]}`),
    ...(reasons.has("damaged") ? [`  to see what is damaged: ${hint(command`runs verify`)}`] : []),
  ];
}

interface ArchiveVerifyOptions extends MemoryOptions {
  readonly run?: RunReference;
  readonly archive: string;
}

/** `tokenbook runs verify --archive DIR`: checks whether the archives of a folder are intact, and each follows the one before it. */
export const verifyArchive: Command<ArchiveVerifyOptions> = async (shell, options) => {
  if (options.run !== undefined) {
    throw new Failure({
      code: "archive.whole",
      message: "archives are verified as a whole: leave out the run, or --archive",
      next: command`runs verify --archive ${options.archive}`,
    });
  }
  const folder = resolve(shell.cwd, options.archive);
  const known = knownArchives(shell, options);
  const found = verifyArchives(folder, known ?? []);
  const intact = found.filter(({ problem }) => problem === null);
  const isCompared = intact.some(({ compared }) => compared);
  if (intact.length > 0 && !isCompared) noteUncompared(shell, known);
  const verified = isCompared ? lookIntoJournal(shell, options, ({ archives }) => withKept(archives, folder, found)) : found;
  if (options.json === true) {
    printData(shell, { archives: verified.map(({ sealedAt: _sealedAt, ...rest }) => verifiedData(rest)) });
  } else printLines(shell, verifiedLines(verified));
  return exitOfVerified(verified);
};

// An archive of this journal is only of use if the journal still knows its runs.
function withKept(archives: Archives, folder: string, found: readonly VerifiedArchive[]): readonly VerifiedArchive[] {
  return found.map((each) => {
    const { number, file, compared, problem } = each;
    return problem === null && compared ? { ...each, problem: keptProblem(archives, number, join(folder, file)) } : each;
  });
}

function verifiedLines(verified: readonly VerifiedArchive[]): readonly string[] {
  const [first] = verified;
  const earlier = first === undefined || first.number === 1 ? [] : [`the archives before ${first.number} are not in this folder`];
  return [...earlier, ...verified.map(verifiedLine)];
}

function verifiedLine({ file, runs, records, digest, problem }: VerifiedArchive): string {
  if (problem !== null) return `${file}  ${PROBLEM_WORDS[problem.code] ?? "damaged"}  ${oneLine(problem.message)}`;
  return `${file}  intact   ${countLong(runs, "run")}, ${countLong(records, "record")}, the digest ${digest}`;
}

const PROBLEM_WORDS: Readonly<Record<string, string>> = { "archive.missing": "missing", "journal.broken": "differs" };
