import { command } from "../../../base/command-line.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { didYouMean } from "../../../base/text/text.ts";
import { releaseRun } from "../../../engine/run/release-run.ts";
import { howToStop, spellHolder } from "../../../journal/holder.ts";
import type { Holder, PersonsWord } from "../../../protocol/record.ts";
import { RELEASED } from "../../../schedule/firings.ts";
import { firingEntry } from "../../../schedule/firing-entry.ts";
import { type KnownSchedule, ScheduleStore } from "../../../schedule/store.ts";
import { type TextColumns, columnsIn, widthOn } from "../../print/columns.ts";
import { assertJournalWhole, changeJournal } from "../../runs/open-journal.ts";
import { knownStatePlace, type MemoryOptions, type Where } from "../../project/state-place.ts";
import { inScheduledProject, type OnFile, readScheduled, type WhichOptions } from "../../schedule/playbooks.ts";
import { entryOf } from "../../schedule/entry.ts";
import { blockingRun } from "../../schedule/run.ts";
import { reasonOf } from "../../reason.ts";
import { printData, printLines } from "../../print/result.ts";
import { type Command, type Shell, userOf } from "../../shell.ts";
import type { ScheduleEntry, FiringEntry } from "../../../report/schedule/shape.ts";

interface ScheduleListOptions extends Omit<WhichOptions, "tags"> {
  readonly json?: boolean;
  readonly next?: number;
}

/** `tokenbook schedule list`: shows when each schedule fires next, how its last run ended, which process runs it, and which firings were missed. */
export const listSchedules: Command<ScheduleListOptions> = async (plainShell, options) => {
  const shell = inScheduledProject(plainShell, options);
  const { next = 1 } = options;
  const named = options.files.length === 0 ? undefined : readScheduled(shell, options).all;
  const blocking = blockingRun(shell, options);
  using store = openStore(shell, options);
  const now = store.clock.now();
  const known = named?.map((each) => knownOf(each, store.known(each.id), now)) ?? store.all();
  const entries = known.map((each) => entryOf({ store, known: each, blocking }, next));
  if (options.json === true) return printData(shell, { schedules: entries });
  const lines = entries.flatMap((entry) => entryLines(entry, next, columnsIn(widthOn(shell.stdout))));
  return printLines(shell, lines, "no schedule is known yet");
};

function knownOf({ id, playbook, environment, schedule }: OnFile, before: KnownSchedule | undefined, now: number): KnownSchedule {
  const never = { since: now, lastState: undefined, streak: undefined, lastSuccess: undefined };
  return {
    ...(before ?? { id, playbook, environment, ...never }),
    cron: schedule?.cron.pattern,
    timezone: schedule?.cron.timezone,
    jitterMs: schedule?.jitterMs ?? 0,
  };
}

function entryLines(entry: ScheduleEntry, count: number, columns: TextColumns): readonly string[] {
  const { id, cron, timezone, next, last, running, unserved, waiting, missed, blockedBy, lastSuccess } = entry;
  const when = cron === null ? "when another scheduler runs schedule --once" : `"${cron}" ${timezone}`;
  const firings = next.map(({ utc, local }) => `${local}   ${utc.replace(".000Z", "Z")}`);
  const rows = [
    ["fires", when],
    ...firings.map((each, at) => [at === 0 ? "next" : "", each]),
    ["last", last === null ? "never" : lastLine(last)],
    ...(last !== null && last.state === "passed" ? [] : [["last pass", lastSuccess ?? "never"]]),
    ...(running === null ? [] : [["runs", runningLine(running)]]),
    ...(unserved === null ? [] : [["not served", `since ${unserved}: nothing fires by itself`]]),
    ...(waiting === 0 ? [] : [["waits", String(waiting)]]),
    ...(missed.count === 0 ? [] : [["missed", `${missed.count}, the last ${missed.last}`]]),
    ...(blockedBy === null ? [] : [["blocked", `by the run ${blockedBy.runId}, which is ${blockedBy.outcome}`]]),
  ];
  return [id, ...columns(rows.map((row) => ["", ...row])), ...(count > 1 ? [""] : [])];
}

function lastLine({ state, tick, run, problem }: FiringEntry): string {
  return `${state} at ${tick}${run === null ? "" : `, run ${run}`}${problem === null ? "" : `: ${problem.message}`}`;
}

function runningLine({ holder, startedAt, run, alive }: NonNullable<ScheduleEntry["running"]>): string {
  const who = holder === null ? "nobody" : spellHolder(holder);
  return `${who}${alive ? "" : " (gone)"}, since ${startedAt ?? "?"}${run === null ? "" : `, run ${run}`}`;
}

