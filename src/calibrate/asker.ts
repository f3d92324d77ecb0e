import { shortened } from "../base/text/text.ts";
import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../base/json/json.ts";
import { field } from "../base/json/parts.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { present } from "../base/present.ts";
import type { Profile } from "../contract/profile.ts";
import type { EnginePorts } from "../engine/engine-ports.ts";
import { ask, type AskedReply, askingOf, isTrouble } from "../engine/read/ask.ts";
import type { Caller } from "../engine/service/caller.ts";
import { Interrupted } from "../engine/run/interrupted.ts";
import { ServiceClient } from "../engine/service/service.ts";
import type { Target } from "../environment/target.ts";
import { isUnfinished } from "../operations/answer.ts";
import { fromTexts } from "../operations/dialect.ts";
import { type Operation, operationNamed } from "../operations/operation.ts";
import { OF_THE_MOMENT } from "../operations/own-error.ts";
import { buildRequest, type ServiceRequest } from "../operations/request.ts";
import { hasEntities, type Service } from "../services/services.ts";
import { type Exchanged, jsonIn } from "../transport/exchange.ts";
import { withMaskedAnswers } from "../transport/masked-answers.ts";
import type { CalibrationFindings, ObservedExchange } from "./finding.ts";

/** The ports of a calibration. */
export type CalibrationPorts = Pick<EnginePorts, "exchange" | "clock" | "secrets" | "stopping">;

/** A request, with the parts that may differ from the profile as known so far. */
export interface Question {
  /** The name of the operation, such as `ledger.token.get`. */
  readonly operation: string;
  /** The input of the operation. If left out, empty. */
  readonly input?: JsonObject;
  /** The profile for building the request. If left out, the profile as known so far. */
  readonly profile?: Profile;
  /** The bookmark or number of a page of a list. If left out, the first page. */
  readonly page?: string | number;
  /** The text for the acting entity, which need not be well-formed. */
  readonly actor?: string | undefined;
}

/** The answer to a request. */
export interface CalibrationAnswer {
  readonly operation: Operation;
  /** The status; `null` if no complete answer came. */
  readonly status: number | null;
  /** The body; `undefined` if the answer is not JSON. */
  readonly body: Json | undefined;
  /** `ok`: a 2xx in JSON or without content. `refused`: a 4xx in JSON. `trouble`: anything else, which shows nothing about the service. */
  readonly kind: "ok" | "refused" | "trouble";
  /** The request and the answer as a finding shows them, or why there is no answer. */
  readonly exchange: ObservedExchange;
  /** The time of the service. */
  readonly date: string | undefined;
}

const NOT_STOPPING = new AbortController().signal;

const TOO_MANY = "calibrate.too-many-requests";

/** Sends requests to a service, and records them with their answers. Every request counts against one limit. */
export class CalibrationAsker {
  /** The environment of the service. */
  readonly target: Target;
  /** The findings so far, with the profile as known so far. */
  readonly findings: CalibrationFindings;
  /** The credential for each interface that identifies callers by their keys. */
  readonly #credentials = new Map<string, string>();
  readonly #ports: CalibrationPorts;
  readonly #client: ServiceClient;
  #stopping: AbortSignal;
  #isRemoving = false;
  #last: Exchanged | undefined;
  #troubles = 0;
  #limit: number = LIMITS.calibrateRequests;
  /** The number of requests so far, including repeated reads. */
  requests = 0;
  /** Every answer so far that may come from the service itself. */
  readonly answers: CalibrationAnswer[] = [];

  constructor(target: Target, findings: CalibrationFindings, ports: CalibrationPorts) {
    this.target = target;
    this.findings = findings;
    this.#ports = ports;
    this.#stopping = ports.stopping;
    const masked = withMaskedAnswers(ports.exchange, ports.secrets.redact);
    const exchange: CalibrationPorts["exchange"] = async (outgoing) => (this.#last = await masked(outgoing));
    this.#client = new ServiceClient(target, { ...ports, exchange });
  }

  /** The clock, for the time and for pauses. */
  get clock(): Clock {
    return this.#ports.clock;
  }

  /** Aborted when waiting must end. Once writing has begun, it is never aborted. */
  get stopping(): AbortSignal {
    return this.#stopping;
  }

  /** Uses this credential for calls of an interface from now on. */
  use(service: Service, credential: string): void {
    this.#credentials.set(service.name, credential);
  }

  /** Sends a read, and repeats it while the service is in trouble. Throws a Failure if that does not end, or if the limit of requests is reached. */
  async read(question: Question): Promise<CalibrationAnswer> {
    return (await this.readFully(question)).raw;
  }

  /** Does the same, and also returns the reply as a run would understand it. */
  async readFully(
    question: Question,
  ): Promise<{ readonly raw: CalibrationAnswer; readonly asked: AskedReply; readonly caller: Caller }> {
    const { operation, request, call } = this.#prepare(question);
    if (operation.writes) throw new TypeError(`${operation.name} writes`);
    const service = {
      target: this.target,
      call: (given: typeof call, signal: AbortSignal) => {
        this.#count();
        return this.#client.send(given, request, { fence: undefined, signal });
      },
    };
    const { clock, stopping } = this;
    const by = clock.elapsed() + LIMITS.calibrateReadMs;
    const asked = await ask(askingOf(service, { clock, stopping }), call, {
      step: undefined,
      by,
      expects: ({ status }) => status !== null && status >= 200 && status < 300,
    });
    const raw = this.#taken(operation, request);
    this.#troubles = isTrouble(asked.reply) && raw.kind === "trouble" ? this.#troubles + 1 : 0;
    if (this.#troubles >= LIMITS.calibrateTroubles) throw inTrouble(raw);
    return { raw, asked, caller: call.caller };
  }

  /** Sends a write exactly once. Throws Interrupted if the calibration must stop, unless the write removes something. */
  async write(question: Question): Promise<CalibrationAnswer> {
    const { operation, request, call } = this.#prepare(question);
    if (this.#ports.stopping.aborted && !this.#isRemoving) throw new Interrupted("the end of the calibration");
    this.#count();
    await this.#client.send(call, request, { fence: undefined, signal: NOT_STOPPING });
    return this.#taken(operation, request);
  }

  /** Does a part of the work. If the limit of requests is reached, the rest of it stays undecided. */
  async untilLimit<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== TOO_MANY) throw error;
      this.findings.facts.push({
        about: "requests",
        says: `the limit of ${LIMITS.calibrateRequests} was reached, and the rest is not decided`,
      });
      return undefined;
    }
  }

