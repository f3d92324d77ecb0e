import { pauseAfter } from "../base/time/backoff.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { fitsHeader } from "../base/text/header.ts";
import { isObject, type Json, type JsonObject, shownJson, textOrJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { pauseAskedIn } from "../base/time/http-date.ts";
import { retry } from "../base/time/retry.ts";
import type { Secret } from "../base/secret.ts";
import { EvaluationFailure } from "../expression/expression.ts";
import { type AnswerBody, type Exchanged, jsonOf } from "../transport/exchange.ts";
import { isRedirect } from "../base/redirect.ts";
import { nextPageIn } from "./link.ts";
import { assertAtEnd } from "./more-pages.ts";
import type { OutsideMeans, OutsidePlace, ReaderOf } from "./outside.ts";

type HttpPlace = Extract<OutsidePlace, { readonly kind: "http" }>;

interface HttpAnswer {
  readonly response: Json;
  /** Its headers, by their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Page extends HttpAnswer {
  /** The page number, from 1 on. */
  readonly page: number;
}

/** Reads the pages of a JSON API, with GET only, and from a single server. */
export const httpRows: ReaderOf<"http"> = async function* (place, means) {
  const first = addressIn(means.secret(place.address));
  const headers = headersOf(place, means);
  const seen = new Set<string>();
  let url: URL | undefined = first;
  let rows = 0;
  for (let page = 1; url !== undefined; page++) {
    if (page > LIMITS.pages) throw endless();
    if (seen.size === seen.add(url.href).size) throw repeated(page);
    const answer = { page, ...(await pageAt(url, { ...means, headers, timeoutMs: place.timeoutMs })) };
    const list = listIn(place, answer);
    rows += list.length;
    yield list.map((record, at) => ({ at: `page ${page}, record ${at + 1}`, record }));
    url = nextOf(place, answer, url, first);
    const isByLink = place.next === undefined && linkIn(answer) !== "";
    if (url === undefined && !isByLink) assertAtEnd({ ...answer, pages: page, rows, isByNext: place.next !== undefined });
  }
};

function addressIn(secret: Secret): URL {
  const url = URL.parse(secret.reveal());
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new Failure({
    code: "source.unreachable",
    message: "the address of the API is wrong",
    next: "write it so: https://HOST/PATH, and give a key under `headers`",
  });
}

function headersOf({ headers }: HttpPlace, { secret }: OutsideMeans): Readonly<Record<string, string | Secret>> {
  const found = Array.from(headers, ([name, reference]) => [name, secret(reference)] as const);

  const unfit = found.find(([, value]) => !fitsHeader(value.reveal()));
  if (unfit !== undefined)
    throw new Failure({
      code: "source.unreachable",
      message: `the value of the header "${unfit[0]}" has characters that no HTTP header takes`,
      next: "put the key as it was issued, and nothing else, into its place",
    });
  return { accept: "application/json", ...Object.fromEntries(found) };
}

interface Getting extends OutsideMeans {
  readonly headers: Readonly<Record<string, string | Secret>>;
  readonly timeoutMs: number;
}

const AGAIN = { everyMs: 200, backoff: 2, maxMs: LIMITS.heldBackMs };

// A read does no harm, so it is retried if this may help.
async function pageAt(
  { origin, pathname, search }: URL,
  { exchange, pause, signal, headers, timeoutMs }: Getting,
): Promise<HttpAnswer> {
  const get = async (): Promise<Exchanged> =>
    exchange({
      origin,
      method: "GET",
      path: `${pathname}${search}`,
      headers,
      body: undefined,
      fresh: false,
      fence: undefined,
      timeoutMs,
      signal,
    });
  const exchanged = await retry(get, {
    isFinal: (each) => signal.aborted || !mayPass(each),
    pause: async (each, tries) => {
      if (tries >= LIMITS.readAttempts) return false;
      const pauseMs = each.kind === "answered" ? pauseAskedIn(each.headers) : undefined;
      await pause(Math.min(pauseMs ?? pauseAfter(AGAIN, tries), AGAIN.maxMs));
      return true;
    },
  });
  return readPage(exchanged);
}

function mayPass(exchanged: Exchanged): boolean {
  if (exchanged.kind === "not-sent") return true;
  if (exchanged.kind === "no-answer") return exchanged.isTooLarge !== true;
  return exchanged.status >= 500 || exchanged.status === 429 || exchanged.status === 408;
}

function readPage(exchanged: Exchanged): HttpAnswer {
  if (exchanged.kind !== "answered")
    throw new Failure({
      code: "source.unreachable",
      message: `the API gave no answer: ${exchanged.why}`,
      next: "make sure that it runs, and that this machine reaches it; ask for smaller pages if the answer is too large",
    });
  const { status, headers } = exchanged;
  if (status === 200) return { response: jsonIn(exchanged), headers };
  throw new Failure({
    code: "source.refused",
    message: `the API answered with HTTP ${status}`,
    next: isRedirect(status)
      ? "give the address to which it leads: tokenbook follows no redirect"
      : "check the address and the headers",
  });
}

function jsonIn(answer: AnswerBody): Json {
  try {
    return jsonOf(answer);
  } catch (error) {
    throw new Failure({
      code: "source.unreadable",
      message: `the answer of the API is no JSON: ${messageOf(error)}`,
      next: "check the address",
    });
  }
}

function listIn({ each }: HttpPlace, { response, page }: Page): readonly Json[] {
  const rows = each === undefined ? response : each.evaluate({ response, page: Decimal.of(page) });
  if (Array.isArray(rows)) return rows as readonly Json[];
  throw new Failure({
    code: "source.unreadable",
    message: `page ${page} of the API has no list of rows`,
    next: "name the list: each: response.items",
  });
}

/** Returns the address of the next page after `url`; `undefined` after the last one. */
function nextOf({ next }: HttpPlace, answer: Page, url: URL, first: URL): URL | undefined {
  const { response, page } = answer;
  if (next === undefined) {
    const target = nextPageIn(linkIn(answer), page);
    return target === undefined ? undefined : onServer(target, URL.parse(target, url.href), first);
  }
  const given = next.evaluate({ response, page: Decimal.of(page) });
  if (given === null || given === "" || given === false) return undefined;
  if (!isObject(given)) return onServer(given, typeof given === "string" ? URL.parse(given, url.href) : null, first);
  return Object.keys(given).length === 0 ? undefined : withParameters(first, given);
}

function linkIn({ headers }: HttpAnswer): string {
  return headers["link"] ?? "";
}

// Only the server of the first address receives the headers.
function onServer(given: Json, url: URL | null, { origin }: URL): URL {
  if (url?.origin === origin) return url;
  throw new EvaluationFailure(`next: ${shownJson(given)} is no address of the same server, and no map of parameters`);
}

function withParameters(first: URL, parameters: JsonObject): URL {
  const url = new URL(first.href);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, textOrJson(value));
  return url;
}

function endless(): Failure {
  return new Failure({
    code: "paging.limit",
    message: `the API has more than ${LIMITS.pages} pages`,
    next: "ask for larger pages",
  });
}

function repeated(page: number): Failure {
  return new Failure({
    code: "paging.repeated",
    message: `page ${page} of the API has the address of an earlier page`,
    next: "check `next`: it must lead on, and give null or an empty map after the last page",
  });
}
