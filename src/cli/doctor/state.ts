import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { command } from "../../base/command-line.ts";
import { messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { count, quoted } from "../../base/text/text.ts";
import { isoTime } from "../../base/time/date.ts";
import { openEntries } from "../../files/state.ts";
import { journalHealth, type JournalHealth, type RunHealth } from "../../journal/health.ts";
import { spellHolder } from "../../journal/holder.ts";
import { JOURNAL } from "../../journal/format.ts";
import { PostgresDatabase } from "../../postgres/database.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import type { DoctorFinding } from "../../report/doctor/shape.ts";
import { ScheduleStore } from "../../schedule/store.ts";
import type { ServerPlace, StatePlace } from "../../sql/place.ts";
import { Findings } from "./finding.ts";

/** Reports whether the state can be written, and what is in it. Changes nothing. */
export function lookAtState(placeOf: () => StatePlace): readonly DoctorFinding[] {
  const findings = new Findings("state");
  findings.from(() => lookAtPlace(placeOf(), findings));
  return findings.all;
}

function lookAtPlace(place: StatePlace, findings: Findings): void {
  if (typeof place !== "string") lookAtServer(place, findings);
  else if (!lookAtFolder(place, findings)) return;
  else if (existsSync(place)) {
    lookAtModes(place, findings);
    lookAtExchanges(join(place, "exchanges.db"), findings);
  }
  const health = journalHealth(place);
  if (health === undefined) findings.ok("state.empty", "no run is remembered yet");
  else lookAtJournal(health, findings);
  lookAtDrifts(place, findings);
  ScheduleStore.look(place)?.close();
}

function lookAtServer(server: ServerPlace, findings: Findings): void {
  for (const { risk, is, isSafe, why, fix } of PostgresDatabase.settings(server, JOURNAL)) {
    if (isSafe) findings.ok("state.server", `the database: ${is}`);
    else if (server.accepted.includes(risk))
      findings.warning("state.risk-accepted", `the database: ${is}; tokenbook.yaml accepts it`, { why, next: fix });
    else findings.problem("state.unsafe", `the database: ${is}`, { why, next: fix });
  }
  PostgresDatabase.assertWritable(server, JOURNAL);
  lookAtMemory(server.memory, findings);
}

function lookAtMemory(folder: string | undefined, findings: Findings): void {
  if (folder !== undefined && folderProblem(nearest(folder)) === undefined)
    return findings.ok("state.memory", `this machine remembers its last records in ${folder}`);
  findings.warning(
    "state.no-memory",
    `this machine does not remember its last records: ${folder ?? "no folder"} cannot be written`,
    {
      why: "if a failover or a restore loses them, a process that is started later does not notice, and may do the same again",
      next: "set XDG_STATE_HOME to a folder that is kept, and in which you may write",
    },
  );
}

const MEGABYTE = 1_048_576;

function lookAtFolder(folder: string, findings: Findings): boolean {
  const there = nearest(folder);
  const problem = folderProblem(there);
  if (problem !== undefined) {
    const what = there === folder ? `${folder} cannot be written` : `${folder} cannot be made in ${there}`;
    findings.problem("state.unwritable", `${what}: ${problem}`, {
      why: "what a run has done must be remembered before the next write",
      next: "name a folder in which you may write: --state DIR",
    });
    return false;
  }
  const { bavail, bsize } = statfsSync(there);
  const free = bavail * bsize;
  const room = `${Math.floor(free / MEGABYTE)} MB free`;
  if (free < MEGABYTE)
    findings.problem("state.no-room", `${folder}: ${room}`, {
      why: "no command can open the state, because SQLite makes files beside it",
      next: "make room on the disk",
    });
  else if (free < LIMITS.doctorFreeBytes)
    findings.warning("state.little-room", `${folder}: ${room}`, { next: "make room on the disk" });
  else
    findings.ok("state.folder", `${folder}: ${there === folder ? "can be written" : "will be made by the first run"}, ${room}`);
  return true;
}

function folderProblem(there: string): string | undefined {
  try {
    if (!statSync(there).isDirectory()) throw new Error("it is not a folder");
    accessSync(there, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function lookAtExchanges(file: string, findings: Findings): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return;
  findings.ok(
    "state.exchanges",
    `${file}: ${Math.ceil(size / MEGABYTE)} MB of requests and answers; tokenbook runs drop-exchanges removes them`,
  );
}

function lookAtModes(folder: string, findings: Findings): void {
  const open = openEntries(folder);
  const writable = open.filter(({ isWritable }) => isWritable);
  const [first] = writable.length > 0 ? writable : open;
  if (first === undefined) return;
  const next = `chmod -R go= ${quoted(folder)}`;
  const more = (of: readonly unknown[]): string => (of.length > 1 ? `, and ${of.length - 1} more in ${folder}` : "");
  if (writable.length > 0)
    findings.problem("state.writable-by-others", `other users may write ${first.path}${more(writable)}`, {
      why: "who writes it decides what runs remember, and so what is sent again; the next run closes it",
      next: ["check that nobody changed it:", command`runs verify`, `then: ${next}`],
    });
  else
    findings.warning("state.readable-by-others", `other users may read ${first.path}${more(open)}`, {
      why: "the journal holds what was sent and answered; the next run closes it",
      next,
    });
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function lookAtDrifts(place: StatePlace, findings: Findings): void {
  using book = DriftBook.look(place);
  for (const each of book?.damage() ?? []) findings.problem("state.damaged", each, { next: RESTORE });
}

const RESTORE = "restore the state directory from a backup, all of its files";

function lookAtJournal({ path, format, newest, damage, runs, losses }: JournalHealth, findings: Findings): void {
  for (const each of damage) {
    findings.problem("state.damaged", `${path}: ${each}`, { next: RESTORE });
  }
  if (damage.length > 0) return;
  if (format > newest) {
    const next = "update tokenbook, or name another state directory with --state DIR";
    return findings.problem("state.newer", `${path} was written by a newer tokenbook (format ${format})`, { next });
  }
  const about = format === newest ? "" : ", which the next run brings up to date";
  findings.ok("state.journal", `${path} is whole, format ${format}${about}`);
  for (const { at, who, because, what } of losses) {
    const when = isoTime(at);
    findings.warning("state.loss-accepted", `${who} accepted at ${when} that records are lost: ${because} (${what})`, {
      why: "runs that had not passed by then cannot be resumed",
    });
  }
  for (const run of runs) lookAtRun(run, findings);
  if (runs.length < LIMITS.doctorRuns) return;
  findings.warning(
    "state.many-runs",
    `only the latest ${LIMITS.doctorRuns} runs that did not pass were checked, back to ${runs.at(-1)?.id}`,
    {
      next: ["to list them:", command`runs`],
    },
  );
}

function lookAtRun({ id, playbook, outcome, held, open }: RunHealth, findings: Findings): void {
  if (held?.life === "unknown") {
    findings.warning("state.held-elsewhere", `run ${id} (${playbook}) is held by ${spellHolder(held.holder)}`, {
      why: "tokenbook cannot know whether that process is alive",
      next: ["wait for it; if it is gone for good:", command`runs release ${id} --because TEXT`],
    });
  } else if (held !== undefined) {
    findings.ok("state.under-way", `run ${id} (${playbook}) is under way: ${spellHolder(held.holder)}`);
  } else if (open.length > 0) {
    const writes = open.map(({ step, operation }) => `${step} (${operation})`).join(", ");
    findings.problem(
      "state.unknown-write",
      `run ${id} (${playbook}): the outcome of ${count(open.length, "write")} is unknown: ${writes}`,
      {
        next: [
          "check the ledger again and continue the run:",
          command`resume ${id}`,
          "or, once you know what the write did:",
          command`resolve ${id}`,
        ],
      },
    );
  } else if (outcome === undefined) {
    findings.warning("state.died", `run ${id} (${playbook}) did not end: its process died`, { next: command`resume ${id}` });
  }
}
