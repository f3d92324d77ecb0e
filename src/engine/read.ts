import { hash } from "node:crypto";
import { invariant } from "../base/failure.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { Decimal } from "../base/decimal.ts";
import { count } from "../base/text.ts";
import type { Operation } from "../operations/operation.ts";
import type { StepProblem } from "../protocol/record.ts";
import { ask, type Patience, problemOf } from "./asking.ts";
import type { Caller } from "./caller.ts";
import type { Looking } from "./looking.ts";
import type { Reply } from "./service.ts";

/** A read to be made, to its last page. */
export interface Reading extends Patience {
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly caller: Caller;
  readonly pages: number;
  /** The step that it is made for: whoever watches is told how far it has come. */
  readonly step?: string;
  /** Fields of the answer that are not as they should be are left out: of all that is read only a part is needed. */
  readonly loosely?: boolean;
}

/** What a read gave. */
export type ReadResult =
  | {
      readonly kind: "read";
      readonly payload: Json;
      readonly envelope: JsonObject | undefined;
      readonly requests: number;
      /** The service's own time, when it said so; of the first page. */
      readonly date: string | undefined;
    }
  | {
      readonly kind: "failed";
      readonly reply: Reply;
      readonly problem: StepProblem;
      readonly requests: number;
      /** What was asked, and how; left out where the answers came and do not add up. */
      readonly asked?: Pick<Reading, "operation" | "caller" | "by">;
    };

/** Whether the service itself says that it is not there; a page of somebody in between says nothing of it. */
export function isNotThere({ status, meaning }: Reply): boolean {
  return status === 404 && meaning === "refused";
}

/** A list that does not add up was read while it moved: it is read anew, so often in all. */
export const LIST_TRIES = 3;

/** Reads an operation to its last page. A read changes nothing, so whatever failed in transport is asked again, a few times. */
export async function read(context: Looking, reading: Reading): Promise<ReadResult> {
  let requests = 0;
  for (let tries = 1; ; tries++) {
    const result = await readOnce(context, reading);
    requests += result.requests;
    const moved = result.kind === "failed" && result.problem.code === "paging.count";
    if (!moved || tries === LIST_TRIES || context.stopping) return { ...result, requests };
  }
}

async function readOnce(context: Looking, reading: Reading): Promise<ReadResult> {
  const { paging } = reading.operation.call;
  if (paging === undefined) return askOnce(context, reading, undefined);
  let first: Page | undefined;
  let requests = 0;
  const rows: Json[] = [];
  for await (const page of pagesOf(context, reading)) {
    requests += page.requests;
    if (page.kind === "failed") return { ...page, requests };
    first ??= page;
    for (const row of listIn(page.payload, paging.items)) rows.push(row);
  }
  invariant(first !== undefined, "a list has a first page");
  const isRecords = paging.style === "bookmark";
  return { ...first, payload: isRecords ? rows : { ...(first.payload as JsonObject), [paging.items]: rows }, requests };
}

/** One page of a list, or all of what has no pages. */
export type Page = Extract<ReadResult, { kind: "read" }>;

/**
 * The pages of a list one by one, so that nobody need hold them all; `requests` are those of the page. A failure is the last that comes.
 * Of what has no pages, all of it is one.
 */
export async function* pagesOf(context: Looking, reading: Reading): AsyncGenerator<ReadResult, void> {
  const { operation, step } = reading;
  let [pages, rows] = [0, 0];
  for await (const page of eachPage(context, reading)) {
    if (page.kind === "read" && operation.call.paging !== undefined) {
      pages++;
      rows += listIn(page.payload, operation.call.paging.items).length;
      if (pages > 1 && step !== undefined)
        context.tell({ kind: "step.reading", step, pages, rows, at: context.ports.clock.now() });
    }
    yield page;
  }
}

async function* eachPage(context: Looking, reading: Reading): AsyncGenerator<ReadResult, void> {
  const { paging } = reading.operation.call;
  const first = await askOnce(context, reading, undefined);
  yield first;
  if (first.kind === "failed" || paging === undefined) return;
  if (paging.style === "bookmark") yield* followBookmarks(context, reading, first);
  else yield* followPages(context, reading, first);
}

// The service may give fewer records than were asked for, and no law tells how many at most: a short page is not the last one.
async function* followBookmarks(context: Looking, reading: Reading, first: Page): AsyncGenerator<ReadResult, void> {
  const seen = new Set<string>();
  let page = first;
  for (let number = 1; ; number++) {
    const bookmark = isObject(page.payload) ? page.payload["bookmark"] : undefined;
    if (typeof bookmark !== "string" || bookmark === "" || listIn(page.payload, "records").length === 0) return;
    if (seen.has(bookmark)) return yield repeated(bookmark);
    if (number === LIMITS.pages) return yield endless(reading);
    if (number === reading.pages) return;
    seen.add(bookmark);
    const next = await askOnce(context, reading, bookmark);
    yield next;
    if (next.kind === "failed") return;
    page = next;
  }
}

async function* followPages(context: Looking, reading: Reading, first: Page): AsyncGenerator<ReadResult, void> {
  if (reading.pages === 1) return;
  const total = totalPages(first);
  if (total === undefined) return yield withoutPagination();
  const seen = new SeenPages(reading.operation.call.paging?.items ?? "", total > 1);
  const wrong = seen.take(first, 1);
  if (wrong !== undefined) return yield unfinished(wrong);
  for (let number = 2; number <= total; number++) {
    if (total > LIMITS.pages && reading.pages === LIMITS.pages) return yield endless(reading);
    if (number > reading.pages) return;
    const next = await askOnce(context, reading, number);
    if (next.kind === "failed") return yield next;
    const problem = seen.take(next, number);
    if (problem !== undefined) return yield { ...unfinished(problem), requests: next.requests };
    yield next;
  }
  const missing = seen.missing();
  if (missing !== undefined) yield unfinished(missing);
}

