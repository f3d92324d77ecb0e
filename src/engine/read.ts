import type { Json, JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { Decimal } from "../base/decimal.ts";
import type { Operation } from "../operations/operation.ts";
import type { StepProblem } from "../protocol/record.ts";
import type { Caller } from "./caller.ts";
import type { Looking } from "./looking.ts";
import { explain } from "./explain.ts";
import type { Reply } from "./service.ts";

/** A read to be made, to its last page. */
export interface Reading {
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly caller: Caller;
  readonly pages: number;
  /** Whether this answer was to be: then it is not asked for again, although it failed. */
  readonly expects?: (reply: Reply) => boolean;
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
  | { readonly kind: "failed"; readonly reply: Reply; readonly problem: StepProblem; readonly requests: number };

/** Whether the service itself says that it is not there; a page of somebody in between says nothing of it. */
export function isNotThere({ status, meaning }: Reply): boolean {
  return status === 404 && meaning === "refused";
}

const RETRY_PAUSE_MS = 200;
const RETRY_PAUSE_MAX_MS = 30_000;

/** Reads an operation, page by page. A read changes nothing, so whatever failed in transport is asked again, a few times. */
export async function read(context: Looking, reading: Reading): Promise<ReadResult> {
  const { paging } = reading.operation.call;
  const first = await askOnce(context, reading, undefined);
  if (first.kind === "failed" || paging === undefined) return first;
  return paging.style === "bookmark" ? followBookmarks(context, reading, first) : followPages(context, reading, first);
}

type Page = Extract<ReadResult, { kind: "read" }>;

async function followBookmarks(context: Looking, reading: Reading, first: Page): Promise<ReadResult> {
  const records: Json[] = [...recordsOf(first.payload)];
  const seen = new Set<string>();
  let page = first;
  let requests = first.requests;
  const size = pageSize(reading, context);
  for (let count = 1; ; count++) {
    const bookmark = isObject(page.payload) ? page.payload["bookmark"] : undefined;
    const last = typeof bookmark !== "string" || bookmark === "" || recordsOf(page.payload).length < size;
    if (last) break;
    if (seen.has(bookmark)) return repeated(requests, bookmark);
    if (count === LIMITS.pages) return endless(reading, requests);
    if (count === reading.pages) break;
    seen.add(bookmark);
    const next = await askOnce(context, reading, bookmark);
    requests += next.requests;
    if (next.kind === "failed") return { ...next, requests };
    page = next;
    for (const record of recordsOf(page.payload)) records.push(record);
  }
  return { ...first, payload: records, requests };
}

async function followPages(context: Looking, reading: Reading, first: Page): Promise<ReadResult> {
  const items = reading.operation.call.paging?.items ?? "";
  const records: Json[] = [...listIn(first.payload, items)];
  const known = totalPages(first);
  if (known === undefined && reading.pages > 1) return withoutPagination(first.requests);
  if ((known ?? 1) > LIMITS.pages && reading.pages === LIMITS.pages) return endless(reading, first.requests);
  const total = Math.min(known ?? 1, reading.pages);
  let requests = first.requests;
  for (let number = 2; number <= total; number++) {
    const next = await askOnce(context, reading, number);
    requests += next.requests;
    if (next.kind === "failed") return { ...next, requests };
    const given = pagination(next)?.["page"];
    if (given instanceof Decimal && !given.equals(Decimal.of(number))) return otherPage(requests, { asked: number, given });
    for (const record of listIn(next.payload, items)) records.push(record);
  }
  return { ...first, payload: { ...(first.payload as JsonObject), [items]: records }, requests };
}

async function askOnce(context: Looking, reading: Reading, page: string | number | undefined): Promise<ReadResult> {
  const { operation, input, caller } = reading;
  for (let attempt = 1; ; attempt++) {
    const reply = await context.service.call({ operation, input, caller, ...(page === undefined ? {} : { page }) });
    if (reply.answer !== undefined) {
      const { payload, envelope } = reply.answer;
      return { kind: "read", payload, envelope, requests: attempt, date: reply.date };
    }
    const enough = attempt >= LIMITS.readAttempts || context.stopping || !mayPass(reply) || reading.expects?.(reply) === true;
    if (enough) {
      return { kind: "failed", reply, problem: explain(reply, { operation, caller, target: context.target }), requests: attempt };
    }
    await context.pause(Math.min(reply.retryAfterMs ?? RETRY_PAUSE_MS * 2 ** (attempt - 1), RETRY_PAUSE_MAX_MS));
  }
}

/** Whether asking again may help: the network, a busy or failing server; not a refusal, nor an answer of another shape. */
export function mayPass(reply: Reply): boolean {
  if (reply.meaning === "not-sent" || reply.meaning === "refused-later" || reply.status === null) return true;
  return reply.meaning === "ambiguous" && !reply.html && (reply.status >= 500 || reply.status === 408);
}

function recordsOf(payload: Json): readonly Json[] {
  return listIn(payload, "records");
}

// A missing or null list is an empty one.
function listIn(payload: Json, name: string): readonly Json[] {
  const list = isObject(payload) ? payload[name] : undefined;
  return Array.isArray(list) ? list : [];
}

function pageSize({ input, operation }: Reading, context: Looking): number {
  const asked = operation.call.parameters.find(({ profile }) => profile === "pageSize");
  const given = asked === undefined ? undefined : input[asked.name];
  return given instanceof Decimal ? given.approximate() : context.target.profile.ledger.pageSize;
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

function withoutPagination(requests: number): ReadResult {
  return unfinished(requests, {
    code: "paging.unknown",
    message: "the answer has no pagination.totalPages, so there may be more pages than were read",
    next: "give `pages: first`, if one page is enough",
  });
}

function otherPage(requests: number, { asked, given }: { asked: number; given: Decimal }): ReadResult {
  return unfinished(requests, {
    code: "paging.other-page",
    message: `the service was asked for page ${asked} and gave page ${given}`,
    why: "what was read of the list may hold some things twice and others not at all, so it is not used",
    next: "if the service calls the parameter otherwise, say so in the environment: profile.investor.parameters.page",
  });
}

function repeated(requests: number, bookmark: string): ReadResult {
  return unfinished(requests, {
    code: "paging.repeated",
    message: `the service gave the bookmark ${JSON.stringify(bookmark.slice(0, 80))} twice`,
    why: "the list would never end, so what was read of it is not used",
  });
}

function endless({ operation }: Reading, requests: number): ReadResult {
  return unfinished(requests, {
    code: "paging.limit",
    message: `the list has more than ${LIMITS.pages} pages`,
    next: `give \`pages:\`, or a larger ${operation.call.paging?.style === "bookmark" ? "pageSize" : "limit"}`,
  });
}

function unfinished(requests: number, problem: StepProblem): ReadResult {
  const reply: Reply = {
    meaning: "ambiguous",
    status: 200,
    answer: undefined,
    message: problem.message,
    condition: null,
    retryAfterMs: null,
    date: undefined,
    html: false,
  };
  return { kind: "failed", reply, problem, requests };
}
