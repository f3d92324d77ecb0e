import { writeJson } from "../src/base/json/json.ts";
import type { InterfaceName } from "../src/contract/contract.ts";
import type { WriteFault } from "../src/sandbox/ledger/chain.ts";
import type { AttemptAnswered, AttemptIntended } from "../src/protocol/record.ts";
import { namedIn } from "../src/protocol/state.ts";
import type { Exchanged, Outgoing } from "../src/transport/exchange.ts";
import { isStale, ledgerFault, type RequestFault, type Stale, type Words } from "./faults.ts";
import type { Befalls, Mishaps } from "./mishaps.ts";
import { SimulatedProcess } from "./process.ts";
import type { Dice } from "../src/base/numbers/dice.ts";
import type { Served, SimulatedService } from "./service.ts";
import type { VirtualTime } from "./time.ts";
import { byItem, type Variety } from "./varieties.ts";

/** A write that reached the service. */
export interface Delivery {
  readonly step: string;
  readonly attempt: number;
  /** The transactions that it became; none if it was refused at once. */
  readonly transactions: readonly string[];
}

interface Parts {
  readonly time: VirtualTime;
  readonly service: SimulatedService;
  readonly mishaps: Mishaps;
  readonly dice: Dice;
  /** Records every write that reaches the service. */
  readonly deliveries: Delivery[];
  /** Called when a write is sent. */
  readonly onSend: (step: string) => void;
  /** The answers to the writes of an earlier run, which a cache may have kept. */
  readonly earlier: KeptAnswers;
  /** How the service differs from the sandbox. */
  readonly varieties: readonly Variety[];
}

/** The last answer to a write of each interface. */
export type KeptAnswers = ReadonlyMap<InterfaceName, Exchanged>;

type Write = Pick<AttemptIntended, "step" | "attempt">;

/** The writes that a process has reported as intended for a run. */
interface Intents {
  /** The intents whose writes were not sent yet. */
  waiting: AttemptIntended[];
  /** The intent of the write that was sent last. */
  sent: AttemptIntended | undefined;
}

const MOST_LATENCY_MS = 20;
const SILENT: ReadonlySet<RequestFault["sees"]> = new Set(["silence", "interrupt, silence"]);
// For a request that was delayed before it left: no longer than the shortest time that an environment declares.
const MOST_FLIGHT_MS = 9_000;
const NO_ANSWER: Exchanged = { kind: "no-answer", why: "other side closed" };
const HTML = "<!doctype html><title>Sign in</title>";
/** Returns an error in the called interface's own form, by the default profile. */
export function ownError({ path }: Outgoing): string {
  return path.startsWith("/api/") ? '{"status":0,"message":"busy"}' : '{"status":"Error","message":"busy","condition":"busy"}';
}

const LEDGER_PATH = "/tokenize/";
const JSON_TYPE = { "content-type": "application/json" };

const FIRST_STATUS_OF_ERRORS = 300;
const REFUSAL_OF_THE_REST: Exchanged = {
  kind: "answered",
  status: 400,
  headers: JSON_TYPE,
  text: '{"status":"Error","message":"the second item is wrong","condition":"invalid parameters"}',
};

const REFUSED: Pick<Served, "transactions"> = { transactions: [] };

const TEXTS: Readonly<Record<Words, (outgoing: Outgoing) => string>> = {
  service: ownError,
  gateway: () => '{"message":"the gateway had trouble"}',
  "gateway's text": () => "upstream connect error or disconnect/reset before headers",
  nobody: () => "",
};

/** The network between the processes of a run and the service, with the faults of requests. */
export class SimulatedNetwork {
  readonly #parts: Parts;
  readonly #answers = new Map<InterfaceName, Exchanged>();
  #receipts: { readonly until: number; readonly text: (real: string) => string } = { until: 0, text: (real) => real };
  #inFlight = 0;
  readonly #intents = new Map<SimulatedProcess, Intents>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The answers to this run's writes that a cache has kept. */
  get answers(): KeptAnswers {
    return this.#answers;
  }