/** What the pages of one list say of it. They are read one after the other, and what they say need not be of the same list. */
class SeenPages {
  readonly #items: string;
  readonly #areSeveral: boolean;
  readonly #digests = new Set<string>();
  readonly #said = new Map<string, Decimal>();
  #rows = 0;

  constructor(items: string, areSeveral: boolean) {
    this.#items = items;
    this.#areSeveral = areSeveral;
  }

  /** Takes the next page; gives what keeps the list from being used. */
  take(page: Page, asked: number): StepProblem | undefined {
    const said = pagination(page) ?? {};
    const given = said["page"];
    if (given instanceof Decimal && !given.equals(Decimal.of(asked))) return otherPage({ asked, given });
    const rows = listIn(page.payload, this.#items);
    this.#rows += rows.length;
    if (this.#areSeveral && rows.length > 0 && this.#cameBefore(rows)) return samePage(asked);
    return this.#changed("totalItems", said) ?? this.#changed("totalPages", said);
  }

  #cameBefore(rows: readonly Json[]): boolean {
    const before = this.#digests.size;
    return this.#digests.add(hash("sha256", writeJson(rows))).size === before;
  }

  #changed(name: string, said: JsonObject): StepProblem | undefined {
    const [before, now] = [this.#said.get(name), said[name]];
    if (!(now instanceof Decimal)) return undefined;
    this.#said.set(name, now);
    return before === undefined || before.equals(now) ? undefined : changed(name, before, now);
  }

  /** Of a list that was read to its end: whether it is all that it was said to be. */
  missing(): StepProblem | undefined {
    const claimed = this.#said.get("totalItems");
    return claimed === undefined || claimed.equals(Decimal.of(this.#rows)) ? undefined : miscounted(claimed, this.#rows);
  }
}

async function askOnce(context: Looking, reading: Reading, page: string | number | undefined): Promise<ReadResult> {
  const { operation, input, caller, loosely = false } = reading;
  const asked = await ask(context, { operation, input, caller, loosely, ...(page === undefined ? {} : { page }) }, reading);
  const { reply, requests } = asked;
  if (reply.answer === undefined) {
    const problem = problemOf(asked, { operation, caller, target: context.target });
    return { kind: "failed", reply, problem, requests, asked: { operation, caller, by: reading.by } };
  }
  const { payload, envelope } = reply.answer;
  return { kind: "read", payload, envelope, requests, date: reply.date };
}

// A missing or null list is an empty one.
export function listIn(payload: Json, name: string): readonly Json[] {
  const list = isObject(payload) ? payload[name] : undefined;
  return Array.isArray(list) ? list : [];
}

// Interface A puts its pagination inside the response or beside it.
function pagination({ payload, envelope }: Page): JsonObject | undefined {
  const inside = isObject(payload) ? payload["pagination"] : undefined;
  const found = isObject(inside) ? inside : envelope?.["pagination"];
  return isObject(found) ? found : undefined;
}

function totalPages(page: Page): number | undefined {
  const total = pagination(page)?.["totalPages"];
  return total instanceof Decimal ? total.approximate() : undefined;
}

const MOVED = "what was read of the list may lack something, or hold it twice, so it is not used";
const SHIFTED = "what was read of the list may hold some things twice and others not at all, so it is not used";
const OTHER_NAME = "if the service calls the parameter otherwise, say so in the environment: profile.investor.parameters.page";

function miscounted(claimed: Decimal, given: number): StepProblem {
  return {
    code: "paging.count",
    message: `the service says that the list has ${claimed.text} of them, and gave ${count(given, "record")}`,
    why: MOVED,
  };
}

function changed(name: string, before: Decimal, now: Decimal): StepProblem {
  return {
    code: "paging.count",
    message: `the list changed while it was read: its ${name} was ${before.text}, and then ${now.text}`,
    why: MOVED,
  };
}

function samePage(asked: number): StepProblem {
  return {
    code: "paging.repeated",
    message: `page ${asked} holds the very records of an earlier page`,
    why: SHIFTED,
    next: OTHER_NAME,
  };
}

function withoutPagination(): ReadResult {
  return unfinished({
    code: "paging.unknown",
    message: "the answer has no pagination.totalPages, so there may be more pages than were read",
    next: "give `pages: first`, if one page is enough",
  });
}

function otherPage({ asked, given }: { asked: number; given: Decimal }): StepProblem {
  return {
    code: "paging.other-page",
    message: `the service was asked for page ${asked} and gave page ${given.text}`,
    why: SHIFTED,
    next: OTHER_NAME,
  };
}

function repeated(bookmark: string): ReadResult {
  return unfinished({
    code: "paging.repeated",
    message: `the service gave the bookmark ${JSON.stringify(bookmark.slice(0, 80))} twice`,
    why: "the list would never end, so what was read of it is not used",
  });
}

function endless({ operation }: Reading): ReadResult {
  return unfinished({
    code: "paging.limit",
    message: `the list has more than ${LIMITS.pages} pages`,
    next: `give \`pages:\`, or a larger ${operation.call.paging?.style === "bookmark" ? "pageSize" : "limit"}`,
  });
}

function unfinished(problem: StepProblem): ReadResult {
  const reply: Reply = {
    meaning: "ambiguous",
    status: 200,
    answer: undefined,
    message: problem.message,
    condition: null,
    retryAfterMs: null,
    date: undefined,
    html: false,
    foreign: false,
  };
  return { kind: "failed", reply, problem, requests: 0 };
}
