import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RunReport } from "../report/shape.ts";
import { DRIFT_STATES, driftsIn } from "./drifts.ts";
import type { EndedState } from "../report/schedule/shape.ts";

const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];

/** The metrics of a process that delivers notifications. Counters start at zero with the process. */
export class DeliveryMetrics {
  /** All metrics of this process, in the format of Prometheus. */
  protected readonly registry: Registry = new Registry();
  readonly #notifications = this.counter("tokenbook_notifications_total", "Deliveries by outcome.", "channel", "result");
  readonly #waiting = this.gauge("tokenbook_notifications_waiting", "Notifications that wait to be delivered.");

  /** Counts one try of a delivery to a channel by its result. A notification that is given up because too many wait counts too. */
  notified(channel: string, result: "delivered" | "failed" | "given-up"): void {
    this.#notifications.inc({ channel, result });
  }

  /** Shows how many notifications wait to be delivered. */
  waiting(count: number): void {
    this.#waiting.set(count);
  }

  /** Returns the text for Prometheus, and its content type. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  /** Makes a counter of this process. */
  protected counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** Makes a gauge of this process. */
  protected gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }
}

/** The metrics of a scheduler. */
export class Metrics extends DeliveryMetrics {
  /** The run that is shown for each schedule. */
  readonly #shown = new Map<string, string>();
  readonly #firings = this.counter("tokenbook_schedule_firings_total", "Firings by outcome.", "schedule", "outcome");
  readonly #duration = new Histogram({
    name: "tokenbook_schedule_run_duration_seconds",
    help: "How long firings took, with all their tries.",
    labelNames: ["schedule"],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly #broken = this.gauge(
    "tokenbook_schedule_broken_playbooks",
    "Playbooks that cannot be run, because a file is missing or has a mistake.",
  );
  readonly #running = this.gauge("tokenbook_schedule_running", "Firings of this process that are under way.", "schedule");
  readonly #success = this.gauge(
    "tokenbook_schedule_last_success_timestamp_seconds",
    "When a run passed last; 0 when none has.",
    "schedule",
  );
  readonly #next = this.gauge("tokenbook_schedule_next_firing_timestamp_seconds", "When the schedule fires next.", "schedule");
  readonly #steps = this.gauge(
    "tokenbook_schedule_last_run_steps",
    "Steps of the last run by their outcome.",
    "schedule",
    "outcome",
  );
  readonly #drifts = this.gauge("tokenbook_schedule_drifts", "Drifts that the last run found, by state.", "schedule", "state");

  /** Shows how many playbooks cannot be run now. */
  broken(count: number): void {
    this.#broken.set(count);
  }

  /** Makes a schedule appear before it has fired, so that an alarm on its absence does not look like a typing error. */
  begin(schedule: string): void {
    for (const outcome of SHOWN_FROM_THE_START) this.#firings.inc({ schedule, outcome }, 0);
    this.#running.inc({ schedule }, 0);
  }

  /** Shows the state of a schedule, whichever process has run it: when it last passed, and what its last run found. */
  showState(
    schedule: string,
    { lastSuccess, lastRun }: { readonly lastSuccess: number | undefined; readonly lastRun: string | undefined },
    reportOf: (runId: string) => RunReport | undefined,
  ): void {
    this.#success.set({ schedule }, (lastSuccess ?? 0) / 1_000);
    if (lastRun === undefined || this.#shown.get(schedule) === lastRun) return;
    this.#shown.set(schedule, lastRun);
    this.#show(schedule, reportOf(lastRun));
  }

  /** Shows when a schedule fires next, in milliseconds since the Unix epoch. A schedule that never fires again is not shown. */
  next(schedule: string, at: number | undefined): void {
    if (at === undefined) this.#next.remove({ schedule });
    else this.#next.set({ schedule }, at / 1_000);
  }

  /** Counts a firing of this process as under way. */
  started(schedule: string): void {
    this.#running.inc({ schedule });
  }

  /** Counts a firing as no longer under way. Shows how long it took with all its tries, and what its last run found. */
  ran(schedule: string, durationMs: number, report: RunReport | undefined): void {
    this.#running.dec({ schedule });
    this.#duration.observe({ schedule }, durationMs / 1_000);
    if (report !== undefined) this.#shown.set(schedule, report.run.id);
    this.#show(schedule, report);
  }

  #show(schedule: string, report: RunReport | undefined): void {
    if (report === undefined) return;
    const { steps: _steps, ...totals } = report.totals;
    for (const [outcome, count] of Object.entries(totals)) this.#steps.set({ schedule, outcome }, count);
    const found = driftsIn(report);
    for (const state of DRIFT_STATES) {
      // A run that compared nothing shows neither that there are drifts nor that there are none.
      if (found === null) this.#drifts.remove({ schedule, state });
      else this.#drifts.set({ schedule, state }, found.counts[state]);
    }
  }

  /** Counts firings of a schedule that had the same outcome. */
  fired(schedule: string, outcome: EndedState, count: number): void {
    this.#firings.inc({ schedule, outcome }, count);
  }
}