  /** Makes a cache keep a recorded answer that names something. Without a name, no run could notice that an answer belongs to another write. */
  keep({ payload, envelope }: AttemptAnswered): void {
    if (namedIn(payload).length === 0) return;
    const body = envelope === null ? payload : { ...envelope, response: payload };
    const exchanged = { kind: "answered", status: 200, headers: JSON_TYPE, text: writeJson(body) } as const;
    this.#answers.set(envelope === null ? "ledger" : "investor", exchanged);
  }

  /** Drops the intents that a process reported before it had the run, because other processes recorded them. */
  claims(process: SimulatedProcess): void {
    this.#intentsOf(process).waiting = [];
  }

  /** Takes an intent that a process has reported. */
  intends(process: SimulatedProcess, intent: AttemptIntended): void {
    this.#intentsOf(process).waiting.push(intent);
  }

  // Parallel rounds send in the order in which they reported their intents.
  #writeOf(process: SimulatedProcess): Write {
    const intents = this.#intentsOf(process);
    intents.sent = intents.waiting.shift() ?? intents.sent;
    return intents.sent ?? { step: "", attempt: 0 };
  }

  #intentsOf(process: SimulatedProcess): Intents {
    const intents = this.#intents.get(process) ?? { waiting: [], sent: undefined };
    this.#intents.set(process, intents);
    return intents;
  }

  /** Whether a write is in flight. */
  get isCarrying(): boolean {
    return this.#inFlight > 0;
  }

  /** Makes an exchange for a process. A write belongs to an attempt that the process has reported. */
  async exchange(outgoing: Outgoing, sender: SimulatedProcess): Promise<Exchanged> {
    if (!sender.alive) return new Promise<never>(() => {});
    const write = outgoing.fresh ? this.#writeOf(sender) : undefined;
    return sender.receive(untilGivenUp(outgoing.signal, this.#carry(outgoing, write, sender)));
  }

  async #carry(outgoing: Outgoing, write: Write | undefined, sender: SimulatedProcess): Promise<Exchanged> {
    const { mishaps } = this.#parts;
    const befalls = write === undefined ? mishaps.onRead() : mishaps.onWrite(write.step);
    if (befalls !== undefined) return this.#befallen(outgoing, write, { ...befalls, sender });
    return this.#keptBack(outgoing, write, sender) ?? this.#deliver(outgoing, { write, afterMs: this.#latency() });
  }

  // Asks the fence like the transport, right before the first byte.
  #keptBack({ fence }: Outgoing, write: Write | undefined, sender: SimulatedProcess): Exchanged | undefined {
    const { mishaps, onSend } = this.#parts;
    if (write === undefined) return undefined;
    const attempt = `${write.step} (attempt ${write.attempt})`;
    const why = fence?.();
    mishaps.log(why === undefined ? `${sender.name} sends ${attempt}` : `${sender.name} keeps back ${attempt}: ${why}`);
    if (why !== undefined) return { kind: "not-sent", why };
    onSend(write.step);
    return undefined;
  }

  async #befallen(
    outgoing: Outgoing,
    write: Write | undefined,
    { fault, ms, sender }: Befalls & { readonly sender: SimulatedProcess },
  ): Promise<Exchanged> {
    const { time, mishaps } = this.#parts;
    const { lands, sees, leavesLate, stopsFirst } = fault;
    if (leavesLate === true) await time.sleep(outgoing.timeoutMs - MOST_LATENCY_MS);
    if (stopsFirst === true) {
      this.#stop(sender, ms);
      await sender.running();
    }
    const kept = this.#keptBack(outgoing, write, sender);
    if (kept !== undefined) return kept;
    if (sees === "death") sender.die();
    if (sees === "stop") this.#stop(sender, ms);
    const lateMs = stopsFirst === true ? Math.min(ms, MOST_FLIGHT_MS) : ms;
    const afterMs = lands === "late" ? lateMs : this.#latency();
    if (write !== undefined) this.#spoilReceipts(fault, time.elapsed() + ms);
    const answer = lands === "never" ? undefined : this.#deliver(outgoing, { write, afterMs, befalls: { fault, ms } });
    if (sees === "interrupt" || sees === "interrupt, silence") {
      mishaps.log(`${sender.name} is interrupted`);
      sender.interrupt();
    }
    if (sees === "answer" || sees === "stop" || sees === "interrupt") return asSeen(fault, (await answer) ?? NO_ANSWER);
    if (isStale(sees)) return this.#kept(sees, outgoing) ?? NO_ANSWER;
    const seen = lands === "at once" ? await answer : undefined;
    await time.sleep(SILENT.has(sees) ? outgoing.timeoutMs : this.#latency());
    const shown = show(sees, seen, outgoing);
    if (write !== undefined)
      mishaps.log(`the sender of ${write.step} sees: ${shown.kind === "answered" ? shown.status : shown.kind}`);
    return shown;
  }

  #stop(sender: SimulatedProcess, ms: number): void {
    const { time, mishaps } = this.#parts;
    sender.stop();
    time.after(ms, () => {
      mishaps.log(`${sender.name} continues`);
      sender.continue();
    });
  }

  // The client gives up after its timeout, but its request may still take effect.
  #deliver(
    outgoing: Outgoing,
    { write, afterMs, befalls }: { write: Write | undefined; afterMs: number; befalls?: Befalls },
  ): Promise<Exchanged> {
    const { time } = this.#parts;
    return new Promise((resolve) => {
      const callOff = time.after(outgoing.timeoutMs, () => resolve({ kind: "no-answer", why: "no whole answer in time" }));
      if (write !== undefined) this.#inFlight++;
      time.after(afterMs, () => {
        if (write !== undefined) this.#inFlight--;
        const landed = this.#land(outgoing, write, befalls);
        void landed.finally(callOff).then(resolve);
      });
    });
  }

  #land(outgoing: Outgoing, write: Write | undefined, befalls: Befalls | undefined): Promise<Exchanged> {
    const { service, mishaps, deliveries, dice } = this.#parts;
    const agoMs = write === undefined ? mishaps.onAnswer(dice) : 0;
    if (agoMs > 0) {
      mishaps.log(`${outgoing.path} is answered as it was ${agoMs / 1_000} s ago`);
      return service.serveAgo(outgoing, agoMs).then((exchanged) => this.#asRead(outgoing, exchanged));
    }
    const fault = befalls === undefined ? undefined : ledgerFault(befalls.fault, befalls.ms);
    if (write === undefined) return service.serve(outgoing, fault).answer.then((exchanged) => this.#asRead(outgoing, exchanged));
    const { transactions, answer } = this.#serve(outgoing, fault);
    deliveries.push({ ...write, transactions });
    mishaps.log(
      `${write.step} (attempt ${write.attempt}) reaches the service${transactions.length === 0 ? ", which refuses it" : ""}`,
    );
    return answer.then((exchanged) => this.#asWritten(exchanged));
  }

  // A service that makes one write of each item stops at the first item that it refuses. All items take effect at the same time, so the last one
  // counts.
  #serve(outgoing: Outgoing, fault: WriteFault | undefined): Served {
    const { service, varieties, mishaps } = this.#parts;
    const most = varieties.flatMap(({ items }) => items ?? []);
    const [first = outgoing, ...others] = most.length === 0 ? [] : byItem(outgoing);
    const served = service.serve(first, fault);
    let { transactions } = served;
    if (transactions.length === 0) return served;
    for (const [at, item] of others.entries()) {
      const next = at + 1 < Math.min(...most) ? service.serve(item, fault) : REFUSED;
      if (next.transactions.length === 0) {
        mishaps.log(`the service refuses item ${at + 2}`);
        return { transactions, answer: served.answer.then(() => REFUSAL_OF_THE_REST) };
      }
      ({ transactions } = next);
    }
    return { ...served, transactions };
  }

  // If a run has written nothing yet, a cache can only have kept the answers of an earlier run.
  #kept(whose: Stale, outgoing: Pick<Outgoing, "path">): Exchanged | undefined {
    const side = interfaceOf(outgoing);
    const own = whose === "an earlier write's" ? this.#answers.get(side) : undefined;
    return own ?? this.#parts.earlier.get(side);
  }

  #spoilReceipts({ strangeWord, receipts }: RequestFault, until: number): void {
    if (strangeWord === true) this.#receipts = { until, text: (real) => real.replace(/"status":"\w+"/, '"status":"ORDERED"') };
    if (receipts === undefined) return;
    const kept = receipts === "nameless" ? undefined : this.#kept(receipts, { path: LEDGER_PATH });
    const [named = ""] = (kept?.kind === "answered" ? /"transactionId":"\w+",?/.exec(kept.text) : null) ?? [];
    this.#receipts = { until, text: () => `{${named.replace(/,?$/, named === "" ? "" : ",")}"status":"COMMITTED"}` };
  }

  #asRead(outgoing: Outgoing, exchanged: Exchanged): Exchanged {
    const read = this.#withSpoiltReceipt(outgoing, exchanged);
    if (read.kind !== "answered" || read.status >= FIRST_STATUS_OF_ERRORS) return read;
    const text = this.#parts.varieties.reduce((so, { read: as }) => as?.(so, outgoing) ?? so, read.text);
    return { ...read, text };
  }

  #asWritten(exchanged: Exchanged): Exchanged {
    if (exchanged.kind !== "answered") return exchanged;
    return { ...exchanged, text: this.#parts.varieties.reduce((so, { written }) => written?.(so) ?? so, exchanged.text) };
  }

  #withSpoiltReceipt(outgoing: Outgoing, exchanged: Exchanged): Exchanged {
    if (exchanged.kind !== "answered" || !outgoing.path.includes("/receipt")) return exchanged;
    const { until, text } = this.#receipts;
    return this.#parts.time.elapsed() >= until ? exchanged : { ...exchanged, text: text(exchanged.text) };
  }

  #latency(): number {
    return 1 + this.#parts.dice.below(MOST_LATENCY_MS);
  }
}

