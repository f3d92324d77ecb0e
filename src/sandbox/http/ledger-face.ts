import { isForbiddenKey } from "../../base/json/json.ts";
import { present } from "../../base/present.ts";
import type { ContractOperation } from "../../contract/contract.ts";
import type { LedgerProfile } from "../../contract/profile.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Chain, Submission, WriteFault } from "../ledger/chain.ts";
import { demandEntities, isAmong, VAULT_ATTRIBUTE } from "../ledger/entity.ts";
import type { LedgerRules, ReceiptOutcome } from "../ledger/operations.ts";
import { demand, ServiceRefusal, statusOf } from "../refusal.ts";
import type { StoredEntity } from "../store/ledger-resources.ts";
import { failure, foreignness, invalidity } from "./conditions.ts";
import { errorBody } from "./error-body.ts";
import { type FaceParts, successStatusOf, type WireAnswer, type WireRequest, type Face } from "./face.ts";
import { readBody, readParameters } from "./parameters.ts";
import { spoken } from "./speech.ts";

const NO_CONTENT = 204;
const OUTAGE = "server error: the caller's part of the ledger is down";

/** What the ledger interface needs. */
interface LedgerParts extends FaceParts {
  readonly chain: Chain;
  readonly rules: LedgerRules;
  readonly profile: LedgerProfile;
  /** Aborted when the sandbox closes. Writes then stop waiting for their commit. */
  readonly closing: AbortSignal;
}

