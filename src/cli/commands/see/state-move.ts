import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { systemClock } from "../../../base/ports.ts";
import { count, didYouMean, quoted } from "../../../base/text/text.ts";
import { ExchangeStore } from "../../../exchanges/exchange-store.ts";
import { JOURNAL_PART } from "../../../journal/format.ts";
import { JournalStore } from "../../../journal/store.ts";
import { DriftBook } from "../../../reconcile/drift-book.ts";
import { ScheduleStore } from "../../../schedule/store.ts";
import type { ServerPlace, StatePlace } from "../../../sql/place.ts";
import { setAside } from "../../../state/tables.ts";
import { openQueue } from "../../fleet/open-queue.ts";
import { serverOf } from "../../project/state-server.ts";
import { inProjectHere, type ProjectShell } from "../../project/chosen-project.ts";
import { type Dotenv, stateDirectory } from "../../project/project.ts";
import { LOOKING, peekIntoJournal } from "../../runs/open-journal.ts";
import type { Command } from "../../shell.ts";

interface MoveOptions extends Dotenv {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

const DATABASE = "database";
// What was masked when it was written stays so.
const PLAIN = { clock: systemClock, redact: (text: string): string => text };

/** `tokenbook state move FROM TO`: moves runs, drifts and schedules between a folder and a database. */
export const moveState: Command<MoveOptions> = async (plainShell, options) => {
  const shell = inProjectHere(plainShell);
  assertPlaces(options);
  const [from, to] = [placeOf(shell, options.from, options), placeOf(shell, options.to, options)];
  if (typeof from === "string" && !existsSync(from)) throw nothingThere(options.from);
  peekIntoJournal(to, (store) => store.assertEmpty());
  if (typeof from !== "string") await assertNoJobs(from, (text) => shell.stderr.write(`tokenbook: ${text}\n`));
  copySideTables(from, to);
  const { runs, records, aside } = copyJournal(from, to);
  if (options.json === true) shell.stdout.write(`${JSON.stringify({ format: 1, runs, records, aside })}\n`, "json");
  else
    shell.stdout.write(
      `moved ${count(runs, "run")} with ${count(records, "record")} to ${options.to}; every record is verified there\nwhat was moved is kept as ${aside}\n${typeof to === "string" ? wayToFolder(shell, to) : ""}`,
    );
  return EXIT.passed;
};

function assertPlaces({ from, to }: MoveOptions): void {
  const names = [from, to];
  if ((from === DATABASE) !== (to === DATABASE)) return;
  const meant = from === DATABASE ? undefined : names.find((name) => didYouMean(name, [DATABASE]) !== undefined);
  throw new Failure({
    code: "state.places",
    message:
      meant === undefined
        ? `one of the two places is a folder, and the other is the word ${DATABASE}`
        : `${meant} would be a folder; did you mean ${DATABASE}?`,
    why: "a state is moved between a folder and the database that tokenbook.yaml names; nothing was moved",
    next: `tokenbook state move ${meant === undefined ? ".tokenbook database" : names.map((name) => (name === meant ? DATABASE : quoted(name))).join(" ")}`,
  });
}

function placeOf(shell: ProjectShell, name: string, dotenv: Dotenv): StatePlace {
  return name === DATABASE ? { ...serverOf(shell, dotenv), mayReturn: true } : resolve(shell.cwd, name);
}

// On every machine: commands that still look into the database are refused there.
function wayToFolder({ cwd, project }: ProjectShell, to: string): string {
  const file = project.environmentFile === undefined ? "tokenbook.yaml" : relative(cwd, project.environmentFile);
  const usual = stateDirectory({ cwd, project }, {}) === to;
  return `next: remove "state:" from ${file}${usual ? "" : `, and give commands --state ${quoted(relative(cwd, to))}`}\n`;
}

// A job stays in its database, where no worker would look for it any more.
async function assertNoJobs(from: ServerPlace, say: (text: string) => void): Promise<void> {
  const queue = await openQueue(from, false, say);
  try {
    const jobs = (await queue.load()).reduce((sum, { waiting, active }) => sum + waiting + active, 0);
    if (jobs > 0) throw jobsLeft(jobs);
  } finally {
    await queue.stop(0);
  }
}

function copySideTables(from: StatePlace, to: StatePlace): void {
  const drifts = [DriftBook.existing(from), DriftBook.open(to)] as const;
  drifts[0].copyTo(drifts[1]);
  for (const book of drifts) book.close();
  const exchanges = [ExchangeStore.existing(from), ExchangeStore.open(to)] as const;
  exchanges[0].copyTo(exchanges[1]);
  for (const store of exchanges) store.close();
  const schedules = [ScheduleStore.existing(from, PLAIN), ScheduleStore.open(to, PLAIN)] as const;
  schedules[0].copyTo(schedules[1]);
  for (const store of schedules) store.close();
}

// Last, and the old state is set aside before anybody can write to it again: no run can be continued in two places.
function copyJournal(
  from: StatePlace,
  to: StatePlace,
): { readonly runs: number; readonly records: number; readonly aside: string } {
  const [source, copy] = [JournalStore.existing(from, LOOKING), JournalStore.open(to, LOOKING)];
  try {
    const before = verified(source);
    let aside = "";
    source.copyTo(copy, () => {
      assertSame(before, verified(copy));
      aside = setAside(from, JOURNAL_PART, new Date(systemClock.now()).toISOString().slice(0, 19).replaceAll(/\D/g, ""));
    });
    const records = [...before.values()].reduce((sum, { length }) => sum + length, 0);
    return { runs: before.size, records, aside };
  } finally {
    copy.close();
    source.close();
  }
}

interface Chain {
  readonly length: number;
  /** The hash of the last record, which covers all of them. */
  readonly hash: string;
}

// Reading a chain checks each record of it.
function verified(store: JournalStore): ReadonlyMap<string, Chain> {
  return new Map(
    store.ids().map((run) => {
      let chain: Chain = { length: 0, hash: "" };
      for (const { hash } of store.chain(run)) chain = { length: chain.length + 1, hash };
      return [run, chain];
    }),
  );
}

function assertSame(before: ReadonlyMap<string, Chain>, after: ReadonlyMap<string, Chain>): void {
  const different = [...before].find(([run, { hash }]) => after.get(run)?.hash !== hash)?.[0];
  if (different === undefined && before.size === after.size) return;
  throw new Failure({
    code: "state.not-same",
    message: `the copy differs from the original${different === undefined ? "" : ` in the run ${different}`}`,
    why: "somebody wrote to one of them meanwhile; nothing was removed",
    next: "stop workers and schedulers, empty the new place, and try again",
  });
}

function jobsLeft(jobs: number): Failure {
  return new Failure({
    code: "state.jobs-left",
    message: `${count(jobs, "submitted run")} ${jobs === 1 ? "has" : "have"} not ended`,
    why: "jobs stay in the queue of the old database, where no worker would take them; nothing was moved",
    next: "let workers end them, for all of their labels: tokenbook worker --labels LABELS",
  });
}

function nothingThere(name: string): Failure {
  return new Failure({
    code: "state.not-found",
    message: `there is no state directory ${name}`,
    next: "name the folder that holds the runs, such as .tokenbook",
  });
}
