import { adviceText, command } from "../base/command-line.ts";
import { EXIT } from "../base/exit.ts";
import { formatDuration } from "../base/time/duration.ts";
import type { Clock } from "../base/ports.ts";
import { Failure, type KeptFailure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Redact } from "../base/secret.ts";
import { isoTime } from "../base/time/date.ts";
import { keepsHold, type Life, type Liveness, spellHolder } from "../journal/holder.ts";
import type { Holder } from "../protocol/record.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import type { TickDecision } from "./decide.ts";
import type { Firing, Released } from "./firing.ts";
import type { EndedState } from "../report/schedule/shape.ts";

/** The table of firings. */
export const FIRINGS_SCHEMA = `
CREATE TABLE firing (
  schedule TEXT NOT NULL REFERENCES schedule (id), tick INTEGER NOT NULL, due INTEGER NOT NULL, state TEXT NOT NULL, holder TEXT,
  run_id TEXT, tries INTEGER NOT NULL DEFAULT 0, started_at INTEGER, ended_at INTEGER, problem TEXT, stop INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (schedule, tick)
) STRICT;
CREATE INDEX firing_open ON firing (schedule) WHERE state IN ('queued', 'running');
`;

/** The ports of the store. */
export interface StorePorts {
  /** The clock by which firings are due, start and end. If left out, the clock of the state, which all processes share. */
  readonly clock?: Clock;
  /** Masks secrets in the problems that are stored. */
  readonly redact: Redact;
  /** The identity of this process, and which other processes are alive. If left out, as the state directory shows it. */
  readonly liveness?: Pick<Liveness, "me" | "taking" | "lifeOf" | "close">;
  /** Takes a run away from its holder, so that the holder can write no more. If left out, does nothing. */
  readonly fence?: (runId: string) => void;
}

/** The ports of the tables. */
export type TablePorts = Required<StorePorts>;

/**
 * The firings of all schedules. Each firing is one row, which one process holds while it runs. Changes that belong together are made in one transaction of the
 * store.
 */
export class Firings {
  readonly #database: SqlDatabase;
  readonly #ports: TablePorts;

  constructor(database: SqlDatabase, ports: TablePorts) {
    this.#database = database;
    this.#ports = ports;
  }

  /**
   * Inserts a firing in place of the one that waited for the same tick. If it runs, this process holds it. If the clock was set back and a moment comes again,
   * that is another firing, one millisecond later. So the rows are in the order of the decisions, whatever the clock said.
   */
  put(id: string, { tick: moment, due, state }: TickDecision): Firing {
    const now = this.#ports.clock.now();
    const runs = state === "running";
    this.#database.run("DELETE FROM firing WHERE schedule = ? AND tick = ? AND state = 'queued'", id, moment);
    let tick = moment;
    while (this.at(id, tick) !== undefined) tick++;
    this.#database.run(
      "INSERT INTO firing (schedule, tick, due, state, holder, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      tick,
      due,
      state,
      runs ? JSON.stringify(this.#ports.liveness.taking()) : null,
      runs ? now : null,
      runs || state === "queued" ? null : now,
    );
    return this.#existing(id, tick);
  }

  /** Records that a run is made for a firing of this process. Throws a Failure if another process has taken the firing for dead. */
  began(firing: Firing, runId: string): void {
    const { schedule, tick } = firing;
    const { changes } = this.#database.run(
      "UPDATE firing SET run_id = ?, tries = tries + 1 WHERE schedule = ? AND tick = ? AND state = 'running' AND holder = ?",
      runId,
      schedule,
      tick,
      JSON.stringify(this.#ports.liveness.me()),
    );
    if (changes === 0) throw lostFiring(firing);
  }

  /** Throws a Failure if another process has taken a firing of this process for dead. */
  assertMine(firing: Firing): void {
    const there = this.at(firing.schedule, firing.tick);
    if (there === undefined || !this.isMine(there)) throw lostFiring(firing);
  }

