import { existsSync } from "node:fs";
import { join } from "node:path";
import { Cron } from "../base/cron.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import { isAlive, thisProcess } from "../journal/holder.ts";
import type { Holder } from "../protocol/record.ts";
import { Database, type Row } from "../sqlite/database.ts";
import { decide, type Decision, type Plan, type Standing, type Step } from "./decide.ts";
import type { EndedState, Firing, Problem } from "./firing.ts";
import { Outbox, OUTBOX_SCHEMA } from "./outbox.ts";

const FILE = "schedule.db";

const SCHEMA = `
CREATE TABLE schedule (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, cron TEXT, timezone TEXT, jitter INTEGER NOT NULL,
  since INTEGER NOT NULL, last_state TEXT, last_success INTEGER, released TEXT
) STRICT;
CREATE TABLE firing (
  schedule TEXT NOT NULL REFERENCES schedule (id), tick INTEGER NOT NULL, due INTEGER NOT NULL, state TEXT NOT NULL, holder TEXT,
  run_id TEXT, tries INTEGER NOT NULL DEFAULT 0, started_at INTEGER, ended_at INTEGER, problem TEXT, stop INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (schedule, tick)
) STRICT;
CREATE INDEX firing_open ON firing (schedule) WHERE state IN ('queued', 'running');
`;

const MIGRATIONS: readonly string[] = [SCHEMA + OUTBOX_SCHEMA];

/** What is known of a schedule beside its firings. */
export interface Known {
  readonly id: string;
  readonly playbook: string;
  readonly environment: string;
  /** Nothing of a playbook that only a system's own scheduler has run. */
  readonly cron: string | undefined;
  readonly timezone: string | undefined;
  readonly jitterMs: number;
  /** The ticks up to here are settled. */
  readonly since: number;
  /** What the last firing became that tells how things are. */
  readonly lastState: EndedState | undefined;
  readonly lastSuccess: number | undefined;
}

/** What the table asks of the world. */
export interface StorePorts {
  readonly clock: Pick<Clock, "now">;
  readonly redact: Redact;
  readonly liveness: Liveness;
}

/** Who this process is, and which others live. */
export interface Liveness {
  readonly me: () => Holder;
  readonly isAlive: (holder: Holder) => boolean;
}

/** As the system tells it. */
export const systemLiveness: Liveness = { me: thisProcess, isAlive };

/** What came of a look at a schedule. */
export interface Looked {
  readonly decision: Decision;
  /** Firings whose process died. */
  readonly died: readonly Firing[];
}

/** The firings of a state directory: each is one row, claimed by one process, whatever the number of them. */
export class ScheduleStore {
  readonly outbox: Outbox;
  readonly #database: Database;
  readonly #ports: StorePorts;

  private constructor(database: Database, ports: StorePorts) {
    this.#database = database;
    this.#ports = ports;
    this.outbox = new Outbox(database, ports);
  }

  static open(stateDirectory: string, ports: StorePorts): ScheduleStore {
    const database = Database.open(join(stateDirectory, FILE));
    migrate(database);
    return new ScheduleStore(database, ports);
  }

  /** Looks into the file and changes nothing; `undefined` where there is none, or nothing in it yet. Throws a Failure. */
  static look(stateDirectory: string, ports: StorePorts): ScheduleStore | undefined {
    const path = join(stateDirectory, FILE);
    if (!existsSync(path)) return undefined;
    const database = Database.look(path);
    const version = versionOf(database);
    if (version > 0 && version <= MIGRATIONS.length) return new ScheduleStore(database, ports);
    database.close();
    if (version === 0) return undefined;
    throw newer(path, version);
  }

  close(): void {
    this.#database.close();
  }

  /** Does several things, or none of them. Throws a Failure when somebody has removed the file: other processes would not see it. */
  transaction<T>(work: () => T): T {
    this.#database.assertInPlace();
    return this.#database.transaction(work);
  }

