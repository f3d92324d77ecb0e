import { hash, scryptSync } from "node:crypto";
import { Failure, invariant, messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { getOrInsert } from "../../base/maps.ts";
import { type Json, type JsonObject, writeJson } from "../../base/json/json.ts";
import { pauseAskedIn, timeOfHeader } from "../../base/time/http-date.ts";
import { masked, type Redact, type Secret } from "../../base/secret.ts";
import { present } from "../../base/present.ts";
import { keyOf, type Target } from "../../environment/target.ts";
import { type ErrorForm, type Profile, profileOf } from "../../contract/profile.ts";
import { isUnfinished, readAnswer, refusalText } from "../../operations/answer.ts";
import type { Operation } from "../../operations/operation.ts";
import { isOwnError, saysServerError } from "../../operations/own-error.ts";
import { buildRequest, type ServiceRequest } from "../../operations/request.ts";
import { meaningOf } from "../../protocol/meaning.ts";
import type { AnswerMeaning } from "../../protocol/record.ts";
import { type AnswerBody, type Exchanged, jsonOf, type Outgoing } from "../../transport/exchange.ts";
import { type Caller, credentialFor, entityFor } from "./caller.ts";
import { Interrupted } from "../run/interrupted.ts";
import type { EnginePorts } from "../engine-ports.ts";
import { ListPieces } from "./list-pieces.ts";
import { isRedirect } from "../../base/redirect.ts";
import { EMPTY_REPLY, type Reply } from "./reply.ts";

/** A call of an operation. */
export interface Call {
  /** The operation that is called. */
  readonly operation: Operation;
  /** The input of the operation. */
  readonly input: JsonObject;
  /** On whose behalf the call is made. */
  readonly caller: Caller;
  /** The page to read: its number, or the cursor that the page before it named; left out for the first page. */
  readonly page?: string | number;
  /** Leaves out invalid fields of the answer instead of rejecting the whole answer. */
  readonly loosely?: boolean;
  /** Takes the records of a list as they arrive, except the last ones, which the answer holds. They count only if there is an answer. */
  readonly take?: (records: readonly Json[]) => void;
}

/** What may keep a request from leaving, and what ends the wait for its answer. */
type SendGuards = Pick<Outgoing, "fence"> & { readonly signal: AbortSignal };

/** The address of an interface: scheme, host and port, and the prefix of all paths. */
interface InterfaceAddress {
  readonly origin: string;
  readonly path: string;
}

/** The service of a target: builds requests, sends them, and interprets the answers. */
export class ServiceClient {
  /** The environment of the service, with its addresses and keys. */
  readonly target: Target;
  readonly #ports: Pick<EnginePorts, "exchange" | "clock" | "secrets">;
  /** The addresses by their base URLs. */
  readonly #places = new Map<string, InterfaceAddress>();
  #latestTime: number | undefined;

  constructor(target: Target, ports: Pick<EnginePorts, "exchange" | "clock" | "secrets">) {
    this.target = target;
    this.#ports = ports;
  }

  /** The latest time that the service's answers gave, in milliseconds since the Unix epoch; `undefined` if none gave one. */
  get latestTime(): number | undefined {
    return this.#latestTime;
  }

  /** Returns the request of a call, for the journal and for sending. Pure. */
  request({ operation, input, caller, page }: Call): ServiceRequest {
    const { profile } = this.target;
    return buildRequest(operation, input, {
      profile,
      actingEntity: entityFor(operation.service, caller),
      ...present({ page }),
    });
  }

  /** Makes a call that only reads. Throws Interrupted when the signal ends it. Never throws because of the network or the service. */
  async call(call: Call, signal: AbortSignal): Promise<Reply> {
    invariant(!call.operation.writes, "a write is sent behind a fence");
    return this.#exchange(call, this.request(call), { fence: undefined, signal });
  }

  /**
   * Sends the request of a write once, unless the fence forbids it. When the signal is aborted, the answer counts as lost. Never throws
   * because of the network or the service.
   */
  async send(call: Call, request: ServiceRequest, guards: SendGuards): Promise<Reply> {
    return this.#exchange(call, request, guards);
  }

  async #exchange(call: Call, request: ServiceRequest, { fence, signal }: SendGuards): Promise<Reply> {
    const { operation, caller, loosely = false } = call;
    const pieces =
      call.take === undefined ? undefined : new ListPieces(operation, call.take, { loosely, dialect: this.target.profile });
    const { baseUrl, key } = this.#access(operation, caller);
    const { origin, path } = this.#place(baseUrl);
    const exchanged = await this.#ports.exchange({
      origin,
      method: request.method,
      path: `${path}${this.#root(operation)}${request.path}`,
      headers: {
        ...request.headers,
        [operation.service.keyHeader]: key,
        accept: "application/json",
        ...(operation.writes ? {} : NOT_CACHED),
      },
      body: request.body === undefined ? undefined : writeJson(request.body),
      fresh: operation.writes,
      fence,
      timeoutMs: this.target.timeoutMs,
      signal,
      ...present({ sieve: pieces?.sieve }),
    });
    if (signal.aborted && !operation.writes && exchanged.kind !== "answered") throw new Interrupted(operation.name);
    if (exchanged.kind === "answered") this.#learnTime(exchanged.headers["date"]);
    const { clock, secrets } = this.#ports;
    const { profile } = this.target;
    return readReply(operation, exchanged, {
      profile,
      errors: profileOf(profile, operation.call.interface).errors,
      now: clock.now(),
      redact: secrets.redact,
      loosely,
      taken: pieces?.taken ?? 0,
    });
  }

  #learnTime(date: string | undefined): void {
    const time = timeOfHeader(date);
    if (time !== undefined) this.#latestTime = Math.max(time, this.#latestTime ?? time);
  }

  #place(baseUrl: string): InterfaceAddress {
    return getOrInsert(this.#places, baseUrl, () => {
      const { origin, pathname } = new URL(baseUrl);
      return { origin, path: pathname === "/" ? "" : pathname };
    });
  }

  #root({ service: { name, root } }: Operation): string {
    const { settings = {} } = this.target[name] ?? {};
    return root.replaceAll(/\{(\w+)\}/g, (_, setting: string) => encodeURIComponent(settings[setting] ?? ""));
  }

  #access({ service, call }: Operation, caller: Caller): { baseUrl: string; key: Secret } {
    const { environment } = this.target;
    const side = this.target[call.interface];
    const credential = credentialFor(service, caller);
    const key = side === undefined ? undefined : keyOf(side, credential);
    if (side !== undefined && key !== undefined) return { baseUrl: side.baseUrl, key };
    throw new Failure({
      code: "environment.incomplete",
      message: `the environment "${environment}" has no ${call.interface} interface or no credential "${credential ?? ""}"`,
      next: `add it to ${this.target.whereIs(call.interface)}`,
    });
  }
}