  /** Returns whether a firing is under way and held by this process. */
  isMine({ state, holder }: Firing): boolean {
    return state === "running" && JSON.stringify(holder) === JSON.stringify(this.#ports.liveness.me());
  }

  /** Ends a firing of this process. Returns nothing if another process has taken it for dead. */
  end({ schedule, tick }: Firing, state: EndedState, problem: KeptFailure | undefined): Firing | undefined {
    const { changes } = this.#database.run(
      "UPDATE firing SET state = ?, problem = ?, ended_at = ? WHERE schedule = ? AND tick = ? AND state = 'running' AND holder = ?",
      state,
      problem === undefined ? null : this.#kept(problem),
      this.#ports.clock.now(),
      schedule,
      tick,
      JSON.stringify(this.#ports.liveness.me()),
    );
    if (changes === 0) return undefined;
    this.prune(schedule);
    return this.#existing(schedule, tick);
  }

  /** Stores why a firing has its state. */
  explain(id: string, tick: number, problem: KeptFailure): Firing {
    this.#database.run("UPDATE firing SET problem = ? WHERE schedule = ? AND tick = ?", this.#kept(problem), id, tick);
    return this.#existing(id, tick);
  }

  /** Stores what a person says about the firing of a run. */
  explainRun(id: string, runId: string, problem: KeptFailure): void {
    this.#database.run("UPDATE firing SET problem = ? WHERE schedule = ? AND run_id = ?", this.#kept(problem), id, runId);
  }

  /** Returns whether the process of a firing is alive. Without a process, the firing is dead. */
  lifeOf({ holder }: Pick<Firing, "holder">): Life {
    return holder === undefined ? "dead" : this.#ports.liveness.lifeOf(holder);
  }

  /** Returns the runs of a schedule that somebody has released. */
  released(id: string): readonly Released[] {
    const said = this.#read("SELECT * FROM firing WHERE schedule = ? AND run_id IS NOT NULL AND problem IS NOT NULL", id);
    return said.flatMap(({ runId, problem }) =>
      runId === undefined || problem?.code !== RELEASED ? [] : [{ runId, says: problem.message }],
    );
  }

  /**
   * Ends the firings whose process is gone. They hold nothing any more, and the time of their end is unknown. Because the process may only have been suspended,
   * this also takes its run away, within the transaction.
   */
  buryDead(id: string): readonly Firing[] {
    const held = this.open(id).filter(({ holder }) => holder !== undefined);
    return held.flatMap((firing) => {
      const life = this.lifeOf(firing);
      if (keepsHold(life)) return [];
      const buried = this.bury(firing, diedOf(firing, life));
      if (buried.runId !== undefined) this.#ports.fence(buried.runId);
      return [buried];
    });
  }

  /** Ends a firing as one whose process is gone. */
  bury({ schedule, tick, startedAt }: Firing, problem: KeptFailure): Firing {
    this.#database.run(
      "UPDATE firing SET state = 'died', problem = ?, ended_at = ? WHERE schedule = ? AND tick = ?",
      this.#kept(problem),
      startedAt ?? null,
      schedule,
      tick,
    );
    return this.#existing(schedule, tick);
  }

  /** Asks the running firing to stop, in whichever process it is. */
  stop(id: string): void {
    this.#database.run("UPDATE firing SET stop = 1 WHERE schedule = ? AND state = 'running'", id);
  }

  /** Returns the firing of a schedule at a tick, if any. */
  at(id: string, tick: number): Firing | undefined {
    return this.#read("SELECT * FROM firing WHERE schedule = ? AND tick = ?", id, tick)[0];
  }

  /** Returns the firings of a schedule that are under way or wait, the earliest first. */
  open(id: string): readonly Firing[] {
    return this.#read("SELECT * FROM firing WHERE schedule = ? AND state IN ('queued', 'running') ORDER BY tick", id);
  }

  /** Returns the same for all schedules. */
  openOfAll(): readonly Firing[] {
    return this.#read("SELECT * FROM firing WHERE state IN ('queued', 'running') ORDER BY schedule, tick");
  }

  /** Returns the firing of a schedule that is under way. */
  running(id: string): Firing | undefined {
    return this.open(id).find(({ state }) => state === "running");
  }

  /** Returns since when no firing of a schedule is under way, according to the last end. */
  freeSince(id: string): number {
    const last = this.#database.get("SELECT MAX(ended_at) AS at FROM firing WHERE schedule = ? AND started_at IS NOT NULL", id);
    return Number(last?.["at"] ?? 0);
  }

  /** Returns firings of one schedule or of all, the latest first. */
  history(id: string | undefined, limit: number): readonly Firing[] {
    const latest = "ORDER BY tick DESC, schedule LIMIT ?";
    if (id === undefined) return this.#read(`SELECT * FROM firing ${latest}`, limit);
    return this.#read(`SELECT * FROM firing WHERE schedule = ? ${latest}`, id, limit);
  }

  /** Returns the last firing of a schedule, whatever its state. */
  last(id: string): Firing | undefined {
    return this.#read("SELECT * FROM firing WHERE schedule = ? ORDER BY rowid DESC LIMIT 1", id)[0];
  }

  /** Returns the last firing of a schedule that has ended. */
  lastEnded(id: string): Firing | undefined {
    const over = "state NOT IN ('queued', 'running')";
    return this.#read(`SELECT * FROM firing WHERE schedule = ? AND ${over} ORDER BY rowid DESC LIMIT 1`, id)[0];
  }