  /**
   * Makes a schedule known; its first tick is the first behind now. One whose plan is another now begins anew, and `tell` hears within
   * the transaction what the plan before has missed. Gives up to when its ticks are settled.
   */
  register(
    schedule: Omit<Known, "since" | "lastState" | "lastSuccess">,
    tell: (missed: readonly Step[]) => void = () => undefined,
  ): number {
    const { id, playbook, environment, cron, timezone, jitterMs } = schedule;
    return this.transaction(() => {
      const now = this.#ports.clock.now();
      const known = this.known(id);
      const isNew = known === undefined || (cron !== undefined && (known.cron !== cron || known.timezone !== timezone));
      const missed = known !== undefined && isNew ? this.#missedOf(known, now) : [];
      const since = isNew || known.since > now + LIMITS.scheduleSetBackMs ? now : known.since;
      this.#database.run(
        `INSERT INTO schedule (id, playbook, environment, cron, timezone, jitter, since) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET cron = COALESCE(excluded.cron, cron), timezone = COALESCE(excluded.timezone, timezone),
           jitter = excluded.jitter, since = excluded.since`,
        id,
        playbook,
        environment,
        cron ?? null,
        timezone ?? null,
        jitterMs,
        since,
      );
      tell(missed);
      return since;
    });
  }

  /**
   * Looks at a schedule in one transaction: what is decided is claimed by this process when it comes back, and by no other. `tell` hears of
   * it within the transaction.
   */
  look(plan: Plan, isBlocked: () => boolean, tell: (looked: Looked) => void): Looked {
    return this.transaction(() => {
      const died = this.#buryDead(plan.id);
      const decision = decide(plan, this.#standing(plan.id, isBlocked), this.#ports.clock.now());
      this.#carryOut(plan.id, decision);
      tell({ decision, died });
      return { decision, died };
    });
  }

  /** Keeps why a firing is what it is. */
  explain(id: string, tick: number, problem: Problem): Firing {
    const text = this.#ports.redact(JSON.stringify(problem));
    this.#database.run("UPDATE firing SET problem = ? WHERE schedule = ? AND tick = ?", text, id, tick);
    return this.#firingAt(id, tick);
  }

  /** Takes a schedule now, whatever its ticks; or tells who is in the way. `tell` hears of the dead within the transaction. */
  takeNow(id: string, tell: (died: readonly Firing[]) => void): { readonly taken: Firing } | { readonly inTheWay: Firing } {
    return this.transaction(() => {
      tell(this.#buryDead(id));
      const [inTheWay] = this.open(id).filter(({ state }) => state === "running");
      if (inTheWay !== undefined) return { inTheWay };
      let tick = this.#ports.clock.now();
      while (this.firing(id, tick) !== undefined) tick++;
      this.#put(id, { tick, due: tick, state: "running" });
      return { taken: this.#firingAt(id, tick) };
    });
  }

  /** Notes that a run was made for a firing of this process. */
  began({ schedule, tick }: Firing, runId: string): void {
    this.#database.run("UPDATE firing SET run_id = ?, tries = tries + 1 WHERE schedule = ? AND tick = ?", runId, schedule, tick);
  }

  /** Ends a firing of this process; nothing when it was taken for dead meanwhile. */
  end({ schedule, tick }: Firing, state: EndedState, problem: Problem | undefined): Firing | undefined {
    const now = this.#ports.clock.now();
    const text = problem === undefined ? null : this.#ports.redact(JSON.stringify(problem));
    const me = JSON.stringify(this.#ports.liveness.me());
    const { changes } = this.#database.run(
      "UPDATE firing SET state = ?, problem = ?, ended_at = ? WHERE schedule = ? AND tick = ? AND state = 'running' AND holder = ?",
      state,
      text,
      now,
      schedule,
      tick,
      me,
    );
    if (changes === 0) return undefined;
    this.#prune(schedule);
    return this.#firingAt(schedule, tick);
  }

  /** Keeps how things are with a schedule; gives how they were. */
  tell(id: string, state: EndedState): EndedState | undefined {
    const before = this.known(id)?.lastState;
    this.#database.run("UPDATE schedule SET last_state = ? WHERE id = ?", state, id);
    if (state === "passed") this.#database.run("UPDATE schedule SET last_success = ? WHERE id = ?", this.#ports.clock.now(), id);
    return before;
  }

  /** Whether somebody wants a firing to stop. */
  isToStop({ schedule, tick }: Firing): boolean {
    const row = this.#database.get("SELECT stop FROM firing WHERE schedule = ? AND tick = ?", schedule, tick);
    return row?.["stop"] === 1;
  }

  /** The firings of a schedule that are under way or wait, the earliest first. */
  open(id: string): readonly Firing[] {
    return this.#firings("SELECT * FROM firing WHERE schedule = ? AND state IN ('queued', 'running') ORDER BY tick", id);
  }

  /** Firings, the latest first; of one schedule or of all. */
  history(id: string | undefined, limit: number): readonly Firing[] {
    const latest = "ORDER BY tick DESC, schedule LIMIT ?";
    if (id === undefined) return this.#firings(`SELECT * FROM firing ${latest}`, limit);
    return this.#firings(`SELECT * FROM firing WHERE schedule = ? ${latest}`, id, limit);
  }

  /** The last firing of a schedule that is over; of those that became this. */
  lastEnded(id: string): Firing | undefined {
    const over = "state NOT IN ('queued', 'running')";
    return this.#firings(`SELECT * FROM firing WHERE schedule = ? AND ${over} ORDER BY tick DESC LIMIT 1`, id)[0];
  }

  lastOf(id: string, state: EndedState): Firing | undefined {
    return this.#firings("SELECT * FROM firing WHERE schedule = ? AND state = ? ORDER BY tick DESC LIMIT 1", id, state)[0];
  }

  /** How many of the firings that are remembered became this. */
  countOf(id: string, state: EndedState): number {
    return Number(
      this.#database.get("SELECT COUNT(*) AS count FROM firing WHERE schedule = ? AND state = ?", id, state)?.["count"],
    );
  }

  firing(id: string, tick: number): Firing | undefined {
    return this.#firings("SELECT * FROM firing WHERE schedule = ? AND tick = ?", id, tick)[0];
  }

  /** The last run of a schedule that nobody has released. */
  lastRun(id: string): string | undefined {
    const row = this.#database.get(
      `SELECT run_id, released FROM firing JOIN schedule ON schedule.id = firing.schedule
       WHERE schedule = ? AND run_id IS NOT NULL ORDER BY tick DESC LIMIT 1`,
      id,
    );
    return row === undefined || row["run_id"] === row["released"] ? undefined : String(row["run_id"]);
  }

  known(id: string): Known | undefined {
    const row = this.#database.get("SELECT * FROM schedule WHERE id = ?", id);
    return row === undefined ? undefined : readKnown(row);
  }

  all(): readonly Known[] {
    return this.#database.all("SELECT * FROM schedule ORDER BY id").map(readKnown);
  }

  /** Frees a schedule: what runs is taken for dead, and its last run keeps nothing back any more. Its firing keeps who said so. */
  release(id: string, problem: Problem): void {
    this.transaction(() => {
      const [running] = this.open(id).filter(({ state }) => state === "running");
      if (running !== undefined) this.#bury(running, problem);
      const last = this.lastRun(id);
      if (last === undefined) return;
      const text = this.#ports.redact(JSON.stringify(problem));
      this.#database.run("UPDATE firing SET problem = ? WHERE schedule = ? AND run_id = ?", text, id, last);
      this.#database.run("UPDATE schedule SET released = ? WHERE id = ?", last, id);
    });
  }

  #standing(id: string, isBlocked: () => boolean): Standing {
    const open = this.open(id);
    const known = this.known(id);
    const now = this.#ports.clock.now();
    const last = this.#database.get("SELECT MAX(ended_at) AS at FROM firing WHERE schedule = ? AND started_at IS NOT NULL", id);
    return {
      since: known?.since ?? now,
      isRunning: open.some(({ state }) => state === "running"),
      waiting: open.filter(({ state }) => state === "queued").map(({ tick }) => tick),
      freeSince: Number(last?.["at"] ?? 0),
      isBlocked: isBlocked(),
    };
  }

  #missedOf({ id, cron, timezone, jitterMs, since }: Known, now: number): readonly Step[] {
    if (cron === undefined || timezone === undefined) return [];
    const plan: Plan = { id, cron: new Cron(cron, timezone), overlap: "skip", catchupMs: 0, jitterMs };
    const standing: Standing = { since, isRunning: false, waiting: [], freeSince: 0, isBlocked: false };
    const missed = decide(plan, standing, now).steps.map((step): Step => ({ ...step, state: "missed" }));
    for (const step of missed) this.#put(id, step);
    return missed;
  }

  #carryOut(id: string, { steps, since, cancels }: Decision): void {
    for (const step of steps) this.#put(id, step);
    if (steps.length > 0) this.#database.run("UPDATE schedule SET since = ? WHERE id = ?", since, id);
    if (cancels) this.#database.run("UPDATE firing SET stop = 1 WHERE schedule = ? AND state = 'running'", id);
  }

  #put(id: string, { tick, due, state }: Step): void {
    const now = this.#ports.clock.now();
    const runs = state === "running";
    this.#database.run(
      `INSERT INTO firing (schedule, tick, due, state, holder, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET state = excluded.state, holder = excluded.holder, started_at = excluded.started_at,
         ended_at = excluded.ended_at`,
      id,
      tick,
      due,
      state,
      runs ? JSON.stringify(this.#ports.liveness.me()) : null,
      runs ? now : null,
      runs || state === "queued" ? null : now,
    );
  }

  // A firing whose process is gone holds nothing any more; when it went, nobody knows.
  #buryDead(id: string): readonly Firing[] {
    const dead = this.open(id).filter(({ holder }) => holder !== undefined && !this.#ports.liveness.isAlive(holder));
    return dead.map((firing) => this.#bury(firing, diedOf(firing)));
  }

  #bury({ schedule, tick, startedAt }: Firing, problem: Problem): Firing {
    this.#database.run(
      "UPDATE firing SET state = 'died', problem = ?, ended_at = ? WHERE schedule = ? AND tick = ?",
      JSON.stringify(problem),
      startedAt ?? null,
      schedule,
      tick,
    );
    return this.#firingAt(schedule, tick);
  }

  #prune(id: string): void {
    this.#database.run(
      `DELETE FROM firing WHERE schedule = ? AND state NOT IN ('queued', 'running') AND tick <
         (SELECT tick FROM firing WHERE schedule = ? ORDER BY tick DESC LIMIT 1 OFFSET ?)`,
      id,
      id,
      LIMITS.firingsKept - 1,
    );
  }

  #firingAt(id: string, tick: number): Firing {
    const found = this.firing(id, tick);
    if (found === undefined) throw damaged(this.#database.path);
    return found;
  }

  #firings(sql: string, ...values: readonly (string | number)[]): readonly Firing[] {
    return this.#database.all(sql, ...values).map((row) => readFiring(row, this.#database.path));
  }
}