const SHOWN_FROM_THE_START: readonly EndedState[] = [
  "passed",
  "failed",
  "drift",
  "pending",
  "unknown",
  "conflict",
  "interrupted",
  "died",
  "missed",
  "blocked",
  "skipped",
  "cancelled",
  "replaced",
];

/** The load that a worker shows: the queue and the runs. */
export interface WorkerLoad {
  /** The submitted runs by label: how many wait, are under way or were given up, and how many seconds the oldest has waited. */
  readonly labels: readonly {
    readonly label: string;
    readonly waiting: number;
    readonly active: number;
    readonly oldestSeconds: number;
    readonly givenUp: number;
  }[];
  /** How many workers are alive. */
  readonly workers: number;
  /** The age of the oldest run with a write with unknown outcome, in seconds; 0 if there is none. */
  readonly oldestUnknownSeconds: number;
}

/** The metrics of a worker, which are read from the database on request. */
export class WorkerMetrics extends DeliveryMetrics {
  readonly #load: () => Promise<WorkerLoad>;
  readonly #waiting = this.gauge("tokenbook_queue_waiting", "Submitted runs that wait, by label.", "label");
  readonly #active = this.gauge("tokenbook_queue_active", "Submitted runs that are under way, by label.", "label");
  readonly #oldest = this.gauge(
    "tokenbook_queue_oldest_seconds",
    "How long the oldest submitted run has waited, by label.",
    "label",
  );
  readonly #givenUp = this.gauge("tokenbook_queue_given_up", "Submitted runs that were given up, by label.", "label");
  readonly #workers = this.gauge("tokenbook_workers", "Workers that are alive.");
  readonly #unknown = this.gauge(
    "tokenbook_oldest_unknown_seconds",
    "The age of the oldest run that has left a write open; 0 when there is none.",
  );

  constructor(load: () => Promise<WorkerLoad>) {
    super();
    this.#load = load;
  }

  /** Returns the text for Prometheus, and its content type. Rejects if the database cannot be queried. */
  override async page(): Promise<{ readonly type: string; readonly text: string }> {
    const { labels, workers, oldestUnknownSeconds } = await this.#load();
    // Otherwise a label without jobs would keep its last numbers.
    for (const gauge of [this.#waiting, this.#active, this.#oldest, this.#givenUp]) gauge.reset();
    for (const { label, waiting, active, oldestSeconds, givenUp } of labels) {
      this.#waiting.set({ label }, waiting);
      this.#active.set({ label }, active);
      this.#oldest.set({ label }, oldestSeconds);
      this.#givenUp.set({ label }, givenUp);
    }
    this.#workers.set(workers);
    this.#unknown.set(oldestUnknownSeconds);
    return super.page();
  }
}
