import { isObject, type Json, type JsonObject, textOrJson, writeJson } from "../base/json/json.ts";
import { field, text } from "../base/json/parts.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { Profile } from "../contract/profile.ts";
import { fromTexts } from "../operations/dialect.ts";
import { type Operation, operationNamed } from "../operations/operation.ts";
import { isServerError, OF_THE_MOMENT } from "../operations/own-error.ts";
import { buildRequest, type ServiceRequest } from "../operations/request.ts";
import { type AnswerBody, jsonIn } from "../transport/exchange.ts";

/** The ledger's answer to one call, which may take several requests. */
export type Said =
  | { readonly kind: "done"; readonly payload: Json }
  | { readonly kind: "refused"; readonly condition: string }
  /** An answer that neither accepts nor refuses, such as a server error or a list that never ends. */
  | { readonly kind: "broken"; readonly why: string }
  /** A list with too many pages, which is not read. */
  | { readonly kind: "unread" }
  /** No answer came, so nothing is known. */
  | { readonly kind: "lost"; readonly why: string };

/** A complete answer to one request, or why there is none. */
type RawAnswer = (AnswerBody & { readonly status: number }) | { readonly lost: string };

/** Sends one request to a ledger. */
export type Carry = (operation: Operation, request: ServiceRequest) => Promise<RawAnswer>;

/** One call with its input as it is sent. */
interface ExploredCall {
  /** The name of the operation. */
  readonly uses: string;
  /** The input of the operation, without expressions. */
  readonly input: JsonObject;
  /** The acting entity, such as `userId:alice`. */
  readonly actingEntity: string;
}

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 250;
const RECEIPT = "ledger.receipt.get";

/** Makes calls to a ledger: reads every page of a list, and waits for the receipt of a write. A write is sent once. */
export class Asker {
  readonly #carry: Carry;
  readonly #profile: Profile;
  readonly #clock: Clock;
  /** The lists that are too long to be read again. */
  readonly long: Set<string> = new Set();
  /** The number of requests. */
  requests = 0;

  constructor(carry: Carry, { profile, clock }: { readonly profile: Profile; readonly clock: Clock }) {
    this.#carry = carry;
    this.#profile = profile;
    this.#clock = clock;
  }

  /** Makes one call and returns the ledger's answer. Never throws because of an answer. */
  async ask(call: ExploredCall): Promise<Said> {
    const operation = operationNamed(call.uses);
    if (operation.call.paging !== undefined) return this.#pages(operation, call, operation.call.paging.items);
    const said = await this.#once(operation, call);
    if (!operation.writes || said.kind !== "done") return said;
    return this.#receipt(call, said.payload);
  }

  async #pages(operation: Operation, call: ExploredCall, items: string): Promise<Said> {
    if (this.long.has(call.uses)) return { kind: "unread" };
    const records: Json[] = [];
    const seen = new Set<string>();
    for (let page: string | undefined, pages = 0; pages < LIMITS.explorePages; pages++) {
      const said = await this.#once(operation, call, page);
      if (said.kind !== "done") return said;
      const list = isObject(said.payload) ? (said.payload[items] ?? []) : [];
      if (!isObject(said.payload) || !Array.isArray(list)) return { kind: "broken", why: `the answer has no list ${items}` };
      records.push(...(list as readonly Json[]));
      const bookmark = text(said.payload["bookmark"]);
      const isLast = bookmark === undefined || bookmark === this.#profile.ledger.lastBookmark || list.length === 0;
      if (isLast) return { kind: "done", payload: records };
      if (seen.has(bookmark)) return { kind: "broken", why: "the list gives a bookmark twice" };
      seen.add(bookmark);
      page = bookmark;
    }
    this.long.add(call.uses);
    return { kind: "unread" };
  }

  async #receipt({ actingEntity }: ExploredCall, written: Json): Promise<Said> {
    const receiptId = text(field(written, "receiptId"));
    if (receiptId === undefined) return { kind: "done", payload: written };
    const until = this.#clock.elapsed() + LIMITS.exploreReceiptMs;
    const { committed, failed } = this.#profile.ledger.receipt;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const said = await this.#once(operationNamed(RECEIPT), { uses: RECEIPT, input: { receiptId }, actingEntity });
      const { status = null, message = null } = said.kind === "done" && isObject(said.payload) ? said.payload : {};
      const word = textOrJson(status);
      if (committed.includes(word)) return { kind: "done", payload: written };
      if (failed.includes(word)) return { kind: "refused", condition: textOrJson(message).split(":")[0] ?? "" };
      if (said.kind === "refused" && said.condition !== "transaction not found")
        return { kind: "broken", why: `the receipt is refused: ${said.condition}` };
      if (said.kind === "broken" || said.kind === "lost") return said;
      if (this.#clock.elapsed() > until) return { kind: "broken", why: `the receipt says ${word} for too long` };
      await this.#clock.sleep(pause);
    }
  }

  async #once(operation: Operation, { input, actingEntity }: ExploredCall, page?: string): Promise<Said> {
    const at = page === undefined ? {} : { page };
    this.requests++;
    const raw = await this.#carry(operation, buildRequest(operation, input, { profile: this.#profile, actingEntity, ...at }));
    return "lost" in raw ? { kind: "lost", why: raw.lost } : this.#said(operation, raw);
  }

  #said({ call }: Operation, answer: Extract<RawAnswer, { readonly status: number }>): Said {
    const { status } = answer;
    const body = jsonIn(answer);
    // A gateway in front of the service answers in HTML, such as a page to log in, but all that the ledger says is JSON.
    if (body === undefined && answer.text !== "") return { kind: "lost", why: `HTTP ${status} without JSON` };
    if (status >= 200 && status < 300)
      return { kind: "done", payload: fromTexts(call.response ?? {}, body ?? null, this.#profile) };
    const { refusals, conditionStatus } = this.#profile;
    const declared = Object.keys(conditionStatus).filter((each) => conditionStatus[each] === status);
    if (OF_THE_MOMENT.has(status) && declared.length === 0) return { kind: "lost", why: `HTTP ${status}` };
    if (!refusals.includes(status) && declared.every(isServerError)) return { kind: "broken", why: `HTTP ${status}` };
    const { condition, message } = isObject(body) ? body : {};
    return { kind: "refused", condition: textOrJson(condition ?? message ?? `HTTP ${status}`) };
  }
}

/** Returns the text of a body as it is sent. */
export function bodyText({ body }: ServiceRequest): string | undefined {
  return body === undefined ? undefined : writeJson(body);
}
