import { isoTime } from "../../base/time/date.ts";
import { harmlessJson } from "../../base/text/harmless.ts";
import { VERSION } from "../../base/version.ts";
import { present } from "../../base/present.ts";
import type { KeptExchange } from "../../exchanges/kept.ts";
import { operationAt } from "../../operations/route.ts";
import type { ReportedRun } from "../reported-run.ts";

/**
 * Writes the exchanges of the runs as HTTP Archive 1.2, with a page for each run and an entry for each exchange. Bodies are the texts that were sent, with all
 * digits. An entry without an answer has the status 0, as in browsers.
 */
export function* harReport(runs: Iterable<ReportedRun>): Generator<string> {
  const all = [...runs];
  const pages = all.map(({ report: { run } }) => ({
    startedDateTime: run.startedAt,
    id: run.id,
    title: `${run.playbook.name} (${run.playbook.file})`,
    pageTimings: {},
  }));
  const creator = { name: "tokenbook", version: VERSION };
  yield `{"log":{"version":"1.2","creator":${line(creator)},"pages":${line(pages)},"entries":[`;
  let number = 0;
  for (const { exchanges = () => [] } of all) {
    for (const exchange of exchanges()) yield `${number++ === 0 ? "" : ","}\n${line(entryOf(exchange))}`;
  }
  yield "\n]}}\n";
}

function entryOf(exchange: KeptExchange): object {
  const { run, step, startedAt, durationMs, method, url, headers, body, answer, why } = exchange;
  const time = Math.max(0, durationMs);
  const operation = operationAt(method, url)?.name;
  return {
    ...present({ pageref: run }),
    startedDateTime: isoTime(startedAt),
    time,
    request: {
      method,
      url: uriOf(url),
      httpVersion: HTTP,
      cookies: [],
      headers: pairs(Object.entries(headers)),
      queryString: pairs([...(URL.parse(url)?.searchParams ?? [])]),
      headersSize: -1,
      bodySize: Buffer.byteLength(body ?? ""),
      ...(body === null ? {} : { postData: { mimeType: typeIn(headers), text: body } }),
    },
    response: responseOf(answer),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: step === null ? "before the first step" : `step ${step}`,
    ...(step === null ? {} : { _step: step }),
    ...present({ _operation: operation }),
    ...(why === null ? {} : { _error: why }),
  };
}

// The mask of a secret contains characters that a URL cannot contain.
function uriOf(url: string): string {
  const { origin = url, pathname = "", search = "" } = URL.parse(url) ?? {};
  return origin + `${pathname}${search}`.replaceAll(/[^\w\-.~:/?@!$&'()*+,;=%]/g, encodeURIComponent);
}

const HTTP = "HTTP/1.1";

function responseOf(answer: KeptExchange["answer"]): object {
  const { status, headers, text } = answer ?? { status: 0, headers: {}, text: "" };
  const size = Buffer.byteLength(text);
  return {
    status,
    statusText: "",
    httpVersion: HTTP,
    cookies: [],
    headers: pairs(Object.entries(headers)),
    content: { size, mimeType: typeIn(headers), text },
    redirectURL: headers["location"] ?? "",
    headersSize: -1,
    bodySize: answer === null ? -1 : size,
  };
}

function typeIn(headers: Readonly<Record<string, string>>): string {
  return headers["content-type"] ?? "";
}

function pairs(entries: readonly (readonly [string, string])[]): readonly { readonly name: string; readonly value: string }[] {
  return entries.map(([name, value]) => ({ name, value }));
}

function line(value: unknown): string {
  return harmlessJson(JSON.stringify(value));
}
