import { type Redact, redactor } from "../../base/secret.ts";
import { secretsOfListeners } from "../../environment/notifications.ts";
import { noteNotified } from "../../fleet/job-rows.ts";
import type { JobResult, TakenRun } from "../../fleet/job.ts";
import type { RunReport } from "../../report/shape.ts";
import { Courier } from "../../schedule/notify/courier.ts";
import type { StartCommand } from "../../schedule/notify/deliver.ts";
import { problemsIn } from "../../schedule/firing.ts";
import type { Log } from "../../schedule/log.ts";
import type { DeliveryMetrics } from "../../schedule/metrics.ts";
import { eventOf, noteOfSubmitted } from "../../schedule/notify/notification.ts";
import { ScheduleStore } from "../../schedule/store.ts";
import type { ServerPlace } from "../../sql/place.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import type { Where } from "../project/state-place.ts";
import { variablesForCommands } from "../schedule/command-variables.ts";
import { listenersOf } from "../schedule/long-running.ts";

/** What a worker needs to send notifications. */
export interface AlarmPorts {
  /** The database that stores the notifications. */
  readonly place: ServerPlace;
  /** The options that choose the environment and the variables. */
  readonly where: Where;
  /** The log of the worker. */
  readonly log: Log;
  /** The counts of deliveries. */
  readonly metrics: DeliveryMetrics;
}

/** The notifications about the runs of a worker: one for each run that does not pass. They are stored in the database until they are delivered. */
export class Alarms {
  readonly #store: ScheduleStore;
  readonly #courier: Courier;
  /** The playbooks of the runs that have ended here. */
  readonly #playbooks: Set<string>;

  private constructor(store: ScheduleStore, courier: Courier, playbooks: Set<string>) {
    this.#store = store;
    this.#courier = courier;
    this.#playbooks = playbooks;
  }

  /** Reads the channels of tokenbook.yaml. Throws a Failure. */
  static open(shell: ProjectShell, { place, where, log, metrics }: AlarmPorts): Alarms {
    const listeners = listenersOf(shell, where);
    const redact = redactor([place.url, ...secretsOfListeners(listeners)]);
    const store = ScheduleStore.open(place, { redact });
    const playbooks = new Set<string>();
    const inFolder = { ...shell, cwd: shell.project.folder };
    const start: StartCommand = (argv, given) =>
      shell.command(argv, { ...given, variables: variablesForCommands(inFolder, [...playbooks]) });
    const courier = new Courier(store.outbox, listeners.channels, {
      clock: store.clock,
      start,
      log,
      metrics,
      redact,
      hint: shell.hint,
    });
    courier.warnOfUndeclared(listeners.declared);
    return new Alarms(store, courier, playbooks);
  }

  /** Stores a notification if a run did not pass. Returns whether this end of the run has no notification yet. `redact` masks the secrets of the run. */
  ended(run: TakenRun, result: JobResult, { report, redact }: { readonly report?: RunReport; readonly redact: Redact }): boolean {
    const event = result.outcome === null ? "failure" : eventOf(result.outcome, undefined, undefined);
    if (event === undefined) return false;
    const { playbook, environment, key: id } = run;
    this.#playbooks.add(playbook);
    const problems = result.problem === null ? (report === undefined ? [] : problemsIn(report)) : [result.problem];
    const about = { id, playbook, environment };
    const note = noteOfSubmitted(event, result.outcome ?? "not run", { about, report, problems, at: this.#store.clock.now() });
    return this.#store.transaction((database) => {
      const isNew = noteNotified(database, run, result.outcome ?? result.problem?.code ?? "not run");
      if (isNew) this.#courier.put(note, redact);
      return isNew;
    });
  }

  /** Delivers the notifications that are due. Throws a Failure if the database is unavailable; the notifications then stay stored. */
  async deliver(): Promise<void> {
    this.#store.assertUsable();
    await this.#courier.work();
  }

  /** Delivers as many notifications as possible within `LIMITS.notificationsLastMs`. Another worker delivers the rest. */
  async drain(): Promise<void> {
    await this.#courier.drain();
  }

  /** Closes the database. Notifications that were not delivered stay there. */
  close(): void {
    this.#store.close();
  }
}
