import { basename } from "node:path";
import { LIMITS } from "../../base/limits.ts";
import { getOrInsert } from "../../base/maps.ts";
import { isObject, type Json, parseJson, writeJson } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import { DEFAULT_PROFILE } from "../../contract/profile.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { entryPlaces, readHarWithKeys } from "../../exchanges/read-har.ts";
import { addressIn } from "../../operations/route.ts";
import { conditionsOf, plainWords } from "../../operations/refusal.ts";
import { listIn, type PageWalk } from "../../services/paging/paging.ts";
import { SourceFile } from "../../source/file.ts";
import type { Range } from "../../source/node.ts";
import type { CallTarget } from "../answer-place.ts";
import { quoted } from "../../base/text/text.ts";
import { present } from "../../base/present.ts";
import { type Translated, TranslationFindings } from "../findings.ts";
import { Names, stepId } from "../names.ts";
import { written } from "../value.ts";
import { writePlaybook } from "../write-playbook.ts";
import { HarActors } from "./har-actors.ts";
import { HarIds } from "./har-ids.ts";
import { callIn, type HarCall, isSameRequest, NoCall } from "./har-request.ts";
import { HarSecrets } from "./har-secrets.ts";

/** Translates an HTTP Archive to a playbook. Throws a Failure if the text is not an archive. */
export function importHar(path: string, text: string): Translated {
  const exchanges = readHarWithKeys(text, path);
  const file = new SourceFile(path, text);
  file.showNothing();
  const findings = new TranslationFindings(file);
  const made = new HarImport(path, exchanges, entryPlaces(text), findings).playbook();
  return { text: findings.failed ? undefined : made, diagnostics: findings.all };
}

interface HarStep extends CallTarget {
  readonly as: unknown;
  readonly with: object | undefined;
  pages: number | undefined;
  fails: object | undefined;
}

/** A list with further pages that may still be read. */
interface OpenList {
  readonly step: HarStep;
  readonly walk: PageWalk;
  read: number;
  records: number;
  next: string | undefined;
}

class HarImport {
  readonly #path: string;
  readonly #exchanges: readonly KeptExchange[];
  readonly #places: readonly Range[];
  readonly #findings: TranslationFindings;
  readonly #actors: HarActors;
  readonly #secrets: HarSecrets;
  readonly #ids = new HarIds();
  readonly #names = new Names(stepId);
  readonly #steps: HarStep[] = [];
  readonly #addresses = new Map<string, string>();
  readonly #receipts = new Map<string, HarStep>();
  readonly #lists = new Map<string, OpenList>();

  constructor(path: string, exchanges: readonly KeptExchange[], places: readonly Range[], findings: TranslationFindings) {
    this.#path = path;
    this.#exchanges = exchanges;
    this.#places = places;
    this.#findings = findings;
    this.#actors = new HarActors(findings);
    this.#secrets = new HarSecrets(exchanges);
  }

