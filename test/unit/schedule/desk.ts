// A machine that runs schedules: with virtual time, the real table on a real disk, processes that start and end, and runs that only take time.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { VirtualTime } from "../../../simulation/time.ts";
import { PLAIN_HINT } from "../../../src/base/command-line.ts";
import { Cron, localTime } from "../../../src/base/time/cron.ts";
import { EXIT } from "../../../src/base/exit.ts";
import type { Clock } from "../../../src/base/ports.ts";
import type { Channel } from "../../../src/environment/notifications.ts";
import type { Schedule } from "../../../src/playbook/model.ts";
import { exitOf } from "../../../src/protocol/decide.ts";
import type { Life } from "../../../src/journal/holder.ts";
import type { Holder, RunOutcome } from "../../../src/protocol/record.ts";
import type { MakeRun, Parts } from "../../../src/schedule/carrier.ts";
import { Courier } from "../../../src/schedule/notify/courier.ts";
import type { KeptFailure } from "../../../src/base/failure.ts";
import type { CommandEnd, StartCommand } from "../../../src/schedule/notify/deliver.ts";
import { Heartbeat } from "../../../src/schedule/notify/heartbeat.ts";
import type { Firing, Released } from "../../../src/schedule/firing.ts";
import type { Log } from "../../../src/schedule/log.ts";
import { Metrics } from "../../../src/schedule/metrics.ts";
import type { Notification } from "../../../src/schedule/notify/notification.ts";
import { runNow } from "../../../src/schedule/once.ts";
import { Scheduler, type Ticking } from "../../../src/schedule/service.ts";
import { ScheduleStore, SCHEDULES } from "../../../src/schedule/store.ts";
import type { StatePlace } from "../../../src/sql/place.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { TestState } from "../../state.ts";
import type { Blocking } from "../../../src/report/schedule/shape.ts";

const PARIS = "Europe/Paris";
const MINUTE = 60_000;

/** What a run does: how long it takes, and how it ends if nobody stops it. */
export interface Work {
  readonly minutes: number;
  readonly outcome?: RunOutcome;
  readonly problem?: KeptFailure;
  /** How many minutes it continues after a request to stop. */
  readonly stopsAfterMinutes?: number;
}

/** Returns a schedule for the tests. Everything but the cron pattern has a default. */
export function schedule(cron: string, more: Partial<Omit<Schedule, "cron">> & { timezone?: string } = {}): Schedule {
  const { timezone = PARIS, ...rest } = more;
  const otherwise = { overlap: "skip", catchupMs: 0, jitterMs: 0, timeLimitMs: undefined, retry: undefined } as const;
  return { ...otherwise, ...rest, cron: new Cron(cron, timezone) };
}

/** A process that serves schedules. */
export interface Process {
  readonly ended: Promise<void>;
  /** Returns why the process would fire nothing now. */
  notReady(): string | undefined;
  /** Returns the metrics that Prometheus would read. */
  metrics(): Promise<string>;
  /** Stops the process as SIGTERM does. */
  stop(): void;
  /** Kills the process as SIGKILL does: it does nothing more. */
  kill(): void;
}

export class Desk {
  readonly time: VirtualTime;
  /** Notifications in order, as `event summary`. */
  readonly notified: string[] = [];
  /** Log entries in order, as `event message`. */
  readonly logged: string[] = [];
  /** The runs that each process began. */
  readonly runs: { readonly process: number; readonly at: number }[] = [];
  /** What each run does. Further runs repeat the last entry. */
  work: readonly Work[] = [{ minutes: 1 }];
  /** Runs that need a person's attention. */
  readonly blocking: Map<string, Blocking> = new Map<string, Blocking>();
  /** What other processes conclude about a process that has ended. */
  ended: Life = "dead";
  /** How far the machine's clock is ahead, in milliseconds. */
  aheadMs = 0;
  /** How many minutes a firing waits for its slot. */
  slotAfterMinutes = 0;
  /** Called first by each look at the schedules. */
  look: () => void = () => undefined;
  /** How the notification command ends. */
  listener: () => CommandEnd = () => ({ code: 0, signal: null, stderr: "" });
  readonly #state = new TestState();
  readonly #place: StatePlace;
  readonly #living = new Set<number>();
  #processes = 0;
  #runs = 0;

  constructor(beginning: string, place?: StatePlace) {
    this.time = new VirtualTime(Date.parse(beginning), 2_000_000);
    this.#place = place ?? this.#state.place;
  }

  /** Starts a process that serves this schedule. */
  serve(schedules: Schedule, { writes = false }: { readonly writes?: boolean } = {}): Process {
    const stopping = new AbortController();
    const { parts, pid } = this.#process();
    const ticking: Ticking = { id: "supply.yaml", playbook: "supply.yaml", environment: "here", schedule: schedules, writes };
    const all = [ticking];
    const current = (): readonly Ticking[] => {
      this.look();
      return all;
    };
    const scheduler = new Scheduler({ ...parts, current, reportOf: () => undefined });
    const ended = scheduler.run(stopping.signal).finally(() => parts.store.close());
    return {
      ended,
      notReady: () => scheduler.notReady(),
      metrics: async () => {
        await scheduler.showState();
        return (await parts.metrics.page()).text;
      },
      stop: () => stopping.abort(),
      kill: () => {
        this.#living.delete(pid);
      },
    };
  }

  /** Fires once, as a system's own scheduler would. Returns the exit code. */
  async once({ writes = false }: { readonly writes?: boolean } = {}): Promise<number> {
    const { parts } = this.#process();
    const scheduled = { id: "supply.yaml", playbook: "supply.yaml", environment: "here", schedule: undefined, writes };
    try {
      return await runNow(parts, scheduled, new AbortController().signal);
    } finally {
      parts.store.close();
    }
  }

