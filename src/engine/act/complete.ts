import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Discovery, Written } from "../../operations/meaning.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { Step, Waiting } from "../../playbook/model.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { AttemptState } from "../../protocol/state.ts";
import type { RunContext } from "../context.ts";
import { firstBroken } from "../expectations.ts";
import { namesOf } from "../names.ts";
import { read } from "../read.ts";
import { type Look, lookUntil } from "../waiting.ts";
import type { Attempted } from "./attempted.ts";
import { notRefused } from "./read-step.ts";

// A read that comes right after the commit may be served by a peer that has not seen it yet.
const REREAD: Waiting = { timeoutMs: 10_000, everyMs: 50, backoff: 2, maxMs: 1_000 };

/** Completes a write that took effect: finds what it made, looks at the expectations. It is never sent again, whatever they say. */
export async function complete(context: RunContext, step: Step, applied: Attempted): Promise<void> {
  const { place, state } = applied;
  const startedAt = state.intendedAt;
  const fail = (problem: StepProblem): void => context.stop(place, { startedAt, outcome: "failed", problem });
  if (step.fails !== undefined) return fail(notRefused(step.fails));
  const { discovery } = step.operation.meaning;
  const batch = state.intended.input["items"] !== undefined;
  const found = discovery === undefined || batch ? undefined : await discover(context, discovery, applied);
  if (found === "stopping") return;
  if (found !== undefined && "problem" in found) return fail(found.problem);
  const value = valueOf(step, state, { found: found?.record, profile: context.target.profile });
  const problem = context.asOwn(step, place, { value, evaluate: (scope) => firstBroken(step.expect, scope) });
  if (problem !== undefined) return fail({ ...problem, why: "the write itself took effect" });
  context.note({ kind: "step.completed", step: place.address, outcome: "changed", value, startedAt, requests: 1 });
}

function valueOf(
  step: Step,
  { intended, answered, receipt }: AttemptState,
  known: Pick<Written, "found" | "profile">,
): JsonObject {
  const payload = answered?.payload ?? null;
  const yields = Object.entries(step.operation.yields).flatMap(([name, { from }]) => {
    const value = from({ input: intended.input, payload, ...known });
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    response: payload,
    outcome: "changed",
    ...(answered?.envelope === null || answered?.envelope === undefined ? {} : { envelope: answered.envelope }),
    ...(receipt === undefined ? {} : { receipt: receipt.receipt, ...idOf(receipt.receipt) }),
    ...Object.fromEntries(yields),
  };
}

// With async=true the transaction id may be known only from the receipt.
function idOf(receipt: JsonObject): JsonObject {
  const id = receipt["transactionId"];
  return typeof id === "string" ? { transactionId: id } : {};
}

type Discovered = { readonly record: JsonObject } | { readonly problem: StepProblem };

async function discover(
  context: RunContext,
  discovery: Discovery,
  { place, state, caller }: Attempted,
): Promise<Discovered | "stopping"> {
  const { mark } = namesOf(context.opened.runId, place.address);
  const reading = {
    operation: operationNamed(discovery.read),
    input: discovery.with(state.intended.input),
    caller,
    pages: LIMITS.pages,
  };
  const look = async (): Promise<Look<Discovered>> => {
    const result = await read(context, reading);
    if (result.kind === "failed") return { found: { problem: result.problem } };
    return chooseOne(result.payload, discovery, mark);
  };
  const found = await lookUntil(context, { address: place.address, for: "what the write made", wait: REREAD }, look);
  return found === "late" ? { problem: notFound(discovery, mark) } : found;
}

function chooseOne(payload: Json, discovery: Discovery, mark: string): Look<Discovered> {
  const matches = (Array.isArray(payload) ? payload : []).filter(
    (record: Json) => isObject(record) && discovery.matches(record, mark),
  );
  if (matches.length === 0) return "again";
  if (matches.length > 1) return { found: { problem: several(discovery, mark, matches.length) } };
  return { found: { record: matches[0] as JsonObject } };
}

function notFound(discovery: Discovery, mark: string): StepProblem {
  return {
    code: "discovery.not-found",
    message: `the write took effect, but ${discovery.read} shows no record with its mark ${JSON.stringify(mark)}`,
    why: "a Write result names nothing, so what was made is found by the mark that it carries",
  };
}

function several(discovery: Discovery, mark: string, number: number): StepProblem {
  return {
    code: "discovery.several",
    message: `${discovery.read} shows ${number} records with the mark ${JSON.stringify(mark)}, and there must be one`,
    why: "to choose one of them would be a guess",
  };
}
