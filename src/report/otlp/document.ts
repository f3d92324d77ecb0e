import { hash } from "node:crypto";
import { harmlessJson } from "../../base/text/harmless.ts";
import { LIMITS } from "../../base/limits.ts";
import { VERSION } from "../../base/version.ts";
import { oneLine } from "../formats/foreign-text.ts";
import type { ReportedOutcome, RowOutcome, RunReport, StepReport } from "../shape.ts";
import type { ReportedRun } from "../reported-run.ts";
import { type StepNode, treeOf } from "../steps/step-tree.ts";
import type { TracedExchange } from "./trace.ts";

// The JSON form of OTLP: ids are hexadecimal, 64-bit numbers are texts, and enumerations are numbers.

/** A span of a trace in OTLP/JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: 0 | 1 | 2; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

const INTERNAL = 1;
const CLIENT = 3;
const [UNSET, OK, ERROR] = [0, 1, 2] as const;

/** Returns the runs as one OTLP/JSON document of traces, which a collector accepts at `/v1/traces`. */
export function* otlpReport(runs: readonly ReportedRun[]): Generator<string> {
  yield `${traceRequest(runs.flatMap((run) => [...spansOf(run)]))}\n`;
}

/** Returns the bodies of the requests that send the runs to a collector. */
export function* traceRequests(runs: readonly ReportedRun[]): Generator<string> {
  const spans = runs.flatMap((run) => [...spansOf(run)]);
  for (let at = 0; at < spans.length; at += LIMITS.traceBatch) yield traceRequest(spans.slice(at, at + LIMITS.traceBatch));
}

function traceRequest(spans: readonly OtlpSpan[]): string {
  const resource = { attributes: attributes({ "service.name": "tokenbook", "service.version": VERSION }) };
  const scope = { name: "tokenbook", version: VERSION };
  return harmlessJson(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }));
}

/**
 * Returns the spans of a run: one for the run, one for each step that began, one for each exchange. With a trace, the spans show what this process did. Without
 * one, they show the whole run from its journal, which records the exchanges of writes and only counts those of reads.
 */
function* spansOf({ report, trace }: ReportedRun): Generator<OtlpSpan> {
  const { run, steps } = report;
  const traceId = trace?.id ?? hash("sha256", run.id).slice(0, 32);
  const since = trace?.startedAt ?? 0;
  const begun = steps.filter((step) => step.startedAt !== null && endOf(step, run) >= since);
  const start = trace?.startedAt ?? Date.parse(run.startedAt);
  const ended = run.finishedAt === null ? begun.map((step) => endOf(step, run)) : [Date.parse(run.finishedAt)];
  const end = ended.reduce((latest, each) => Math.max(latest, each), start);
  const spanIdOf = (address: string): string => hash("sha256", `${traceId} ${address}`).slice(0, 16);
  const root = hash("sha256", traceId).slice(0, 16);
  yield {
    traceId,
    spanId: root,
    name: `run ${oneLine(run.playbook.name)}`,
    kind: INTERNAL,
    ...times(start, end),
    attributes: attributes({
      "tokenbook.run": run.id,
      "tokenbook.playbook": run.playbook.file,
      "tokenbook.outcome": run.outcome,
      "deployment.environment.name": run.target.environment,
      ...(trace === undefined || trace.dropped === 0 ? {} : { "tokenbook.exchanges.dropped": trace.dropped }),
    }),
    status: { code: STATUS[run.outcome], ...(STATUS[run.outcome] === ERROR ? { message: run.outcome } : {}) },
  };
  const known = new Set(begun.map(({ step }) => step));
  const parentOf = (address: string | undefined): string =>
    address === undefined || !known.has(address) ? root : spanIdOf(address);
  for (const { step, holder } of heldBy(treeOf(steps))) {
    if (!known.has(step.step)) continue;
    yield stepSpan(step, { traceId, spanId: spanIdOf(step.step), parentSpanId: parentOf(holder), end: endOf(step, run) });
    if (trace === undefined) yield* attemptSpans(step, traceId, spanIdOf);
  }
  for (const each of trace?.exchanges ?? []) yield exchangeSpan(each, { traceId, parentSpanId: parentOf(each.step) });
}

interface HeldStep {
  readonly step: StepReport;
  /** The address of the block or included playbook around it; left out at the top. */
  readonly holder: string | undefined;
}