  /** From now on, the calibration only stops before a write. It waits for the outcome of each write, so that it can remove what the write created. */
  beginWriting(): void {
    this.#stopping = NOT_STOPPING;
  }

  /** Allows some requests beyond the limit, and writes although the calibration must stop, to remove what was created. */
  allowRemoval(): void {
    this.#limit = this.requests + LIMITS.calibrateRemovals;
    this.#isRemoving = true;
  }

  #prepare({ operation: name, input = {}, profile = this.findings.profile, page, actor }: Question) {
    const operation = operationNamed(name);
    const { service } = operation;
    const credential = this.#credentials.get(service.name);
    const identities = hasEntities(service) || credential === undefined ? {} : { [service.name]: credential };
    const request = buildRequest(operation, input, { profile, actingEntity: actor, ...present({ page }) });
    return { operation, request, call: { operation, input, caller: { identities, label: null } } };
  }

  #count(): void {
    this.requests += 1;
    if (this.requests <= this.#limit) return;
    throw new Failure({
      code: TOO_MANY,
      message: `the calibration has made ${LIMITS.calibrateRequests} requests, which is its limit`,
      why: "a service that answers as described is known after fewer",
    });
  }

  #taken(operation: Operation, request: ServiceRequest): CalibrationAnswer {
    const exchanged = this.#last;
    const { redact } = this.#ports.secrets;
    const sent = `${request.method} ${request.path}${headersOf(request)}${request.body === undefined ? "" : ` ${writeJson(request.body)}`}`;
    const shown = (answer: string): ObservedExchange => ({ request: cut(redact(sent)), answer: cut(answer) });
    if (exchanged?.kind !== "answered") {
      const why = exchanged?.why ?? "nothing was sent";
      return { operation, status: null, body: undefined, kind: "trouble", exchange: shown(why), date: undefined };
    }
    const { status, text, headers } = exchanged;
    const body = jsonIn(exchanged);
    const isWhole = status >= 200 && status < 300 && !isUnfinished(operation, status);
    const isSuccess = isWhole && (body !== undefined || (text.trim() === "" && status === 204));
    const isRefusal = status >= 400 && status < 500 && isObject(body) && !OF_THE_MOMENT.has(status);
    const kind = isSuccess ? "ok" : isRefusal ? "refused" : "trouble";
    const answer: CalibrationAnswer = {
      operation,
      status,
      body,
      kind,
      exchange: shown(`${status} ${text}`),
      date: headers["date"],
    };
    if (kind !== "trouble") this.answers.push(answer);
    return answer;
  }

  /** Returns the payload of an answer, with numbers and booleans read as the profile so far requires; `undefined` if the answer is not ok. */
  payload({ operation, body, kind }: CalibrationAnswer): Json | undefined {
    if (kind !== "ok" || body === undefined) return undefined;
    const { response } = operation.call;
    const value = response === undefined ? body : fromTexts(response, body, this.findings.profile);
    if (operation.service.envelope === undefined) return value;
    return field(value, "response");
  }

  /** Returns the exchange of the last answer that may come from the service itself. */
  lastExchange(): readonly ObservedExchange[] {
    return this.answers.slice(-1).map(({ exchange }) => exchange);
  }
}

function headersOf({ headers }: ServiceRequest): string {
  return Object.entries(headers)
    .map(([name, value]) => ` ${name}: ${value}`)
    .join("");
}

function cut(text: string): string {
  return shortened(text.replaceAll(/\s+/g, " ").trim(), LIMITS.calibrateShownChars);
}

/** Returns the failure for a service that gives no usable answer. */
export function inTrouble({ exchange }: CalibrationAnswer): Failure {
  return new Failure({
    code: "calibrate.no-answer",
    message: `the service gave no usable answer to ${LIMITS.calibrateTroubles} reads in a row; the last was ${exchange.request}: ${exchange.answer}`,
    why: "answers that are not JSON, failures of a server and redirects show nothing about a service, so nothing was found",
    next: ["find out what is wrong, then calibrate again:", command`doctor`],
  });
}