// An interrupted sender stops waiting, but its request may still take effect.
function untilGivenUp(signal: AbortSignal | undefined, exchanged: Promise<Exchanged>): Promise<Exchanged> {
  if (signal === undefined) return exchanged;
  return new Promise((resolve) => {
    const giveUp = (): void => resolve({ kind: "no-answer", why: "it was not awaited" });
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp);
    void exchanged.finally(() => signal.removeEventListener("abort", giveUp)).then(resolve);
  });
}

function interfaceOf({ path }: Pick<Outgoing, "path">): InterfaceName {
  return path.startsWith(LEDGER_PATH) ? "ledger" : "investor";
}

// A receipt of another transaction is no contradiction if the answer has named none.
function asSeen({ receipts }: RequestFault, answer: Exchanged): Exchanged {
  if (answer.kind !== "answered" || receipts === undefined || receipts === "nameless") return answer;
  return { ...answer, text: answer.text.replace(/^\{"transactionId":"\w+",/, "{") };
}

function show(
  sees: Exclude<RequestFault["sees"], "answer" | "stop" | "interrupt" | Stale>,
  seen: Exchanged | undefined,
  outgoing: Outgoing,
): Exchanged {
  switch (sees) {
    case "refused connection":
      return { kind: "not-sent", why: "connect ECONNREFUSED" };
    case "nothing":
    case "silence":
    case "interrupt, silence":
    case "death":
      return NO_ANSWER;
    case "html":
      return { kind: "answered", status: 200, headers: { "content-type": "text/html" }, text: HTML };
    case "truncated": {
      if (seen?.kind !== "answered") return NO_ANSWER;
      return { ...seen, text: seen.text.slice(0, seen.text.length / 2) };
    }
    case "empty":
      return { kind: "answered", status: 200, headers: JSON_TYPE, text: "{}" };
    default: {
      const { status, retryAfter, words = "gateway" } = sees;
      const headers = { ...JSON_TYPE, ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }) };
      return { kind: "answered", status, headers, text: TEXTS[words](outgoing) };
    }
  }
}
