import { messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { maskedText, type Redact } from "../base/secret.ts";
import type { Exchanged, MakeExchange, Outgoing } from "../transport/exchange.ts";
import type { ExchangeStore } from "./exchange-store.ts";
import type { KeptExchange } from "./kept.ts";
import { stepOfExchange } from "./step-of-exchange.ts";

interface RecorderPorts {
  readonly clock: Pick<Clock, "now" | "elapsed">;
  readonly redact: Redact;
  readonly environment: string;
  /** Called once with the reason when no further exchanges are stored. */
  readonly onEnd: (why: string) => void;
}

/** Stores the exchanges of one run. An error in storing them does not affect an exchange. */
export class Recorder {
  readonly #store: ExchangeStore;
  readonly #ports: RecorderPorts;
  #run: string | undefined;
  #count = 0;
  #hasEnded = false;
  /** The exchanges from before the run has its id. */
  #early: KeptExchange[] = [];

  constructor(store: ExchangeStore, ports: RecorderPorts) {
    this.#store = store;
    this.#ports = ports;
  }

  /** Sets the run of the exchanges. */
  name(run: string): void {
    if (this.#run === run) return;
    this.#run = run;
    this.#guarded(() => (this.#count = this.#store.count(run)));
    for (const exchange of this.#early.splice(0)) this.#keep(exchange);
  }

  /** Makes an exchange and stores it. A request that was never sent is not an exchange. */
  async exchange(outgoing: Outgoing, send: MakeExchange): Promise<Exchanged> {
    const { clock } = this.#ports;
    const [startedAt, began] = [clock.now(), clock.elapsed()];
    const exchanged = await send(outgoing);
    if (exchanged.kind === "not-sent") return exchanged;
    const step = stepOfExchange() ?? null;
    this.#guarded(() =>
      this.#keep({ step, startedAt, durationMs: clock.elapsed() - began, ...this.#texts(outgoing, exchanged) }),
    );
    return exchanged;
  }

  #keep(exchange: KeptExchange): void {
    if (this.#run === undefined) this.#early.push(exchange);
    else if (this.#count++ < LIMITS.keptExchanges) this.#store.keep(this.#run, this.#ports.environment, exchange);
    else this.#end(`a run keeps ${LIMITS.keptExchanges.toLocaleString("en")} at most`);
  }

  #guarded(work: () => void): void {
    if (this.#hasEnded) return;
    try {
      work();
    } catch (error) {
      this.#end(messageOf(error));
    }
  }

  #end(why: string): void {
    this.#hasEnded = true;
    this.#ports.onEnd(why);
  }

  #texts(
    { method, origin, path, headers, body }: Outgoing,
    exchanged: Exclude<Exchanged, { readonly kind: "not-sent" }>,
  ): Pick<KeptExchange, "method" | "url" | "headers" | "body" | "answer" | "why"> {
    const { redact } = this.#ports;
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return {
      method,
      url: redact(`${origin}${path}`),
      headers: this.#headers({ ...headers, ...type }),
      body: body === undefined ? null : maskedText(body, redact),
      answer:
        exchanged.kind === "answered"
          ? { status: exchanged.status, headers: this.#headers(exchanged.headers), text: maskedText(exchanged.text, redact) }
          : null,
      why: exchanged.kind === "answered" ? null : redact(exchanged.why),
    };
  }

  #headers(headers: Outgoing["headers"]): Readonly<Record<string, string>> {
    const { redact } = this.#ports;
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        redact(name),
        PRIVATE.has(name.toLowerCase()) ? "(not kept)" : redact(String(value)),
      ]),
    );
  }
}

/** Headers of an answer with which anybody could act as us. */
const PRIVATE: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2"]);