function* heldBy(nodes: readonly StepNode[], holder?: string): Generator<HeldStep> {
  for (const { step, held } of nodes) {
    yield { step, holder };
    yield* heldBy(held, step.step);
  }
}

function endOf({ startedAt, durationMs, waitedMs, stoppedMs }: StepReport, run: RunReport["run"]): number {
  const start = Date.parse(startedAt ?? run.startedAt);
  if (durationMs !== null) return start + durationMs + (waitedMs ?? 0) + (stoppedMs ?? 0);
  return Math.max(start, run.finishedAt === null ? start : Date.parse(run.finishedAt));
}

const STATUS: Readonly<Record<RowOutcome | ReportedOutcome, OtlpSpan["status"]["code"]>> = {
  ok: OK,
  changed: OK,
  unchanged: OK,
  rescued: OK,
  passed: OK,
  skipped: UNSET,
  pending: UNSET,
  running: UNSET,
  "not-run": UNSET,
  failed: ERROR,
  unknown: ERROR,
  conflict: ERROR,
  drift: ERROR,
  interrupted: ERROR,
};

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly end: number;
}

function stepSpan(step: StepReport, { end, ...ids }: SpanContext): OtlpSpan {
  const { problem, outcome } = step;
  const start = Date.parse(step.startedAt ?? "");
  return {
    ...ids,
    name: `step ${oneLine(step.id)}`,
    kind: INTERNAL,
    ...times(start, end),
    attributes: attributes({
      "tokenbook.step": step.step,
      "tokenbook.step.uses": step.uses,
      "tokenbook.step.outcome": outcome,
      "tokenbook.step.actor": step.actor,
      "tokenbook.step.as": step.as,
      "tokenbook.transaction": step.transactionId,
      "tokenbook.step.requests": step.requests,
      "tokenbook.step.waited_ms": step.waitedMs,
      "tokenbook.step.stopped_ms": step.stoppedMs,
      ...(problem === null ? {} : { "error.type": problem.code }),
    }),
    status: { code: STATUS[outcome], ...(problem === null ? {} : { message: oneLine(problem.message) }) },
  };
}

function exchangeSpan(each: TracedExchange, ids: { readonly traceId: string; readonly parentSpanId: string }): OtlpSpan {
  const { spanId, method, origin, path, startedAt, durationMs, status, why } = each;
  const url = new URL(`${origin}${path}`);
  const failed = why ?? (status !== null && status >= 400 ? `HTTP ${status}` : null);
  return {
    ...ids,
    spanId,
    name: method,
    kind: CLIENT,
    ...times(startedAt, startedAt + durationMs),
    attributes: attributes({
      "http.request.method": method,
      "url.full": url.href,
      "server.address": url.hostname,
      "server.port": Number(url.port || (url.protocol === "https:" ? 443 : 80)),
      "http.response.status_code": status,
      ...(failed === null ? {} : { "error.type": status === null ? "no-answer" : String(status) }),
    }),
    status: failed === null ? { code: UNSET } : { code: ERROR, message: oneLine(failed) },
  };
}

function* attemptSpans(step: StepReport, traceId: string, spanIdOf: (address: string) => string): Generator<OtlpSpan> {
  for (const { attempt, at, request, operation, status, meaning, durationMs } of step.attempts) {
    const start = Date.parse(at);
    yield {
      traceId,
      spanId: spanIdOf(`${step.step} ${attempt}`),
      parentSpanId: spanIdOf(step.step),
      name: request.method,
      kind: CLIENT,
      ...times(start, start + (durationMs ?? 0)),
      attributes: attributes({
        "http.request.method": request.method,
        "url.path": request.path,
        "tokenbook.operation": operation,
        "tokenbook.meaning": meaning,
        "http.response.status_code": status,
      }),
      status: { code: meaning === "acknowledged" ? UNSET : ERROR },
    };
  }
}

function times(start: number, end: number): Pick<OtlpSpan, "startTimeUnixNano" | "endTimeUnixNano"> {
  return { startTimeUnixNano: nanoseconds(start), endTimeUnixNano: nanoseconds(Math.max(start, end)) };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function attributes(all: Readonly<Record<string, string | number | null>>): readonly Attribute[] {
  return Object.entries(all).flatMap(([key, value]) => {
    if (value === null) return [];
    return [{ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: oneLine(value) } }];
  });
}
