import { Failure, messageOf } from "../base/failure.ts";
import { isObject } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { KeptExchange } from "./kept.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the exchanges of an HTTP Archive, whoever wrote it. Throws a Failure that names the file and the entry. */
export function readHar(text: string, file: string): readonly KeptExchange[] {
  const entries = fieldsOf(fieldsOf(parsedHar(text, file))["log"])["entries"];
  if (!Array.isArray(entries)) throw invalid(file, "it has no list log.entries");
  if (entries.length > LIMITS.keptExchanges)
    throw invalid(file, `it has more than ${LIMITS.keptExchanges.toLocaleString("en")} entries`);
  return entries.map((entry: unknown, at) => exchangeIn(fieldsOf(entry), `${file}: log.entries[${at}]`));
}

function parsedHar(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw invalid(file, `it is not JSON: ${messageOf(error)}`);
  }
}

function exchangeIn(entry: Fields, where: string): KeptExchange {
  const [request, response] = [fieldsOf(entry["request"]), fieldsOf(entry["response"])];
  const { method, url } = request;
  if (typeof method !== "string" || typeof url !== "string" || !URL.canParse(url))
    throw invalid(where, "its request has no method, or no address");
  const status = Number(response["status"] ?? 0);
  return {
    run: textIn(entry, "pageref") ?? undefined,
    step: textIn(entry, "_step"),
    startedAt: Date.parse(textIn(entry, "startedDateTime") ?? "") || 0,
    durationMs: Number(entry["time"]) || 0,
    method: method.toUpperCase(),
    url,
    headers: headersIn(request["headers"]),
    body: textIn(fieldsOf(request["postData"]), "text"),
    answer:
      status > 0 ? { status, headers: headersIn(response["headers"]), text: contentIn(fieldsOf(response["content"])) } : null,
    why: textIn(entry, "_error"),
  };
}

function contentIn(content: Fields): string {
  const text = textIn(content, "text") ?? "";
  return content["encoding"] === "base64" ? Buffer.from(text, "base64").toString() : text;
}

function headersIn(headers: unknown): Readonly<Record<string, string>> {
  const pairs = Array.isArray(headers) ? headers.map(fieldsOf) : [];
  return Object.fromEntries(pairs.map((pair) => [(textIn(pair, "name") ?? "").toLowerCase(), textIn(pair, "value") ?? ""]));
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function textIn(fields: Fields, name: string): string | null {
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