/**
 * Returns a digest by which a run recognizes the same request. For a request with a secret, the digest is slow to compute and differs in
 * each run: otherwise a reader of the journal could find a short secret by trying.
 */
export function digestOf({ method, path, body }: ServiceRequest, by: { runId: string; redact: Redact }): string {
  const text = `${method} ${path}\n${body === undefined ? "" : writeJson(body)}`;
  if (by.redact(text) === text) return hash("sha256", text);
  return scryptSync(text, by.runId, DIGEST_BYTES).toString("hex");
}

const DIGEST_BYTES = 32;

interface ReadBy {
  readonly profile: Profile;
  readonly errors: readonly ErrorForm[];
  readonly now: number;
  readonly redact: Redact;
  readonly loosely: boolean;
  /** How many records of the list were already taken. */
  readonly taken: number;
}

function readReply(operation: Operation, exchanged: Exchanged, by: ReadBy): Reply {
  if (exchanged.kind !== "answered") {
    const tooLarge = exchanged.kind === "no-answer" && exchanged.isTooLarge === true;
    const tls = exchanged.kind === "not-sent" ? exchanged.tls : undefined;
    return { ...EMPTY_REPLY, meaning: meaningOf(exchanged, by.profile.refusals), message: exchanged.why, tls, tooLarge };
  }
  const { status, headers, text } = exchanged;
  const body = readBody(exchanged, by.redact);
  const html = /^\s*</.test(text) || (headers["content-type"] ?? "").includes("html");
  const retryAfterMs = pauseAskedIn(headers, by.now) ?? null;
  const common = { ...EMPTY_REPLY, status, html, retryAfterMs, date: headers["date"] };
  const mean = (trusted: boolean): AnswerMeaning =>
    meaningOf({ kind: "answered", status, trusted, retryAfter: retryAfterMs !== null }, by.profile.refusals);
  const cached = operation.writes ? undefined : signOfCache(status, headers["age"] ?? "0");
  if (cached !== undefined)
    return { ...common, fromCache: true, foreign: true, meaning: mean(false), message: `HTTP ${status} out of a cache${cached}` };
  if (isUnfinished(operation, status))
    return { ...common, meaning: mean(false), message: `HTTP ${status}, so the answer is not complete` };
  if (status >= 200 && status < 300) {
    const read = readSuccess(operation, body, by);
    if (read.kind === "answer") return { ...common, meaning: mean(true), answer: read };
    const why = isOwnErrorBody(operation, body, by)
      ? `its body is an error that does not count as a refusal, because the status is one of success: ${refusalIn(body, text, by).message}`
      : read.why;
    return { ...common, meaning: mean(false), message: `HTTP ${status}, but ${why}` };
  }
  const { message, condition } = redirectIn(exchanged, by) ?? refusalIn(body, text, by);
  const cutOff = body.kind === "broken" && /^\s*[{[]/.test(text);
  const foreign = html || !isOwnErrorBody(operation, body, by);
  // A refused read changes nothing, so a refusal by a gateway is believed too.
  const hasFailed = body.kind === "json" && saysServerError(body.value);
  const isTrusted = operation.writes ? !foreign && !hasFailed : !html && !cutOff;
  return { ...common, meaning: mean(isTrusted), foreign, message: `HTTP ${status}: ${message}`, condition: condition ?? null };
}

function isOwnErrorBody(operation: Operation, body: Body, { errors }: ReadBy): boolean {
  return body.kind === "json" && isOwnError(operation, body.value, errors);
}

// Redacted before the text is cut, because half a secret would not be recognized.
function refusalIn(body: Body, text: string, { redact }: ReadBy): ReturnType<typeof refusalText> {
  return refusalText(body.kind === "json" ? (masked(body.value, redact) as Json) : undefined, redact(text));
}

// The body of a redirect is mostly a page for people, which says less than its header.
function redirectIn(
  { status, headers: { location } }: Extract<Exchanged, { readonly kind: "answered" }>,
  { redact }: ReadBy,
): ReturnType<typeof refusalText> | undefined {
  if (location === undefined || !isRedirect(status)) return undefined;
  return { message: `to ${redact(location).slice(0, LIMITS.refusalChars)}`, condition: undefined };
}

// A read decides whether a write is sent and whether a check passes, so a cache must ask the service again (decision 216).
const NOT_CACHED = { "cache-control": "no-cache" };

// A cache says how old its answer is, in seconds. Some proxies say 0 for each answer that they pass on.
function signOfCache(status: number, age: string): string | undefined {
  if (status === NOT_MODIFIED) return ", although tokenbook holds no earlier answer";
  return /[^0\s]/.test(age) ? `, with an Age of ${age}` : undefined;
}

const NOT_MODIFIED = 304;

type Body =
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly why: string };

function readBody(answer: AnswerBody, redact: Redact): Body {
  const { text } = answer;
  if (text.trim() === "") return { kind: "none" };
  try {
    return { kind: "json", value: jsonOf(answer) };
  } catch (error) {
    // The parser's message quotes the text, which may hold a secret.
    return { kind: "broken", why: redact(text) === text ? messageOf(error) : "it cannot be read" };
  }
}

function readSuccess(operation: Operation, body: Body, { loosely, taken, profile }: ReadBy): ReturnType<typeof readAnswer> {
  if (body.kind === "broken") return { kind: "unreadable", why: `the answer is not JSON: ${body.why}` };
  return readAnswer(operation, body.kind === "json" ? body.value : undefined, { loosely, taken, dialect: profile });
}
