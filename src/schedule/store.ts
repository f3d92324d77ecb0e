import { Cron } from "../base/time/cron.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { livenessIn } from "../journal/liveness.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import type { StatePlace } from "../sql/place.ts";
import { lookAtPart, openPart, type StatePart } from "../state/tables.ts";
import { type ServerTables, TableLayout } from "../sql/layout.ts";
import { decide, type Decision, type FiringPlan, type ScheduleState, type TickDecision } from "./decide.ts";
import type { Firing, OpenWriteQuestion } from "./firing.ts";
import { Firings, FIRINGS_SCHEMA, type StorePorts, type TablePorts } from "./firings.ts";
import { Outbox, OUTBOX_SCHEDULE, OUTBOX_SCHEMA } from "./notify/outbox.ts";
import type { Streak } from "./notify/streak.ts";
import type { KeptFailure } from "../base/failure.ts";
import type { EndedState, AboutSchedule } from "../report/schedule/shape.ts";

const SCHEMA = `
CREATE TABLE schedule (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, cron TEXT, timezone TEXT, jitter INTEGER NOT NULL,
  since INTEGER NOT NULL, last_state TEXT, last_success INTEGER, released TEXT
) STRICT;
`;

const STREAK = `
ALTER TABLE schedule ADD COLUMN streak_reason TEXT;
ALTER TABLE schedule ADD COLUMN streak_since INTEGER;
ALTER TABLE schedule ADD COLUMN streak_told_at INTEGER;
ALTER TABLE schedule ADD COLUMN streak_times INTEGER;
`;

const ON_SERVER: ServerTables = {
  part: "schedule",
  since: 2,
  copied: [
    { name: "schedule", order: "id" },
    { name: "firing", order: "rowid", hasRowid: true },
    { name: "notification", order: "rowid", hasRowid: true },
  ],
};

/** The tables of a file of schedules. */
export const SCHEDULES: TableLayout = new TableLayout([SCHEMA + FIRINGS_SCHEMA + OUTBOX_SCHEMA, STREAK + OUTBOX_SCHEDULE], {
  server: ON_SERVER,
});

/** Schedules and firings as a part of the state. */
export const SCHEDULE_PART: StatePart = { entry: "schedule.db", layout: SCHEDULES, newerCode: "schedule.newer" };

/** A stored schedule without its firings. */
export interface KnownSchedule extends AboutSchedule {
  /** The pattern; undefined if only an external scheduler has run the playbook. */
  readonly cron: string | undefined;
  /** The time zone of the pattern; undefined if `cron` is. */
  readonly timezone: string | undefined;
  /** The largest jitter of a tick, in milliseconds. */
  readonly jitterMs: number;
  /** The ticks up to this moment are settled. */
  readonly since: number;
  /** The outcome of the last firing that shows the state of the schedule. */
  readonly lastState: EndedState | undefined;
  /** Since when, and how often in a row, it has not passed for the same reason. */
  readonly streak: Streak | undefined;
  /** When a run last passed, in milliseconds since the Unix epoch; undefined if none has. */
  readonly lastSuccess: number | undefined;
}

/** The result of a look at a schedule. */
export interface ScheduleLook {
  /** The decision, which this process has claimed. */
  readonly decision: Decision;
  /** Firings whose process died. */
  readonly died: readonly Firing[];
}

/** The ports of a reader. It keeps no texts, so it masks none. */
const LOOKING: StorePorts = { redact: (text) => text };

/** The ticks that a plan has missed. */
type Missed = Pick<Decision, "steps" | "isCut">;
const NONE: Missed = { steps: [], isCut: false };

/** The schedules of a state directory. Each firing is claimed by exactly one process, however many there are. */
export class ScheduleStore {
  /** The firings of all its schedules. */
  readonly firings: Firings;
  /** The notifications that wait to be delivered. */
  readonly outbox: Outbox;
  /** The clock by which firings are due. */
  readonly clock: Clock;
  readonly #database: SqlDatabase;
  readonly #ports: TablePorts;

