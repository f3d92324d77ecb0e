import { Decimal } from "../base/numbers/decimal.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { isObject, parseJson } from "../base/json/json.ts";
import { closingQuote } from "../base/json/names.ts";
import { LIMITS } from "../base/limits.ts";
import { maskedArchive } from "./archive-secrets.ts";
import type { KeptExchange } from "./kept.ts";

type HarFields = Readonly<Record<string, unknown>>;

/** The advice for an archive that is too large. */
export const IF_HAR_TOO_LARGE = {
  why: "an HTTP Archive is read as a whole",
  next: "record a shorter session, or export only the requests to the service",
};

/** Returns the exchanges of an HTTP Archive from any program, with its secrets masked. Throws a Failure that names the file and the entry. */
export function readHar(text: string, file: string): readonly KeptExchange[] {
  return maskedArchive(readHarWithKeys(text, file));
}

/** Does the same without masking, for callers that must find out which values are keys. They must not show any of them. */
export function readHarWithKeys(text: string, file: string): readonly KeptExchange[] {
  const entries = fieldsOf(fieldsOf(parsedHar(text, file))["log"])["entries"];
  if (!Array.isArray(entries)) throw invalid(file, "it has no list log.entries");
  if (entries.length > LIMITS.keptExchanges)
    throw invalid(file, `it has more than ${LIMITS.keptExchanges.toLocaleString("en")} entries`);
  return entries.map((entry: unknown, at) => exchangeIn(fieldsOf(entry), `${file}: log.entries[${at}]`));
}

function parsedHar(text: string, file: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw invalid(file, `it is not JSON${placeIn(messageOf(error), text)}`);
  }
}

// The parser's own message quotes the text, which is full of keys, so we only show the place.
function placeIn(message: string, text: string): string {
  if (/end of JSON|unterminated/i.test(message))
    return `: it ends in the middle, after ${text.length.toLocaleString("en")} characters`;
  const at = /position (\d+)/.exec(message)?.[1];
  if (at === undefined) return "";
  const before = text.slice(0, Number(at));
  return `: line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`;
}

/** Returns where each entry of an archive begins and ends, in the order of its exchanges. */
export function entryPlaces(text: string): readonly { readonly start: number; readonly end: number }[] {
  let places: { start: number; end: number }[] = [];
  const keys: string[] = [];
  let [depth, start] = [0, -1];
  let inEntries = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = closingQuote(text, at);
      if (depth < ENTRY_DEPTH) keys[depth] = text.slice(at + 1, end);
      at = end;
    } else if (character === "{" || character === "[") {
      depth++;
      if (depth === ENTRY_DEPTH) {
        inEntries = character === "[" && keys[1] === "log" && keys[2] === "entries";
        if (inEntries) places = [];
      }
      if (depth === ENTRY_DEPTH + 1) start = at;
    } else if (character === "}" || character === "]") {
      if (depth === ENTRY_DEPTH + 1 && inEntries) places.push({ start, end: at + 1 });
      depth--;
    }
  }
  return places;
}

/** The depth of an entry: inside the archive, its log, and the list of entries. */
const ENTRY_DEPTH = 3;

function exchangeIn(entry: HarFields, where: string): KeptExchange {
  const [request, response] = [fieldsOf(entry["request"]), fieldsOf(entry["response"])];
  const { method, url } = request;
  if (typeof method !== "string" || typeof url !== "string" || !URL.canParse(url))
    throw invalid(where, "its request has no method, or no address");
  const status = numberIn(response["status"]);
  return {
    run: textIn(entry, "pageref") ?? undefined,
    step: textIn(entry, "_step"),
    startedAt: Date.parse(textIn(entry, "startedDateTime") ?? "") || 0,
    durationMs: numberIn(entry["time"]),
    method: method.toUpperCase(),
    url,
    headers: headersIn(request["headers"]),
    body: request["postData"] === undefined ? null : contentIn(fieldsOf(request["postData"])),
    answer:
      status > 0 ? { status, headers: headersIn(response["headers"]), text: contentIn(fieldsOf(response["content"])) } : null,
    why: textIn(entry, "_error"),
  };
}

// Some programs also record the bodies of requests in base64.
function contentIn(content: HarFields): string {
  const text = textIn(content, "text") ?? "";
  return content["encoding"] === "base64" ? Buffer.from(text, "base64").toString() : text;
}

function headersIn(headers: unknown): Readonly<Record<string, string>> {
  const pairs = Array.isArray(headers) ? headers.map(fieldsOf) : [];
  return Object.fromEntries(pairs.map((pair) => [(textIn(pair, "name") ?? "").toLowerCase(), textIn(pair, "value") ?? ""]));
}

function numberIn(value: unknown): number {
  return (value instanceof Decimal ? value.approximate() : Number(value)) || 0;
}

function fieldsOf(value: unknown): HarFields {
  return isObject(value) ? value : {};
}

function textIn(fields: HarFields, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" ? value : null;
}

function invalid(where: string, why: string): Failure {
  return new Failure({
    code: "har.invalid",
    message: `${where} cannot be read as an HTTP Archive: ${why}`,
    next: "export the session again as HAR, with its contents",
  });
}