  /** Returns the last firing that ended in this state. */
  lastOf(id: string, state: EndedState): Firing | undefined {
    return this.#read("SELECT * FROM firing WHERE schedule = ? AND state = ? ORDER BY rowid DESC LIMIT 1", id, state)[0];
  }

  /** Returns the last run that was made. If a tick was made up for, its run may be later than the run of a later tick. */
  lastRun(id: string): string | undefined {
    return this.#lastMade(id, "");
  }

  /** Returns the last run that has ended. */
  lastEndedRun(id: string): string | undefined {
    return this.#lastMade(id, "AND state <> 'running'");
  }

  #lastMade(id: string, which: string): string | undefined {
    const row = this.#database.get(`SELECT run_id ${lastMade(which)}`, id);
    return row === undefined ? undefined : String(row["run_id"]);
  }

  /** Returns how many of the stored firings ended in this state. */
  countOf(id: string, state: EndedState): number {
    return Number(
      this.#database.get("SELECT COUNT(*) AS count FROM firing WHERE schedule = ? AND state = ?", id, state)?.["count"],
    );
  }

  /**
   * Deletes old firings. It keeps those that were inserted last, whatever the clock said then, the firing of the last run, and those that somebody has
   * released. A write that a run left open blocks all later firings until somebody takes responsibility for it.
   */
  prune(id: string): void {
    this.#database.run(
      `DELETE FROM firing WHERE schedule = ? AND state NOT IN ('queued', 'running') AND rowid <
         (SELECT rowid FROM firing WHERE schedule = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?) AND tick IS DISTINCT FROM (SELECT tick ${lastMade()})
         AND (problem IS NULL OR problem NOT LIKE ?)`,
      id,
      id,
      LIMITS.firingsKept - 1,
      id,
      `{"code":"${RELEASED}"%`,
    );
  }

  #kept(problem: KeptFailure): string {
    return this.#ports.redact(JSON.stringify(problem));
  }

  #existing(id: string, tick: number): Firing {
    const found = this.at(id, tick);
    if (found === undefined) throw damaged(this.#database.path);
    return found;
  }

  #read(sql: string, ...values: readonly (string | number)[]): readonly Firing[] {
    return this.#database.all(sql, ...values).map((row) => readFiring(row, this.#database.path));
  }
}

/** The failure code of a process whose firing was taken for dead. */
export const LOST_FIRING = "schedule.lost";

function lostFiring({ schedule, tick }: Firing): Failure {
  return new Failure({
    code: LOST_FIRING,
    message: `another process took this one for dead, and with it the firing of ${schedule} at ${isoTime(tick)}`,
    why: "this process showed no sign of life for a while, and the next firing may be under way; nothing more is sent",
    next: command`schedule history`,
    exit: EXIT.locked,
  });
}

/** The code that a firing stores when somebody has released its run. */
export const RELEASED = "schedule.released";

function lastMade(which = ""): string {
  return `FROM firing WHERE schedule = ? AND run_id IS NOT NULL ${which} ORDER BY rowid DESC LIMIT 1`;
}

function diedOf({ holder, runId }: Firing, life: Life): KeptFailure {
  const who = holder === undefined ? "its process" : spellHolder(holder);
  const silent = `${who}, which ran it, has shown no sign of life for ${formatDuration(LIMITS.beatLapsedMs)}`;
  return {
    code: "schedule.died",
    message: life === "silent" ? silent : `the process ${holder?.pid ?? ""} that ran it is gone`,
    ...(runId === undefined
      ? {}
      : { why: `no record here says how its run ${runId} ended`, next: adviceText(command`runs show ${runId}`) }),
  };
}

function readFiring(row: SqlRow, path: string): Firing {
  try {
    return {
      schedule: String(row["schedule"]),
      tick: Number(row["tick"]),
      due: Number(row["due"]),
      state: String(row["state"]) as Firing["state"],
      holder: row["holder"] === null ? undefined : (JSON.parse(String(row["holder"])) as Holder),
      runId: row["run_id"] === null ? undefined : String(row["run_id"]),
      tries: Number(row["tries"]),
      startedAt: numberOf(row["started_at"]),
      endedAt: numberOf(row["ended_at"]),
      problem: row["problem"] === null ? undefined : (JSON.parse(String(row["problem"])) as KeptFailure),
      isToStop: row["stop"] === 1,
    };
  } catch (error) {
    throw damaged(path, error);
  }
}

function numberOf(cell: SqlRow[string] | undefined): number | undefined {
  return cell === null || cell === undefined ? undefined : Number(cell);
}

function damaged(path: string, cause?: unknown): Failure {
  return new Failure({
    code: "schedule.damaged",
    message: `${path} is damaged: a firing cannot be read`,
    why: "it is unknown which process runs what, so nothing is started",
    next: "restore the state directory from a backup",
    cause,
  });
}