function diedOf({ holder, runId }: Firing): Problem {
  return {
    code: "schedule.died",
    message: `the process ${holder?.pid ?? ""} that ran it is gone`,
    ...(runId === undefined ? {} : { why: `its run ${runId} came to no end`, next: `tokenbook runs show ${runId}` }),
  };
}

function readKnown(row: Row): Known {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]));
  return {
    id: String(row["id"]),
    playbook: String(row["playbook"]),
    environment: String(row["environment"]),
    cron: text("cron"),
    timezone: text("timezone"),
    jitterMs: Number(row["jitter"]),
    since: Number(row["since"]),
    lastState: text("last_state") as EndedState | undefined,
    lastSuccess: numberOf(row["last_success"]),
  };
}

function readFiring(row: Row, path: string): Firing {
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
      problem: row["problem"] === null ? undefined : (JSON.parse(String(row["problem"])) as Problem),
    };
  } catch (error) {
    throw damaged(path, error);
  }
}

function numberOf(cell: Row[string] | undefined): number | undefined {
  return cell === null || cell === undefined ? undefined : Number(cell);
}

function damaged(path: string, cause?: unknown): Failure {
  return new Failure({
    code: "schedule.damaged",
    message: `${path} is damaged: a firing cannot be read`,
    why: "who runs what is not known, so nothing is started",
    next: "restore the state directory from a backup",
    cause,
  });
}

function migrate(database: Database): void {
  const version = versionOf(database);
  if (version > MIGRATIONS.length) throw newer(database.path, version);
  if (version === MIGRATIONS.length) return;
  database.transaction(() => {
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

function versionOf(database: Database): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"] ?? 0);
}

function newer(path: string, version: number): Failure {
  return new Failure({
    code: "schedule.newer",
    message: `${path} was written by a newer tokenbook (format ${version})`,
    next: "update tokenbook, or name another state directory with --state DIR",
  });
}
