import { Readable } from "node:stream";
import { invariant } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import { isPlainList } from "../../operations/answer.ts";
import { type AfterPage, listIn } from "../../services/paging/paging.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { ask, type AskedReply, type Asking, mayPass, type Patience, problemOf } from "./ask.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { EMPTY_REPLY, type Reply } from "../service/reply.ts";
import type { Call } from "../service/service.ts";

/** A read to its last page. */
export interface ReadRequest extends Patience, Pick<Call, "operation" | "input" | "caller" | "loosely"> {
  /** How many pages to read at most. With `LIMITS.pages`, a list with more pages is a failure. */
  readonly pages: number;
  /** The caller shows the progress of the reading itself. */
  readonly isPart?: boolean;
  /** A list that arrives in one answer may be given in pieces while it arrives. */
  readonly inPieces?: boolean;
}

/** Who reads, for which step, and how long the read may wait for a busy service. */
export type ReadingCaller = Pick<ReadRequest, "caller" | "step" | "by">;

/** The result of a read. */
export type ReadResult = PageRead | FailedRead;

/** One page of a list, all pages joined, or the whole answer of an operation without pages. */
export interface PageRead {
  readonly kind: "read";
  /** The answer without its envelope. */
  readonly payload: Json;
  /** The envelope of the first page. */
  readonly envelope: JsonObject | undefined;
  /** How many requests were made. */
  readonly requests: number;
  /** The service's own time from the first page, if the service gave it. */
  readonly date: string | undefined;
}

/** A read without a usable answer. */
export interface FailedRead {
  readonly kind: "failed";
  /** The last reply. */
  readonly reply: Reply;
  /** Why there is no usable answer. */
  readonly problem: StepProblem;
  /** How many requests were made. */
  readonly requests: number;
  /** What was read, and by whom; left out if the answers contradict each other. */
  readonly asked?: ReadingCaller & Pick<ReadRequest, "operation">;
}

/** What is needed to read a list to its last page, and to show the progress. */
export type ListReading = Asking & Pick<ReadingContext, "target" | "stopping" | "notify">;

/** Whether the service itself says that the thing does not exist. An answer of a gateway proves nothing. */
export function isNotThere({ status, meaning }: Reply): boolean {
  return status === 404 && meaning === "refused";
}

/** A list whose pages contradict its count changed while it was read. It is read this many times in total. */
export const LIST_TRIES = 3;

/** Reads an operation to its last page. A read changes nothing, so it is repeated a few times when the transport fails. */
export async function read(context: ListReading, reading: ReadRequest): Promise<ReadResult> {
  let requests = 0;
  for (let tries = 1; ; tries++) {
    const result = await readOnce(context, reading);
    requests += result.requests;
    const moved = result.kind === "failed" && result.problem.code === "paging.count";
    if (!moved || tries === LIST_TRIES || context.stopping) return { ...result, requests };
  }
}

async function readOnce(context: ListReading, reading: ReadRequest): Promise<ReadResult> {
  const { service, call } = reading.operation;
  const { paging } = call;
  if (paging === undefined) return askOnce(context, reading);
  let first: PageRead | undefined;
  let requests = 0;
  const rows: Json[] = [];
  for await (const page of pagesOf(context, reading)) {
    requests += page.requests;
    if (page.kind === "failed") return { ...page, requests };
    first ??= page;
    for (const row of listIn(page.payload, paging.items)) rows.push(row);
  }
  invariant(first !== undefined, "a list has a first page");
  const isRecords = service.paging.gives === "the records";
  const payload = isRecords ? rows : { ...(first.payload as JsonObject), [paging.items]: rows };
  return { ...first, payload, requests };
}

/** Reads a list that arrives in one answer piece by piece, and keeps only some of its records in memory. */
export async function readKept(
  context: ListReading,
  reading: ReadRequest,
  keeps: (record: JsonObject) => boolean,
): Promise<ReadResult> {
  invariant(isPlainList(reading.operation), "only a list that comes in one answer can be kept in part");
  let requests = 0;
  for (let tries = 1; ; tries++) {
    const kept: JsonObject[] = [];
    const take = (records: readonly Json[]): void => {
      for (const record of records) if (isObject(record) && keeps(record)) kept.push(record);
    };
    const last = await askInPieces(context, { ...reading, signal: context.signal }, take);
    requests += last.requests;
    if (last.kind === "failed" && last.problem.code === CUT_OFF && tries < LIST_TRIES && !context.stopping) continue;
    if (last.kind === "failed") return { ...last, requests };
    take(last.payload as readonly Json[]);
    return { ...last, payload: kept, requests };
  }
}

/**
 * Reads the pages of a list one by one, so that no caller has to hold them all. `requests` counts the requests of that page. A failure ends
 * the pages, and then none of them counts. An answer without pages is one page, or several pieces of it.
 */