  /** Lets time pass until a moment. */
  async until(moment: string): Promise<void> {
    await this.time.until(this.time.sleep(Date.parse(moment) - this.time.now()));
  }

  /** Stops a process, and lets time pass until it has ended. */
  async end(process: Process): Promise<void> {
    process.stop();
    await this.time.until(process.ended);
  }

  /** Turns the file into one of the first format, as an earlier version left it. */
  age(): void {
    const database = Database.open(join(this.#state.folder, "schedule.db"), SCHEDULES);
    for (const column of ["reason", "since", "told_at", "times"])
      database.exec(`ALTER TABLE schedule DROP COLUMN streak_${column}`);
    database.exec("ALTER TABLE notification DROP COLUMN schedule; PRAGMA user_version = 1");
    database.close();
  }

  /** Returns how often in a row the schedule has not passed for the same reason. It only reads, as a command that lists schedules does. */
  timesInARow(): number | undefined {
    const store = ScheduleStore.look(this.#place);
    const times = store?.known("supply.yaml")?.streak?.times;
    store?.close();
    return times;
  }

  /** Releases the schedule, as a person does. */
  release(): void {
    this.#look((store) => store.release("supply.yaml", { code: "schedule.released", message: "released" }));
  }

  /** Returns the runs that people have released. */
  released(): readonly Released[] {
    return this.#look((store) => store.firings.released("supply.yaml"));
  }

  /** Removes the state directory. */
  remove(): void {
    rmSync(this.#state.folder, { recursive: true });
  }

  /** Returns the firings in order, as a table: when each was due, began and ended by the clock of Paris, and its outcome. */
  table(timezone: string = PARIS): string {
    const firings = this.#look((store) => store.firings.history("supply.yaml", 10_000)).toReversed();
    return firings.map((firing) => row(firing, timezone)).join("\n");
  }

  #look<T>(look: (store: ScheduleStore) => T): T {
    const store = this.#store(this.time, 0);
    try {
      return look(store);
    } finally {
      store.close();
    }
  }

  #store(clock: Clock, pid: number): ScheduleStore {
    const me: Holder = { host: "desk", bootId: "one", pid, startedAt: "0" };
    const lifeOf = ({ pid: of }: Holder): Life => (this.#living.has(of) ? "alive" : this.ended);
    const liveness = { me: () => me, taking: () => me, lifeOf, close: () => undefined };
    return ScheduleStore.open(this.#place, { clock, redact: (text) => text, liveness });
  }

  #process(): { readonly parts: Parts; readonly pid: number } {
    const pid = ++this.#processes;
    this.#living.add(pid);
    const clock = this.#clockOf(pid);
    const store = this.#store(clock, pid);
    const metrics = new Metrics();
    const channel: Channel = { kind: "command", name: "desk", argv: ["notify"], timeoutMs: MINUTE, events: EVERYTHING };
    const log: Log = (_level, event, message) => void this.logged.push(`${event} ${message}`);
    const ports = {
      clock,
      start: this.#listen,
      log,
      metrics,
      redact: (text: string) => text,
      hint: PLAIN_HINT,
    };
    return {
      pid,
      parts: {
        store,
        clock,
        log,
        metrics,
        courier: new Courier(store.outbox, [channel], ports),
        heartbeat: new Heartbeat(undefined, ports),
        redact: (text) => text,
        makeRun: this.#makeRun(pid, clock),
        blocking: ({ lastRun }) => this.blocking.get(lastRun ?? ""),
        inSlot: async (work) => {
          await clock.sleep(this.slotAfterMinutes * MINUTE);
          return work();
        },
      },
    };
  }

  readonly #listen: StartCommand = async (_argv, { input }) => {
    const { event, summary } = JSON.parse(input) as Notification;
    const end = this.listener();
    if (end.code === 0) this.notified.push(`${event}  ${summary}`);
    return end;
  };

  // The sleep of a killed process never ends.
  #clockOf(pid: number): Clock {
    const { time } = this;
    return {
      now: () => time.now() + this.aheadMs,
      elapsed: () => time.elapsed(),
      uptime: () => time.uptime(),
      sleep: async (ms, signal) => {
        await time.sleep(ms, signal);
        if (!this.#living.has(pid)) await new Promise(() => undefined);
      },
    };
  }

  #makeRun(pid: number, clock: Clock): MakeRun {
    return async (_scheduled, { signal, begun }) => {
      const {
        minutes,
        outcome = "passed",
        problem,
        stopsAfterMinutes = 0,
      } = this.work[Math.min(this.#runs, this.work.length - 1)] ?? { minutes: 1 };
      begun(`run-${++this.#runs}`);
      this.runs.push({ process: pid, at: this.time.now() });
      await clock.sleep(minutes * MINUTE, signal);
      if (!signal.aborted) return { outcome, exit: exitOf(outcome), report: undefined, problem };
      await clock.sleep(stopsAfterMinutes * MINUTE);
      return { outcome: "interrupted", exit: EXIT.interrupted, report: undefined, problem: undefined };
    };
  }
}

const EVERYTHING = ["drift", "recovery", "failure", "missed", "pending", "unknown"];

function row({ due, state, startedAt, endedAt, tries, runId }: Firing, timezone: string): string {
  const clock = (at: number | undefined): string => (at === undefined ? "-" : localTime(at, timezone).slice(11, 19)).padEnd(8);
  const ran = runId === undefined ? ["-", "-"] : [clock(startedAt), clock(endedAt)];
  return [localTime(due, timezone), state.padEnd(11), ...ran, tries > 1 ? `${tries} tries` : ""].join("  ").trimEnd();
}
