import { randomUUID } from "node:crypto";
import { Failure, messageOf, type KeptFailure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Channel } from "../../environment/notifications.ts";
import { bodyOf, type CourierPorts } from "./courier.ts";
import { deliver } from "./deliver.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { noteOfOutage } from "./notification.ts";
import type { AboutSchedule } from "../../report/schedule/shape.ts";

/** Who is notified that a scheduler has stopped because of an error, and how. */
export interface OutageReport extends Omit<CourierPorts, "metrics"> {
  /** The channels of the environment. Those that select `failure` are notified. */
  readonly channels: readonly Channel[];
  /** Pings the monitoring service, which is notified too. */
  readonly heartbeat: Heartbeat;
  /** Whether an external scheduler calls it, and will call it again. */
  readonly isOnce: boolean;
}

/**
 * Reports that these schedules no longer run, because of an unexpected error or because the state directory cannot be written. Each delivery is tried once, all
 * within `LIMITS.notificationsLastMs`. Nothing is stored, because the disk may be what is broken.
 */
export async function reportOutage(cause: unknown, schedules: readonly AboutSchedule[], report: OutageReport): Promise<void> {
  const { channels, heartbeat, clock, isOnce } = report;
  const what = isOnce ? "tokenbook schedule --once ended with an error" : "the scheduler has stopped";
  const problem = problemOf(cause);
  const until = clock.elapsed() + LIMITS.notificationsLastMs;
  const pinged = heartbeat.stopped(`${what}: ${problem.message}`);
  const wanting = channels.filter(({ events }) => events.includes("failure"));
  for (const about of schedules) {
    const leftMs = Math.ceil(until - clock.elapsed());
    if (leftMs <= 0) break;
    const body = bodyOf(noteOfOutage(what, problem, about, clock.now()), report);
    await Promise.all(
      wanting.map((channel) => bring(body, { ...channel, timeoutMs: Math.min(channel.timeoutMs, leftMs) }, report)),
    );
  }
  await pinged;
}

async function bring(body: string, channel: Channel, report: OutageReport): Promise<void> {
  const { log } = report;
  const { name } = channel;
  const id = randomUUID();
  const why = await deliver({ id, channel: name, event: "failure", body, tries: 1 }, channel, report);
  if (why === undefined) return log("info", "notification.delivered", `notified ${name}: failure`, { channel: name });
  log("error", "notification.failed", `${name} could not be notified: failure: ${why}`, { channel: name, why });
}

function problemOf(error: unknown): KeptFailure {
  return error instanceof Failure ? error.toJSON() : { code: "schedule.crashed", message: messageOf(error) };
}