  private constructor(database: SqlDatabase, ports: StorePorts) {
    const liveness = ports.liveness ?? livenessIn(database);
    this.#database = database;
    this.clock = ports.clock ?? database.clock;
    this.#ports = { fence: () => undefined, ...ports, clock: this.clock, liveness };
    this.firings = new Firings(database, this.#ports);
    this.outbox = new Outbox(database, this.#ports);
  }

  /** Opens the store, and creates it if there is none. Throws a Failure if a newer tokenbook has written it. */
  static open(place: StatePlace, ports: StorePorts): ScheduleStore {
    return new ScheduleStore(openPart(place, SCHEDULE_PART), ports);
  }

  /** Opens the store if there is one; otherwise returns an empty store that leaves nothing behind. */
  static existing(place: StatePlace, ports: StorePorts): ScheduleStore {
    return new ScheduleStore(openPart(place, SCHEDULE_PART, "existing"), ports);
  }

  /** Opens the store without changing anything; `undefined` if there is none or if it is empty. Throws a Failure. */
  static look(place: StatePlace): ScheduleStore | undefined {
    const database = lookAtPart(place, SCHEDULE_PART);
    return database && new ScheduleStore(database, LOOKING);
  }

  /** Closes the store, and what shows other processes that this one is alive. */
  close(): void {
    this.#ports.liveness.close();
    this.#database.close();
  }

  /** Closes the store when its scope ends (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Throws a Failure if somebody has removed the file, because other processes would not see the changes. */
  assertInPlace(): void {
    this.#database.assertInPlace();
  }

  /** Throws a Failure if nothing can be written: somebody has removed the file, or the server is away or a standby. */
  assertUsable(): void {
    this.assertInPlace();
    this.#database.assertPrimary();
  }

  /** Makes several changes or none of them. Throws a Failure, even if only the file was removed. */
  transaction<T>(work: (database: SqlDatabase) => T): T {
    this.assertInPlace();
    return this.#database.transaction(() => work(this.#database));
  }

  /**
   * Registers a schedule. Its first tick is the first one after now. A schedule whose pattern has changed starts again. `report` receives, within the
   * transaction, what the previous pattern has missed.
   */
  register(
    schedule: Omit<KnownSchedule, "since" | "lastState" | "streak" | "lastSuccess">,
    report: (missed: Missed) => void = () => undefined,
  ): void {
    const { id, playbook, environment, cron, timezone, jitterMs } = schedule;
    this.transaction(() => {
      const now = this.#ports.clock.now();
      const known = this.known(id);
      const isNew = known === undefined || (cron !== undefined && (known.cron !== cron || known.timezone !== timezone));
      const missed = known !== undefined && isNew ? this.#missedOf(known, now) : NONE;
      const since = known === undefined || this.isAhead(known) ? now : isNew ? Math.max(now, known.since) : known.since;
      this.#database.run(
        `INSERT INTO schedule (id, playbook, environment, cron, timezone, jitter, since) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET cron = COALESCE(excluded.cron, schedule.cron),
           timezone = COALESCE(excluded.timezone, schedule.timezone),
           jitter = excluded.jitter, since = excluded.since`,
        id,
        playbook,
        environment,
        cron ?? null,
        timezone ?? null,
        jitterMs,
        since,
      );
      report(missed);
    });
  }

  /** Returns whether a schedule is already registered as its playbook defines it. */
  isRegistered(
    known: KnownSchedule | undefined,
    { cron, timezone, jitterMs }: Pick<KnownSchedule, "cron" | "timezone" | "jitterMs">,
  ): boolean {
    const isSame = known?.cron === cron && known?.timezone === timezone && known?.jitterMs === jitterMs;
    return known !== undefined && isSame && !this.isAhead(known);
  }

  /**
   * Returns whether the clock was set back by so much that a tick that is already settled and the one before it would come again. Such a schedule starts again
   * by the new clock. So no schedule fires twice for a moment that has just passed, and none waits beyond the firing after its next one.
   */
  isAhead({ since, cron, timezone }: Pick<KnownSchedule, "since" | "cron" | "timezone">): boolean {
    const now = this.#ports.clock.now();
    if (cron === undefined || timezone === undefined || since <= now + LIMITS.scheduleSetBackMs) return false;
    const next = new Cron(cron, timezone).next(now);
    return next !== undefined && next < since;
  }

  /** Looks at a schedule in one transaction. Only this process claims what is decided. `report` receives the result within the transaction. */
  look(plan: FiringPlan, isBlocked: () => boolean, report: (looked: ScheduleLook) => void): ScheduleLook {
    return this.transaction(() => {
      const died = this.firings.buryDead(plan.id);
      const decision = decide(plan, this.#stateOf(plan.id, isBlocked), this.#ports.clock.now());
      const looked = { decision: this.#carryOut(plan.id, decision), died };
      report(looked);
      return looked;
    });
  }

  /** Takes a schedule now, regardless of its ticks, or returns the firing that is in the way. `report` receives dead firings within the transaction. */
  takeNow(id: string, report: (died: readonly Firing[]) => void): { readonly taken: Firing } | { readonly inTheWay: Firing } {
    return this.transaction(() => {
      report(this.firings.buryDead(id));
      const inTheWay = this.firings.running(id);
      if (inTheWay !== undefined) return { inTheWay };
      const tick = this.#ports.clock.now();
      return { taken: this.firings.put(id, { tick, due: tick, state: "running" }) };
    });
  }

  /** Stores the state of a schedule. Returns the previous state. */
  setState(id: string, state: EndedState, streak?: Streak): EndedState | undefined {
    const before = this.known(id)?.lastState;
    this.#database.run(
      "UPDATE schedule SET last_state = ?, streak_reason = ?, streak_since = ?, streak_told_at = ?, streak_times = ? WHERE id = ?",
      state,
      streak?.reasons.join(" ") ?? null,
      streak?.since ?? null,
      streak?.notifiedAt ?? null,
      streak?.times ?? null,
      id,
    );
    if (state === "passed") this.#database.run("UPDATE schedule SET last_success = ? WHERE id = ?", this.#ports.clock.now(), id);
    return before;
  }

  /** Returns the question that must be asked about a schedule's runs before its playbook is run again. */
  openWriteQuestion({ id, playbook, environment }: AboutSchedule): OpenWriteQuestion {
    const released = this.firings.released(id).map(({ runId }) => runId);
    return { playbook, environment, lastRun: this.lastRun(id), released };
  }

  /** Returns the last run of a schedule, unless it was released. */
  lastRun(id: string): string | undefined {
    const last = this.firings.lastRun(id);
    const released = this.#database.get("SELECT released FROM schedule WHERE id = ?", id)?.["released"];
    return last === released ? undefined : last;
  }

  /** Returns a schedule; nothing if it was never registered. */
  known(id: string): KnownSchedule | undefined {
    const row = this.#database.get("SELECT * FROM schedule WHERE id = ?", id);
    return row === undefined ? undefined : readKnown(row);
  }

  /** Returns all schedules, ordered by id. */
  all(): readonly KnownSchedule[] {
    return this.#database.all("SELECT * FROM schedule ORDER BY id").map(readKnown);
  }

  /** Frees a schedule. Its running firing is taken for dead, and its last run no longer blocks anything. The firing stores who said this. */
  release(id: string, problem: KeptFailure): void {
    this.transaction(() => {
      const running = this.firings.running(id);
      if (running !== undefined) this.firings.bury(running, problem);
      const last = this.lastRun(id);
      if (last === undefined) return;
      this.firings.explainRun(id, last, problem);
      this.#database.run("UPDATE schedule SET released = ? WHERE id = ?", last, id);
    });
  }

  #stateOf(id: string, isBlocked: () => boolean): ScheduleState {
    const open = this.firings.open(id);
    return {
      since: this.known(id)?.since ?? this.#ports.clock.now(),
      isRunning: open.some(({ state }) => state === "running"),
      waiting: open.filter(({ state }) => state === "queued").map(({ tick }) => tick),
      freeSince: this.firings.freeSince(id),
      isBlocked,
    };
  }

  #missedOf({ id, cron, timezone, jitterMs, since }: KnownSchedule, now: number): Missed {
    if (cron === undefined || timezone === undefined) return NONE;
    const plan: FiringPlan = { id, cron: new Cron(cron, timezone), overlap: "skip", catchupMs: 0, jitterMs };
    const state: ScheduleState = { since, isRunning: false, waiting: [], freeSince: 0, isBlocked: () => false };
    const decision = decide(plan, state, now);
    return {
      steps: this.#put(
        id,
        decision.steps.map((step) => ({ ...step, state: "missed" })),
      ),
      isCut: decision.isCut,
    };
  }

  // Returns the decision with the ticks under which it was stored.
  #carryOut(id: string, decision: Decision): Decision {
    const { since, cancels } = decision;
    const steps = this.#put(id, decision.steps);
    if (steps.length > 0) {
      this.#database.run("UPDATE schedule SET since = ? WHERE id = ?", since, id);
      this.firings.prune(id);
    }
    if (cancels) this.firings.stop(id);
    return { ...decision, steps };
  }

  #put(id: string, steps: readonly TickDecision[]): readonly TickDecision[] {
    return steps.map((step) => ({ ...step, tick: this.firings.put(id, step).tick }));
  }
}

function readKnown(row: SqlRow): KnownSchedule {
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
    streak: readStreak(row),
    lastSuccess: row["last_success"] === null ? undefined : Number(row["last_success"]),
  };
}

// A file of the first format that was opened without changing it has no such columns.
function readStreak(row: SqlRow): Streak | undefined {
  const reason = row["streak_reason"] ?? null;
  if (reason === null) return undefined;
  const [since, notifiedAt, times] = [Number(row["streak_since"]), Number(row["streak_told_at"]), Number(row["streak_times"])];
  return { reasons: String(reason).split(" "), since, notifiedAt, times };
}