export async function* pagesOf(context: ListReading, reading: ReadRequest): AsyncGenerator<ReadResult, void> {
  const { operation, step, isPart = false } = reading;
  let [pages, rows] = [0, 0];
  for await (const page of eachPage(context, reading)) {
    if (page.kind === "read" && operation.call.paging !== undefined) {
      pages++;
      rows += listIn(page.payload, operation.call.paging.items).length;
      if (pages > 1 && step !== undefined && !isPart)
        context.notify({ kind: "step.reading", step, pages, rows, at: context.ports.clock.now() });
    }
    yield page;
  }
}

// A page that contradicts those before it is not passed on.
async function* eachPage(context: ListReading, reading: ReadRequest): AsyncGenerator<ReadResult, void> {
  const { service, call } = reading.operation;
  if (reading.inPieces === true && isPlainList(reading.operation)) return yield* pieces(context, reading);
  const first = await askOnce(context, reading);
  yield first;
  if (first.kind === "failed" || call.paging === undefined || reading.pages === 1) return;
  const walk = service.paging.walk(call.paging.items, context.service.target.profile);
  let after = walk.take(first);
  for (let number = 1; after.kind === "more"; number++) {
    if (reading.pages === LIMITS.pages && (after.pages ?? number + 1) > LIMITS.pages) return yield endless(reading);
    if (number >= reading.pages) return;
    const page = await askOnce(context, reading, after.page);
    if (page.kind === "failed") return yield page;
    after = walk.take(page);
    if (after.kind === "broken") return yield { ...unfinished(problemWith(after, reading)), requests: page.requests };
    yield page;
  }
  if (after.kind === "broken") yield unfinished(problemWith(after, reading));
}

/** A part of a list arrived, and then the connection broke: the list must be read again from its beginning. */
export const CUT_OFF = "service.cut-off";

async function* pieces(context: ListReading, reading: ReadRequest): AsyncGenerator<ReadResult, void> {
  const abandoned = new AbortController();
  const came = new Readable({ objectMode: true, read: () => undefined });
  const signal = AbortSignal.any([context.signal, abandoned.signal]);
  const asked = askInPieces(context, { ...reading, signal }, (records) => void came.push(records));
  const over = asked.catch(() => undefined).then(() => came.push(null));
  try {
    for await (const payload of came as AsyncIterable<readonly Json[]>)
      yield { kind: "read", payload, envelope: undefined, requests: 0, date: undefined };
    yield await asked;
  } finally {
    abandoned.abort();
    await over;
  }
}

/** Reads a list that arrives in one answer, and gives its records as they arrive; the result holds the remaining ones. */
async function askInPieces(
  context: ListReading,
  { signal, ...reading }: ReadRequest & { readonly signal: AbortSignal },
  take: (records: readonly Json[]) => void,
): Promise<ReadResult> {
  const { operation, input, caller, loosely = false } = reading;
  const { service, ports } = context;
  const asking: Asking = { service, ports, signal, pause: (ms, step) => context.pause(ms, step) };
  let hasBegun = false;
  const taking = (records: readonly Json[]): void => {
    hasBegun = true;
    take(records);
  };
  const call = { operation, input, caller, loosely, take: taking };
  const last = resultOf(await ask(asking, call, { ...reading, expects: () => hasBegun }), context, reading);
  const isCutOff = hasBegun && last.kind === "failed" && !last.reply.tooLarge && mayPass(last.reply);
  return isCutOff ? { ...last, problem: { ...last.problem, code: CUT_OFF } } : last;
}

async function askOnce(context: ListReading, reading: ReadRequest, page?: string | number): Promise<ReadResult> {
  const { operation, input, caller, loosely = false } = reading;
  const call = { operation, input, caller, loosely, ...present({ page }) };
  // A later page is always retried, because its failure would lose the pages before it.
  const failsAtOnce = reading.failsAtOnce === true && page === undefined;
  return resultOf(await ask(context, call, { ...reading, failsAtOnce }), context, reading);
}

function resultOf(asked: AskedReply, context: ListReading, reading: ReadRequest): ReadResult {
  const { operation, caller } = reading;
  const { reply, requests } = asked;
  if (reply.answer === undefined) {
    const problem = problemOf(asked, { operation, caller, target: context.target });
    return { kind: "failed", reply, problem, requests, asked: { operation, caller, by: reading.by, step: reading.step } };
  }
  const { payload, envelope } = reply.answer;
  return { kind: "read", payload, envelope, requests, date: reply.date };
}

function problemWith({ problem, misnamed }: Extract<AfterPage, { kind: "broken" }>, { operation }: ReadRequest): StepProblem {
  const { name, paging } = operation.service;
  const setting = `profile.${name}.parameters.${paging.parameter}`;
  return misnamed
    ? { ...problem, next: `if the service uses another name for the parameter, declare it in the environment: ${setting}` }
    : problem;
}

function endless({ operation }: ReadRequest): ReadResult {
  return unfinished({
    code: "paging.limit",
    message: `the list has more than ${LIMITS.pages} pages`,
    next: `set \`pages:\`, or a larger ${operation.service.paging.size}`,
  });
}

function unfinished(problem: StepProblem): ReadResult {
  const reply: Reply = { ...EMPTY_REPLY, meaning: "ambiguous", status: 200, message: problem.message };
  return { kind: "failed", reply, problem, requests: 0 };
}