  playbook(): string {
    let wasLost = false;
    const all = this.#exchanges.map((exchange, at) => ({ exchange, place: this.#placeOf(at) }));
    // Browsers send OPTIONS to ask whether they may send the next request.
    const sent = all.filter(({ exchange: { method } }) => method !== "OPTIONS");
    sent.forEach(({ exchange, place }, at) => {
      const next = sent[at + 1]?.exchange;
      const isRepeated = next !== undefined && isLost(exchange) && isSameRequest(exchange, next);
      if (!isRepeated) this.#take(exchange, place, wasLost);
      wasLost = isRepeated;
    });
    if (this.#steps.length === 0)
      this.#findings.refuse(this.#placeOf(0), "no request of this archive calls the service", "there is nothing to run");
    return writePlaybook({
      path: this.#path,
      name: basename(this.#path).replace(/\.har$/i, ""),
      description: "What another client did, as it was recorded.",
      inputs: {},
      secrets: this.#secrets.written(),
      actors: this.#actors.declared.written(),
      steps: this.#steps.map(({ operation, ...step }) => ({ ...step, uses: operation.name })),
      outputs: {},
    });
  }

  #placeOf(at: number): Range {
    const { start } = this.#places[at] ?? { start: 0 };
    return { start, end: start + 1 };
  }

  #take(exchange: KeptExchange, place: Range, wasLost: boolean): void {
    const call = this.#callOf(exchange, place);
    if (call !== undefined) this.#demandOneService(call, exchange, place);
    if (call === undefined || this.#isReceipt(call, exchange, place)) return;
    if (this.#isLaterPage(call, exchange)) return;
    const { operation } = call;
    const answer = answerIn(exchange);
    const refusal = refusalIn(exchange, operation, answer);
    const isOpen = refusal === undefined && isLost(exchange);
    if (isOpen && !operation.writes) {
      this.#findings.lose(place, `this read of ${operation.name} is left out`, "it was not answered");
      return;
    }
    if (this.#steps.length >= LIMITS.steps) {
      this.#findings.refuse(place, `more than ${LIMITS.steps} requests`, "a playbook has no more steps");
      return;
    }
    const step = this.#newStep(call, place);
    if (step === undefined) return;
    if (wasLost || isOpen) this.#findings.tighten(place, LOST_ANSWER, WHAT_IT_DID);
    if (refusal === undefined) this.#takeAnswer(step, call, answer);
    // After a lost answer, the second request may have been refused only because the first one took effect.
    else if (!wasLost) step.fails = refusal;
    this.#steps.push(step);
  }

  #callOf(exchange: KeptExchange, place: Range): HarCall | undefined {
    try {
      return callIn(exchange);
    } catch (error) {
      if (!(error instanceof NoCall)) throw error;
      // its path and its query may contain keys
      const message = `this ${exchange.method} to ${new URL(exchange.url).host} is left out`;
      return this.#findings.lose(place, message, error.message);
    }
  }

  // Only hosts are shown, because a path may contain keys.
  #demandOneService({ operation }: HarCall, { url }: KeptExchange, place: Range): void {
    const { name } = operation.service;
    const address = addressIn(operation, url);
    const first = getOrInsert(this.#addresses, name, () => address);
    if (address === first || this.#findings.failed) return;
    const [one, other] = [new URL(first), new URL(address)];
    const isApart = one.origin !== other.origin;
    this.#findings.refuse(
      place,
      `this archive calls two services${isApart ? `, ${one.origin} and here ${other.origin}` : ` at ${one.host}`}`,
      "a playbook runs on one of them",
      isApart
        ? `jq '.log.entries |= map(select(.request.url | startswith("${one.origin}/")))' ${quoted(this.#path)} > one.har`
        : "leave the entries of the other one out of the archive",
    );
  }

  #newStep(call: HarCall, place: Range): HarStep | undefined {
    const { operation, unknown } = call;
    const as = this.#actors.of(call, place);
    if (as === undefined) return undefined;
    for (const name of unknown)
      this.#findings.lose(place, `the parameter "${name}" is not sent`, `${operation.name} has no parameter of this name`);
    if (call.page !== undefined && call.page !== "" && call.page !== "1")
      this.#findings.lose(place, "the list is read from its first page", "the pages before this one are not in the archive");
    return {
      id: this.#names.fresh(operation.name.split(".").slice(1).join("_")),
      operation,
      as,
      with: Object.keys(call.with).length === 0 ? undefined : (written(this.#ids.bound(call.with, this.#secrets)) as object),
      pages: undefined,
      fails: undefined,
    };
  }

  #takeAnswer(step: HarStep, call: HarCall, answer: Json): void {
    this.#ids.take(step, answer);
    const receiptId = field(answer, "receiptId");
    if (step.operation.writes && typeof receiptId === "string") this.#receipts.set(receiptId, step);
    const { paging } = step.operation.call;
    if (paging === undefined) return;
    const walk = step.operation.service.paging.walk(paging.items, DEFAULT_PROFILE);
    const list: OpenList = { step, walk, read: 0, records: 0, next: undefined };
    this.#lists.set(listKey(call), list);
    readPage(list, answer);
  }

  // A poll of a receipt belongs to its write.
  #isReceipt(call: HarCall, exchange: KeptExchange, place: Range): boolean {
    const { operation } = call;
    const { receipts } = operation.service;
    const id = Object.values(call.with)[0];
    if (receipts?.read("").operation !== operation.name || typeof id !== "string") return false;
    const step = this.#receipts.get(id);
    const answer = answerIn(exchange);
    if (step === undefined) return false;
    if (!isObject(answer)) return true;
    const { transactionId, status, message } = answer;
    const isFailed = typeof status === "string" && receipts.rules(DEFAULT_PROFILE).failed.includes(status);
    if (isFailed) {
      step.fails = this.#failedWith(message, place);
      this.#ids.forget(step);
    } else if (typeof transactionId === "string") this.#ids.bind(transactionId, step, ["transactionId"]);
    return true;
  }

