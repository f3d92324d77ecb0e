import { type Hint } from "../../base/command-line.ts";
import { countLong } from "../../base/text/text.ts";
import { harmlessJson } from "../../base/text/harmless.ts";
import { writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { isoTime } from "../../base/time/date.ts";
import type { Channel } from "../../environment/notifications.ts";
import { deliver, type StartCommand } from "./deliver.ts";
import type { DeliveryMetrics } from "../metrics.ts";
import type { Notification } from "./notification.ts";
import type { Letter, Outbox } from "./outbox.ts";
import { hintedProblem } from "../../report/hinted.ts";
import type { HeartbeatPorts } from "./heartbeat.ts";

/** The ports of a courier. */
export interface CourierPorts extends HeartbeatPorts {
  /** Starts the command of a channel. */
  readonly start: StartCommand;
  /** Counts deliveries, and shows how many notifications wait. */
  readonly metrics: DeliveryMetrics;
  /** Completes commands in texts for people, so that they find the state directory from here. */
  readonly hint: Hint;
}

/** Delivers notifications to their channels. A failed delivery is logged and retried. It never fails a run. */
export class Courier {
  readonly #outbox: Outbox;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #ports: CourierPorts;
  #working: Promise<boolean> | undefined;
  #isTrying = false;
  /** Nothing is tried after this time, by the clock that is never set back. */
  #until = Number.POSITIVE_INFINITY;

  constructor(outbox: Outbox, channels: readonly Channel[], ports: CourierPorts) {
    this.#outbox = outbox;
    this.#channels = new Map(channels.map((channel) => [channel.name, channel]));
    this.#ports = ports;
  }

  /**
   * Stores a notification for each channel that wants its event. `redact` masks the secrets of its run. If `isNews` is false, it is stored only for channels
   * that an earlier notification did not reach.
   */
  put(notification: Notification, redact: (text: string) => string, isNews = true): void {
    const { event, schedule } = notification;
    const body = bodyOf(notification, { ...this.#ports, redact });
    for (const { name: channel, events } of this.#channels.values()) {
      if (!events.includes(event)) continue;
      const wasLost = this.#outbox.forgetLost(channel, schedule.id);
      if (!isNews && !wasLost) continue;
      for (const full of this.#outbox.put({ channel, schedule: schedule.id, event, body })) this.#dropped(full);
    }
  }

  #dropped(channel: string): void {
    const { log, metrics } = this.#ports;
    metrics.notified(channel, "given-up");
    log("error", "notification.dropped", `too many notifications wait: one for ${channel} is given up`, { channel });
  }

  /** Logs the notifications for channels that are no longer declared, because nobody delivers them. */
  warnOfUndeclared(declared: readonly string[]): void {
    for (const [channel, waiting] of this.#outbox.waitingFor()) {
      if (declared.includes(channel)) continue;
      const what = `${countLong(waiting, "notification")} ${waiting === 1 ? "waits" : "wait"} for the channel "${channel}"`;
      const next = `declare it there until nothing waits for it (command: ["true"] drops what waits)`;
      this.#ports.log("warn", "notification.undeclared", `${what}, which tokenbook.yaml does not have: ${next}`, {
        channel,
        waiting,
      });
    }
  }

  /** Returns the time of the next try; nothing during a try, because the notifications behind it follow at once. */
  nextAt(): number | undefined {
    return this.#isTrying ? undefined : this.#outbox.nextAt(this.#channels);
  }

  /** Delivers what is due, one call at a time. Returns whether there was something. */
  work(): Promise<boolean> {
    this.#working ??= this.#deliverDue().finally(() => {
      this.#working = undefined;
      this.#isTrying = false;
    });
    return this.#working;
  }

  /** Continues until nothing waits, or for `LIMITS.notificationsLastMs`. The next process tries the rest. */
  async drain(signal?: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    this.#until = clock.elapsed() + LIMITS.notificationsLastMs;
    for (;;) {
      await this.work();
      const next = this.nextAt();
      const pause = next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, next - clock.now());
      if (clock.elapsed() + pause >= this.#until || signal?.aborted === true) return;
      await clock.sleep(pause, signal);
    }
  }

  async #deliverDue(): Promise<boolean> {
    let tried = false;
    while (this.#leftMs() > 0) {
      const due = this.#outbox.takeDue(this.#channels, LIMITS.notificationsAtOnce);
      if (due.length === 0) break;
      tried = true;
      this.#isTrying = true;
      await Promise.all(due.map((letter) => this.#deliver(letter)));
    }
    this.#ports.metrics.waiting(this.#outbox.waiting(this.#channels));
    return tried;
  }

  #leftMs(): number {
    return Math.max(0, Math.ceil(this.#until - this.#ports.clock.elapsed()));
  }

  async #deliver(letter: Letter): Promise<void> {
    const { log, metrics } = this.#ports;
    const channel = this.#channels.get(letter.channel);
    if (channel === undefined) return;
    const timeoutMs = Math.min(channel.timeoutMs, this.#leftMs());
    const why = await deliver(letter, { ...channel, timeoutMs }, this.#ports);
    const about = { channel: channel.name, notification: letter.id, tries: letter.tries };
    if (why === undefined) {
      this.#outbox.delivered(letter);
      metrics.notified(channel.name, "delivered");
      log("info", "notification.delivered", `notified ${channel.name}: ${letter.event}`, about);
      return;
    }
    const next = this.#outbox.failed(letter, why);
    metrics.notified(channel.name, next === undefined ? "given-up" : "failed");
    const then = next === undefined ? `given up after ${letter.tries} tries` : `tried again at ${isoTime(next)}`;
    const level = next === undefined ? "error" : "warn";
    log(level, "notification.failed", `${channel.name} could not be notified: ${letter.event}: ${why}; ${then}`, {
      ...about,
      why,
    });
  }
}

/** Returns a notification as it is delivered: JSON with secrets masked. */
export function bodyOf(notification: Notification, { hint, redact }: Pick<CourierPorts, "hint" | "redact">): string {
  const { problem, run } = notification;
  const steps = run?.steps.map((step) => ({ ...step, problem: hintedProblem(step.problem, hint) })) ?? [];
  const hinted = { ...notification, problem: hintedProblem(problem, hint), run: run === null ? null : { ...run, steps } };
  return harmlessJson(redact(writeJson(hinted)));
}
