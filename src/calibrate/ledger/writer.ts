import { pauseAfter } from "../../base/time/backoff.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { field, text } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Profile } from "../../contract/profile.ts";
import type { CalibrationAsker, Question, CalibrationAnswer } from "../asker.ts";
import type { ObservedExchange } from "../finding.ts";

/** The number of records to request on one page. */
export const MOST_ROWS = 100;

/** The outcome of a write that was sent once. If it is `unknown`, everything that depends on it stays undecided. */
export interface WriteOutcome {
  /** `done`: accepted, and committed according to its receipt if that was awaited. `refused`: by its answer or its receipt. */
  readonly kind: "done" | "refused" | "unknown";
  /** Whether the answer refused it, not the receipt. */
  readonly atOnce: boolean;
  /** The answer to the write itself. */
  readonly answer: CalibrationAnswer;
  /** The id of the receipt; undefined if the answer names none. */
  readonly receiptId: string | undefined;
  /** The id of the transaction; undefined if the answer names none. */
  readonly transactionId: string | undefined;
  /** The write with its answer, and the deciding read of its receipt if there was one. */
  readonly evidence: readonly ObservedExchange[];
}

/** What one look at the receipt of a write showed. */
interface SeenReceipt {
  readonly receiptId: string;
  /** The transaction in the answer to the write; undefined if it names none. */
  readonly written: string | undefined;
  /** The transaction in the receipt; undefined if it names none. */
  readonly named: string | undefined;
  readonly status: string;
  readonly exchange: ObservedExchange;
}

/** Makes the writes of a calibration, each exactly once and with unique names. A write whose answer is lost decides nothing and is never sent again. */
export class CalibrationWriter {
  /** Sends the requests and has the findings. */
  readonly asker: CalibrationAsker;
  /** The prefix of every name in this calibration. */
  readonly tag: string;
  /** The acting entity, such as `userId:alice`; `undefined` for the key's own. */
  readonly actor: string | undefined;
  /** The acting entity as the ledger shows it, once known. */
  self: JsonObject | undefined;
  /** False if no receipt reports a commit in known words. Then no write waits for its receipt. */
  readsReceipts = true;
  /** The writes with unknown outcome: the reason and the request of each. */
  readonly unclear: string[] = [];
  /** Every look at a receipt with a status, in order. */
  readonly receipts: SeenReceipt[] = [];
  readonly #transactions = new Map<string, string | undefined>();

  constructor(asker: CalibrationAsker, tag: string, actor: string | undefined) {
    this.asker = asker;
    this.tag = tag;
    this.actor = actor;
  }

  /** The environment's profile with the values found so far. */
  get profile(): Profile {
    return this.asker.findings.profile;
  }

  /** Sends a read as the acting entity. Returns the payload; `undefined` if the service refuses. Throws a Failure. */
  async read(operation: string, input: JsonObject, more: Partial<Question> = {}): Promise<Json | undefined> {
    return this.asker.payload(await this.asker.read({ operation, input, actor: this.actor, ...more }));
  }

  /** Sends a write once, without waiting for its receipt. */
  async send(operation: string, input: JsonObject, more: Partial<Question> = {}): Promise<WriteOutcome> {
    const answer = await this.asker.write({ operation, input, actor: this.actor, ...more });
    const payload = this.asker.payload(answer);
    const [receiptId, transactionId] = ["receiptId", "transactionId"].map((name) => text(field(payload, name)));
    const isNamed = receiptId !== undefined || transactionId !== undefined;
    const kind = answer.kind === "refused" ? "refused" : answer.kind === "ok" && isNamed ? "done" : "unknown";
    if (receiptId !== undefined) this.#transactions.set(receiptId, transactionId);
    if (kind === "unknown") this.unclear.push(`${whyUnclear(answer)}: ${answer.exchange.request}`);
    return { kind, atOnce: kind === "refused", answer, receiptId, transactionId, evidence: [answer.exchange] };
  }

  /** Sends a write once and waits until its receipt has a known final status. Without receipts, its answer counts. */
  async make(operation: string, input: JsonObject, more: Partial<Question> = {}): Promise<WriteOutcome> {
    const sent = await this.send(operation, input, more);
    if (sent.kind !== "done" || sent.receiptId === undefined) return sent;
    const { receipt } = this.profile.ledger;
    const until = this.asker.clock.elapsed() + LIMITS.calibrateReceiptMs;
    for (let looks = 1; this.readsReceipts && this.asker.clock.elapsed() < until && !this.asker.stopping.aborted; looks++) {
      const raw = await this.receipt(sent.receiptId, more);
      const status = text(field(this.asker.payload(raw), "status")) ?? "";
      const evidence = [...sent.evidence, raw.exchange];
      if (receipt.committed.includes(status)) return { ...sent, evidence };
      if (receipt.failed.includes(status)) return { ...sent, kind: "refused", evidence };
      await this.pause(looks);
    }
    this.unclear.push(`because its receipt did not show it in time: ${sent.answer.exchange.request}`);
    return { ...sent, kind: "unknown" };
  }

  /** Reads a receipt once as the acting entity, with the profile as known so far. Throws a Failure. */
  async receipt(receiptId: string, more: Partial<Question> = {}): Promise<CalibrationAnswer> {
    const raw = await this.asker.read({
      operation: "ledger.receipt.get",
      input: { receiptId },
      actor: this.actor,
      ...more,
      profile: this.profile,
    });
    const body = this.asker.payload(raw);
    const [status, named] = [text(field(body, "status")), text(field(body, "transactionId"))];
    const written = this.#transactions.get(receiptId);
    if (status !== undefined) this.receipts.push({ receiptId, written, named, status, exchange: raw.exchange });
    return raw;
  }

  /** Returns the input for reading a short list on one page, if the parameter for the size is known. */
  wholePage(): JsonObject {
    return this.asker.findings.isDecided(["ledger", "parameters", "pageSize"]) ? { pageSize: Decimal.of(MOST_ROWS) } : {};
  }

  /** Pauses before the next look. Each pause is longer than the last one. */
  pause(looks: number): Promise<void> {
    const ms = pauseAfter({ everyMs: LIMITS.calibratePauseMs, backoff: 1.5, maxMs: LIMITS.calibratePauseMostMs }, looks);
    return this.asker.clock.sleep(ms, this.asker.stopping);
  }
}

function whyUnclear({ status }: CalibrationAnswer): string {
  return status === null ? "because its answer was lost" : `because HTTP ${status} does not say whether it was done`;
}