  #failedWith(message: Json | undefined, place: Range): object {
    if (typeof message !== "string" || message === "") return {};
    if (!this.#secrets.isIn(message)) return { message: { contains: message } };
    this.#findings.lose(place, "the message of this refusal is not expected", "it holds a key, which is not copied");
    return {};
  }

  // A later page belongs to the read of the list.
  #isLaterPage(call: HarCall, exchange: KeptExchange): boolean {
    const list = this.#lists.get(listKey(call));
    if (list?.next === undefined || call.page !== list.next) return false;
    const answer = answerIn(exchange);
    this.#ids.take(list.step, answer, list.records);
    readPage(list, answer);
    return true;
  }
}

const LOST_ANSWER = "a write whose answer was lost is one step, here and elsewhere";
const WHAT_IT_DID = "tokenbook finds out by reading what it did, and the archive does not say whether it was done twice";

function readPage(list: OpenList, answer: Json): void {
  const { service, call } = list.step.operation;
  const opened = service.envelope?.open(answer);
  const page = opened === undefined ? { payload: answer, envelope: undefined } : "payload" in opened ? opened : undefined;
  const after = page === undefined ? undefined : list.walk.take(page);
  list.records += page === undefined ? 0 : listIn(page.payload, call.paging?.items ?? "").length;
  list.read += 1;
  list.next = after?.kind === "more" ? String(after.page) : undefined;
  list.step.pages = list.next === undefined ? undefined : list.read;
}

function listKey({ operation, with: input, acting, key }: HarCall): string {
  return writeJson([operation.name, input, acting ?? null, key ?? null]);
}

// Returns whether there is no answer, or an answer that leaves open what was done.
function isLost({ answer }: Pick<KeptExchange, "answer">): boolean {
  return answer === null || answer.status >= 500 || answer.status === 429 || answer.status === 408;
}

function answerIn({ answer }: KeptExchange): Json {
  try {
    return parseJson(answer?.text ?? "null");
  } catch {
    return null;
  }
}

// Returns the refusal that the step must expect; `undefined` if the call was not refused.
function refusalIn(
  { answer }: KeptExchange,
  { call, service, writes, async }: HarCall["operation"],
  body: Json,
): object | undefined {
  if (answer === null || (answer.status < 400 && (service.envelope === undefined || "payload" in service.envelope.open(body))))
    return undefined;
  const given = field(body, "condition");
  const condition = conditionsOf(call).find((each) => typeof given === "string" && plainWords(each) === plainWords(given));
  if (isLost({ answer }) && (condition === undefined || (writes && !async))) return undefined;
  // tokenbook asks for an answer before the commit, so a refusal of such a write is in its receipt, without a status.
  const status = answer.status < 400 || async ? {} : { status: answer.status };
  return { ...present({ condition }), ...status };
}
