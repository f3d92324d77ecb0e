import { type Clock, type Random, systemRandom } from "../../base/ports.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Redact } from "../../base/secret.ts";
import type { Exchanged, MakeExchange, Outgoing } from "../../transport/exchange.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { stepOfExchange } from "../../exchanges/step-of-exchange.ts";

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/** One exchange for a span. */
export interface TracedExchange extends Pick<KeptExchange, "method" | "startedAt" | "durationMs" | "why"> {
  /** The address of the step that made it; `undefined` before the first step. */
  readonly step: string | undefined;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The scheme, host and port of the request. */
  readonly origin: string;
  /** The path, with secrets masked. */
  readonly path: string;
  /** The HTTP status; null if no answer came. */
  readonly status: number | null;
}

/** The ports that a trace needs. */
interface TracePorts {
  readonly clock: Pick<Clock, "now" | "elapsed">;
  readonly redact: Redact;
  readonly random?: Random;
}

/** The exchanges of one run in this process. Each request carries the `traceparent` of its own span. */
export class Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** When the trace began, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** The exchanges in the order in which they ended, at most `LIMITS.tracedExchanges`. */
  readonly exchanges: TracedExchange[] = [];
  /** The number of exchanges beyond the limit, which are not stored. */
  dropped = 0;
  readonly #ports: TracePorts;

  constructor(ports: TracePorts) {
    this.#ports = ports;
    this.id = this.#hex(TRACE_BYTES);
    this.startedAt = ports.clock.now();
  }

  /** Makes an exchange and records it. */
  async exchange(outgoing: Outgoing, send: MakeExchange): Promise<Exchanged> {
    const { clock, redact } = this.#ports;
    const spanId = this.#hex(SPAN_BYTES);
    const [startedAt, began] = [clock.now(), clock.elapsed()];
    const headers = { ...outgoing.headers, traceparent: `00-${this.id}-${spanId}-01` };
    const exchanged = await send({ ...outgoing, headers });
    if (this.exchanges.length === LIMITS.tracedExchanges) this.dropped++;
    else {
      const { method, origin, path } = outgoing;
      this.exchanges.push({
        step: stepOfExchange(),
        spanId,
        method,
        origin,
        path: redact(path),
        startedAt,
        durationMs: clock.elapsed() - began,
        status: exchanged.kind === "answered" ? exchanged.status : null,
        why: exchanged.kind === "answered" ? null : redact(exchanged.why),
      });
    }
    return exchanged;
  }

  #hex(bytes: number): string {
    return Buffer.from((this.#ports.random ?? systemRandom).bytes(bytes)).toString("hex");
  }
}