/** Interface B. A write waits for its commit, unless the caller asks for an answer at once. */
export class LedgerFace implements Face {
  readonly title = "Ledger tokenization interface";
  readonly root = "/tokenize/:appId";
  readonly keyHeader = "X-API-KEY";
  readonly stranger = "invalid API key";
  readonly #parts: LedgerParts;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** Settles the writes that are due, then handles a call and returns its answer. Throws a ServiceRefusal if the service refuses it. */
  async serve(operation: ContractOperation, asked: WireRequest, fault?: WriteFault): Promise<WireAnswer> {
    this.#parts.chain.advance(this.#parts.clock.now());
    const call = this.#readCall(operation, asked);
    if (this.#parts.rules.writes[operation.name] !== undefined)
      return { status: this.#success(operation, call), body: await this.#write(operation, call, fault) };
    const body = this.#spoken(operation, this.#read(operation, call));
    if (body === undefined) return { status: this.#parts.successStatus[operation.name] ?? NO_CONTENT };
    return { status: this.#success(operation, call), body };
  }

  #success(operation: ContractOperation, { params }: LedgerCall<unknown>): number {
    return successStatusOf(operation, this.#parts.successStatus, { early: params["async"] === true });
  }

  // A list without paging has no pages, and so no last bookmark.
  #spoken(operation: ContractOperation, body: object | undefined): object | undefined {
    const answer = spoken(operation.response, body, this.#parts.speech);
    return operation.paging === undefined || answer === undefined ? answer : this.#lastPage(answer);
  }

  #lastPage(page: object): object {
    const { bookmark, ...rest } = page as { readonly bookmark?: string };
    if (bookmark !== "") return page;
    switch (this.#parts.speech.dialect.lastBookmark) {
      case "absent":
        return rest;
      case "null":
        return { ...page, bookmark: null };
      case "word":
      case "repeated":
        return { ...page, bookmark: this.#parts.profile.lastBookmark };
    }
  }

  /** Returns the answer for a refusal. With an operation, a server error has the words that the description lists for that operation. */
  refuse({ message, condition: said }: ServiceRefusal, operation?: ContractOperation): WireAnswer {
    const condition = said === "server error" && operation !== undefined ? failure(operation) : said;
    const body = errorBody(this.#parts.profile.errors, { message, condition }, this.#parts.speech.dialect);
    return { status: statusOf(condition, this.#parts.conditionStatus), body };
  }

  #readCall(operation: ContractOperation, asked: WireRequest): LedgerCall<unknown> {
    const { world, settings, profile, clock } = this.#parts;
    const { params: path, query } = asked;
    demand(asked.headers["x-api-key"] === settings.ledgerApiKey, "invalid API key", "the header X-API-KEY holds no valid key");
    demand(path["appId"] === settings.appId, "tokenization app not found", `there is no app ${path["appId"]}`);
    const actor = this.#actor(operation, asked);
    const { dialect } = this.#parts.speech;
    const { unknownParameters } = dialect;
    const common = profile.onBehalfOf.in === "query" ? [profile.onBehalfOf.name] : [];
    const params = readParameters(operation, { path, query, names: { ...profile.parameters }, common, unknownParameters });
    const body = readBody(operation, asked.body, profile);
    return { world, profile, settings, actor, now: clock.now(), params, body, dialect };
  }

  #actor(operation: ContractOperation, asked: WireRequest): StoredEntity {
    const { settings, profile } = this.#parts;
    const { in: place, name } = profile.onBehalfOf;
    const given = place === "query" ? asked.query[name] : asked.headers[name.toLowerCase()];
    if (given === undefined) return settings.ledgerEntity;
    const [, key, value] = (typeof given === "string" ? /^([^:]+):(.+)$/.exec(given) : null) ?? [];
    demand(key !== undefined && value !== undefined, invalidity(operation), `${name} must read <key>:<value>`);
    demand(!isForbiddenKey(key), invalidity(operation), `${name} cannot name an entity by ${key}`);
    demand(key !== "orgId", foreignness(operation), `${name} names an entity within the organization, not one itself`);
    demand(key !== VAULT_ATTRIBUTE, foreignness(operation), `${name} names a vault, for which its custodians act`);
    const actor = { orgId: settings.orgId, [key]: value };
    demandEntities([actor], settings.orgId);
    return actor;
  }

  #read(operation: ContractOperation, call: LedgerCall<unknown>): object | undefined {
    if (operation.name === "ledger.receipt.get") return this.#receipt(String(call.params["receiptId"]));
    demand(!this.#isCutOff(call.actor), "server error", OUTAGE);
    const read = this.#parts.rules.reads[operation.name];
    if (read === undefined) throw new ServiceRefusal("not implemented", `the sandbox does not implement ${operation.name}`);
    return read(call) as object | undefined;
  }

  #isCutOff(actor: StoredEntity): boolean {
    return isAmong(this.#parts.settings.cutOff, actor);
  }

  #receipt(receiptId: string): object {
    const settled = this.#parts.chain.outcomeOfReceipt(receiptId);
    const outcome = this.#parts.rules.receipt?.(settled) ?? settled;
    const { pendingReceipt } = this.#parts.speech.dialect;
    if (outcome.state === "PENDING" && pendingReceipt !== "word") {
      demand(pendingReceipt !== "not-found", "transaction not found", `there is no receipt ${receiptId} yet`);
      return pendingReceipt === "empty" ? {} : { transactionId: null, status: null, message: null };
    }
    const { namesTransaction } = this.#parts.profile.receipt;
    const named = namesTransaction ? { transactionId: outcome.transactionId } : {};
    return { ...named, status: this.#receiptWord(outcome.state), message: errorText(outcome) };
  }

  #receiptWord(state: ReceiptOutcome["state"]): string {
    const { committed, failed, pending } = this.#parts.profile.receipt;
    const words = { COMMITTED: committed[0], FAILED: failed[0], PENDING: pending };
    return words[state] ?? state;
  }

  async #write(operation: ContractOperation, call: LedgerCall<unknown>, fault: WriteFault | undefined): Promise<object> {
    const { actor, body, now, params } = call;
    const doomed = this.#isCutOff(actor) ? { doom: OUTAGE } : fault;
    const isAsync = params["async"] === true || this.#parts.speech.dialect.writes === "early";
    const submission = this.#parts.chain.submit(
      { operation: operation.name, actor, body, isAsync, ...present({ fault: doomed }) },
      now,
    );
    if (!isAsync) await this.#committed(submission);
    const { transactionId, receiptId } = submission;
    return { transactionId, receiptId };
  }

  async #committed({ transactionId, commitAt }: Submission): Promise<void> {
    const { chain, clock, closing } = this.#parts;
    for (let now = clock.now(); ; now = clock.now()) {
      chain.advance(now);
      const { state, condition = "server error", message } = chain.outcome(transactionId);
      if (state === "COMMITTED") return;
      if (state === "FAILED") throw new ServiceRefusal(condition, message);
      await clock.sleep(Math.max(commitAt - now, 1), closing);
      if (closing.aborted) throw new ServiceRefusal("sandbox closing", "the sandbox closes; the write may still be committed");
    }
  }
}

// A receipt has no field for the condition, so its text must contain it.
function errorText({ condition = "server error", message }: ReceiptOutcome): string {
  return condition === "server error" ? message : `${condition}: ${message}`;
}