interface HistoryOptions extends MemoryOptions {
  readonly schedule?: string;
  readonly limit: number;
}

/** `tokenbook schedule history`: lists past firings and their outcomes, the latest first. */
export const history: Command<HistoryOptions> = async (shell, options) => {
  using store = openStore(shell, options);
  const id = options.schedule === undefined ? undefined : idOf(store, options.schedule);
  const firings = store.firings.history(id, options.limit).map(firingEntry);
  if (options.json === true) return printData(shell, { firings });
  return printLines(shell, firings.flatMap(firingLines), "nothing has fired yet");
};

const STATE_CHARS = "interrupted".length;

function firingLines({ tick, state, schedule, run, tries, problem }: FiringEntry): readonly string[] {
  const tried = tries > 1 ? `  ${tries} tries` : "";
  const line = `${tick}  ${state.padEnd(STATE_CHARS)}  ${schedule}${run === null ? "" : `  ${run}`}${tried}`;
  return problem === null ? [line] : [line, `    ${problem.message.replaceAll("\n", "\n    ")}`];
}

interface ScheduleReleaseOptions extends MemoryOptions {
  readonly schedule: string;
  readonly because?: string;
}

/** `tokenbook schedule release SCHEDULE --because TEXT`: records that a run or process no longer blocks its schedule. */
export const releaseSchedule: Command<ScheduleReleaseOptions> = async (shell, options) => {
  const because = reasonOf(options.because, {
    code: "release.incomplete",
    message: "say how you know that its process is gone for good, or that its last run needs no attention any more",
    next: command`schedule release ${options.schedule} --because TEXT`,
  });
  const who = userOf(shell);
  using store = openStore(shell, options);
  const id = idOf(store, options.schedule);
  const running = store.firings.running(id);
  if (running?.holder !== undefined && store.firings.lifeOf(running) === "alive") throw stillAlive(id, running.holder);
  if (running === undefined && !isKeptBack(shell, options, store, id)) throw notHeld(id);
  if (running?.runId !== undefined) await takeAwayRun(shell, options, running.runId, { who, because });
  store.release(id, { code: RELEASED, message: `released by ${who}: ${because}` });
  if (options.json === true) return printData(shell, { schedule: id, who, because });
  return printLines(shell, [`${id} is free, says ${who}: ${because}`]);
};

// The process may be alive after all, and would continue the run beside the next one. The journal keeps the reason, so this is done before the firing has ended.
function takeAwayRun(shell: Shell, where: MemoryOptions, runId: string, says: PersonsWord): Promise<void> {
  return changeJournal(shell, where, async (journal) => {
    if (journal.leases.holding(runId) !== undefined) await releaseRun(journal, runId, says);
  });
}

function isKeptBack(shell: Shell, options: MemoryOptions, store: ScheduleStore, id: string): boolean {
  const known = store.known(id);
  return known !== undefined && entryOf({ store, known, blocking: blockingRun(shell, options) }, 0).blockedBy !== null;
}

function notHeld(id: string): Failure {
  return new Failure({
    code: "release.nothing",
    message: `nothing holds the schedule ${id} back: no firing of it is under way, and its last run needs no attention`,
    why: "nothing was changed",
    next: ["when it fires next, and what was missed:", command`schedule list`],
  });
}

// A schedule is named by its id, or by its playbook if only one schedule has that playbook.
function idOf(store: ScheduleStore, named: string): string {
  const all = store.all();
  const found = all.filter(({ id, playbook }) => id === named || playbook === named);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const ids = (found.length > 1 ? found : all).map(({ id }) => id);
  const near = didYouMean(named, [...ids, ...all.map(({ playbook }) => playbook)]);
  throw new Failure({
    code: found.length > 1 ? "schedule.several" : "schedule.unknown",
    message: found.length > 1 ? `"${named}" is on several schedules: ${ids.join(", ")}` : `no schedule "${named}" is known here`,
    next: near === undefined ? command`schedule list` : `did you mean ${near}?`,
  });
}

function stillAlive(id: string, holder: Holder): Failure {
  return new Failure({
    code: "release.alive",
    message: `${id} is run by ${spellHolder(holder)}, which is alive`,
    why: "two runs could be under way at once",
    next: howToStop(holder),
    exit: EXIT.locked,
  });
}

function openStore(shell: Shell, where: Where): ScheduleStore {
  const state = knownStatePlace(shell, where);
  assertJournalWhole(state);
  return ScheduleStore.existing(state, { redact: (text) => text });
}
