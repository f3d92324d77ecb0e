import { getOrInsert } from "../../base/maps.ts";
import { createHash } from "node:crypto";
import type { ExitCode } from "../../base/exit.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Clock } from "../../base/ports.ts";
import { retry } from "../../base/time/retry.ts";
import type { Redact, Secret } from "../../base/secret.ts";
import { isoTime } from "../../base/time/date.ts";
import type { RunReport } from "../../report/shape.ts";
import { driftsIn } from "../drifts.ts";
import type { Firing } from "../firing.ts";
import type { Log } from "../log.ts";
import { post } from "./post.ts";

/** The ports of a heartbeat. */
export interface HeartbeatPorts {
  /** The clock for pauses between tries. */
  readonly clock: Clock;
  /** Receives a line for each dropped ping. */
  readonly log: Log;
  /** Masks secrets in texts that are sent and logged. */
  readonly redact: Redact;
}

/** The end of a firing. */
export interface FiringEnd {
  /** The exit code; undefined if no run was made. */
  readonly exit: ExitCode | undefined;
  /** The report of its last run; undefined if there is none. */
  readonly report: RunReport | undefined;
}

interface Ping {
  /** The suffix of the address's path: `/start`, `/fail`, or `/` with an exit code. */
  readonly signal: string;
  /** An id that the start and the end of a firing share. */
  readonly id: string | undefined;
  readonly body: string;
}

/**
 * Pings a monitoring service at the start and end of each firing. The service raises an alarm when the pings stop. Pings are not stored: after
 * `LIMITS.heartbeatAttempts`, a ping is dropped, because silence is the alarm. The pings of one schedule arrive in order.
 */
export class Heartbeat {
  readonly #address: Secret | undefined;
  readonly #ports: HeartbeatPorts;
  readonly #waiting = new Map<string, Ping[]>();
  readonly #working = new Map<string, Promise<void>>();
  /** Nothing is tried after this time, by the clock that is never set back. */
  #until = Number.POSITIVE_INFINITY;

  /** Without an address, nothing is sent. */
  constructor(address: Secret | undefined, ports: HeartbeatPorts) {
    this.#address = address;
    this.#ports = ports;
  }

  /** Reports that a firing has started. */
  started(firing: Firing): void {
    this.#put(firing.schedule, { signal: "/start", id: idOf(firing), body: `${firing.schedule}: started` });
  }

  /** Reports how a firing has ended: its exit code, or a failure if no run was made. */
  ended(firing: Firing, { exit, report }: FiringEnd): void {
    const signal = exit === undefined ? "/fail" : `/${exit}`;
    this.#put(firing.schedule, { signal, id: idOf(firing), body: bodyOf(firing, report) });
  }

  /** Reports missed firings of a schedule as a failure. */
  missed(schedule: string, summary: string): void {
    this.#put(schedule, { signal: "/fail", id: undefined, body: summary });
  }

  /** Reports, after all other pings, that no schedule runs any more. */
  async stopped(why: string): Promise<void> {
    await this.settle();
    this.#put("", { signal: "/fail", id: undefined, body: why });
    await this.settle();
  }

  /** Delivers waiting pings within `LIMITS.notificationsLastMs` and drops the rest. */
  async settle(): Promise<void> {
    this.#until = this.#ports.clock.elapsed() + LIMITS.notificationsLastMs;
    await Promise.all(this.#working.values());
  }

  #put(schedule: string, ping: Ping): void {
    if (this.#address === undefined) return;
    const waiting = getOrInsert(this.#waiting, schedule, () => []);
    waiting.push(ping);
    if (waiting.length > LIMITS.heartbeatsWaiting) {
      waiting.shift();
      this.#warn(schedule, `more than ${LIMITS.heartbeatsWaiting} pings wait, so the oldest is dropped`);
    }
    if (this.#working.has(schedule)) return;
    const address = new URL(this.#address.reveal());
    this.#working.set(
      schedule,
      this.#sendAll(schedule, address, waiting).finally(() => this.#working.delete(schedule)),
    );
  }

  async #sendAll(schedule: string, address: URL, waiting: Ping[]): Promise<void> {
    // The transaction that a ping belongs to must end first.
    await Promise.resolve();
    for (let ping = waiting.shift(); ping !== undefined; ping = waiting.shift()) {
      const why = this.#leftMs() > 0 ? await this.#send(address, ping) : "no time was left for it";
      if (why !== undefined) this.#warn(schedule, `${ping.signal} was not delivered: ${why}`);
    }
  }

  #send(address: URL, { signal, id, body }: Ping): Promise<string | undefined> {
    const { clock, redact } = this.#ports;
    const url = new URL(address);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${signal}`;
    if (id !== undefined) url.searchParams.set("rid", id);
    const headers = { "content-type": "text/plain; charset=utf-8" };
    const send = (): Promise<string | undefined> =>
      post(url, { headers, body: redact(body), timeoutMs: Math.min(LIMITS.heartbeatMs, this.#leftMs()) });
    return retry(send, {
      isFinal: (why) => why === undefined,
      pause: async (_why, tries) => {
        if (tries >= LIMITS.heartbeatAttempts || this.#leftMs() <= LIMITS.heartbeatPauseMs) return false;
        await clock.sleep(LIMITS.heartbeatPauseMs);
        return true;
      },
    });
  }

  #leftMs(): number {
    return Math.max(0, Math.ceil(this.#until - this.#ports.clock.elapsed()));
  }

  #warn(schedule: string, why: string): void {
    const what = this.#ports.redact(`heartbeat: ${why}`);
    this.#ports.log("warn", "heartbeat.failed", what, schedule === "" ? {} : { schedule });
  }
}

function bodyOf({ schedule, tick, state, runId, problem }: Firing, report: RunReport | undefined): string {
  const drifts = report === undefined ? null : driftsIn(report);
  const counts = drifts === null ? [] : Object.entries(drifts.counts).map(([name, count]) => `${count} ${name}`);
  return [
    `${schedule}: ${state}`,
    `firing: ${isoTime(tick)}`,
    ...(runId === undefined ? [] : [`run: ${runId}`]),
    ...(drifts === null ? [] : [`drifts: ${counts.join(", ")}`]),
    ...(problem === undefined ? [] : [`problem: ${problem.message}`]),
  ].join("\n");
}

// Services pair a start with its end by a UUID. Every process computes the same one (RFC 9562, version 8).
function idOf({ schedule, tick }: Firing): string {
  const hex = createHash("sha256").update(`${schedule} ${tick}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
