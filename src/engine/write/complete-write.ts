import { type Json, type JsonObject, shownJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { recordsIn, text } from "../../base/json/parts.ts";
import { objectOf } from "../../base/maps.ts";
import { present } from "../../base/present.ts";
import type { Discovery, Written } from "../../services/meaning.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { operationNamed, yieldsOf } from "../../operations/operation.ts";
import type { CallStep, Discover } from "../../playbook/model.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { AttemptState } from "../../protocol/attempt-state.ts";
import type { RunContext } from "../run/run-context.ts";
import { judgeExpect, keptOf } from "../steps/expectations.ts";
import { namesOf } from "../run/run-names.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { absenceIn } from "../read/not-there.ts";
import { type FailedRead, read } from "../read/read.ts";
import { notRefused } from "../steps/expected-refusals.ts";
import { type LookResult, lookUntil } from "../read/look-until.ts";
import type { Attempted } from "./attempted.ts";
import { becomesSo, rereading } from "../steps/ensure.ts";
import { noValue } from "./lost-answer.ts";
import { inputSent } from "./intended-input.ts";
import { sideRead } from "../steps/side-read.ts";

/** Completes a write that took effect: finds what it created, and checks the conditions. Whatever they show, the write is never sent again. */
export async function complete(context: RunContext, applied: Attempted): Promise<void> {
  const { place, step, state } = applied;
  const startedAt = state.intendedAt;
  const fail = (problem: StepProblem): void => context.stop(place, { startedAt, outcome: "failed", problem });
  const outcome = state.settled?.verdict === "unchanged" ? "unchanged" : "changed";
  const why =
    outcome === "unchanged"
      ? "the values that the write sets were already set, and its answer was lost"
      : `the write itself took effect${state.settled === undefined ? "" : ", and its answer was lost"}`;
  if (step.fails !== undefined) return fail(notRefused(step.fails));
  const found = await find(context, applied);
  if (found === "stopping") return;
  if ("problem" in found) return fail(found.problem);
  const ensured = step.ensure === undefined ? undefined : await becomesSo(context, place, step.ensure);
  if (ensured === "stopping") return;
  if (ensured !== undefined && "problem" in ensured) return fail({ ...ensured.problem, why });
  const value = {
    ...valueOf(step, state, { found: found.record, profile: context.target.profile }),
    outcome,
    ...present({ ensured: ensured?.response }),
    ...found.outputs,
  };
  const judged = judgeExpect(context, place, step, value);
  if ("problem" in judged) return fail({ ...judged.problem, why });
  const held = keptOf([...(ensured?.held ?? []), ...judged.held]);
  context.complete(place, { outcome, value, startedAt, requests: 1, ...held });
}

interface FoundRecord {
  readonly record?: JsonObject;
  readonly outputs?: JsonObject;
}

type FoundOrNot = FoundRecord | { readonly problem: StepProblem } | "stopping";

// The `discover` of the playbook wins over that of the operation.
async function find(context: RunContext, applied: Attempted): Promise<FoundOrNot> {
  const { step, state } = applied;
  if (step.discover !== undefined) return discoverByPlaybook(context, applied, step.discover);
  const { discovery } = step.operation.meaning;
  const batch = state.intended.input["items"] !== undefined;
  return discovery === undefined || batch ? {} : discover(context, discovery, applied);
}

async function discoverByPlaybook(context: RunContext, { place }: Attempted, choice: Discover): Promise<FoundOrNot> {
  let missed = notOne(choice, 0);
  const about = { address: place.address, for: "what the write made", wait: rereading(choice.withinMs) };
  const found = await lookUntil(context, about, async (): Promise<LookResult<FoundOrNot>> => {
    const result = await sideRead(context, place, choice.read);
    if (!("kind" in result)) return { found: result };
    if (result.kind === "failed") return notRead(context, result);
    const chosen = chosenIn(choice, context.scopeAt(place, { response: result.payload }));
    missed = "problem" in chosen ? chosen.problem : notOne(choice, chosen.records.length);
    const [one, ...others] = "problem" in chosen ? [] : chosen.records;
    if (one === undefined) return "again";
    if (others.length > 0) return { found: { problem: missed } };
    const scope = context.scopeAt(place, { response: result.payload, one });
    return { found: { outputs: objectOf(choice.outputs, (output) => output.evaluate(scope)) } };
  });
  return found === "late" ? { problem: missed } : found;
}

// A value that is missing in the answer may still appear, like the record itself. A value that is no list stays so, and fails the step at
// once.
function chosenIn({ one }: Discover, scope: Scope): { readonly records: readonly Json[] } | { readonly problem: StepProblem } {
  let records: Json;
  try {
    records = one.evaluate(scope);
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    const message = `the write took effect, but this cannot be evaluated: ${one.text.trim()}: ${error.message}`;
    return { problem: noValue(error, { code: "expression.no-value", message }) };
  }
  if (Array.isArray(records)) return { records };
  throw new EvaluationFailure(`discover: one must give a list, and gives ${shownJson(records)}`);
}

async function notRead(context: ReadingContext, failed: FailedRead): Promise<LookResult<{ readonly problem: StepProblem }>> {
  const absence = await absenceIn(context, failed);
  if (absence === "not there") return "again";
  const { problem } = absence === "nothing" ? failed : absence;
  const message = `the write took effect, but what it made cannot be read: ${problem.message}`;
  return { found: { problem: { ...problem, message } } };
}

function notOne({ one, read: { operation } }: Discover, count: number): StepProblem {
  return {
    code: count === 0 ? "discovery.not-found" : "discovery.several",
    message: `the write took effect, but ${operation.name} shows ${count} records for which \`${one.text.trim()}\` holds; there must be exactly one`,
    why:
      count === 0
        ? "without such a record, later steps cannot name what the write made"
        : "choosing one of them would be a guess",
  };
}

function valueOf(
  step: CallStep,
  { intended, answered, receipt, settled }: AttemptState,
  known: Pick<Written, "found" | "profile">,
): JsonObject {
  const payload = answered?.payload ?? null;
  return {
    response: payload,
    ...present({ envelope: answered?.envelope ?? undefined, transactionId: settled?.transactionId }),
    ...(receipt === undefined ? {} : { receipt: receipt.receipt, ...transactionOf(receipt.receipt) }),
    ...yieldsOf(step.operation, { input: intended.input, payload, ...known }),
  };
}

// With async=true, perhaps only the receipt names the transaction id.
function transactionOf({ transactionId }: JsonObject): JsonObject {
  return present({ transactionId: text(transactionId) });
}

async function discover(context: RunContext, discovery: Discovery, applied: Attempted): Promise<FoundOrNot> {
  const { place, caller } = applied;
  const sent = inputSent(context, applied);
  if ("problem" in sent) return sent;
  const { mark } = namesOf(context.opened.runId, place.address);
  const reading = {
    operation: operationNamed(discovery.read),
    input: discovery.with(sent.input),
    caller,
    step: place.address,
    pages: LIMITS.pages,
    // Errors in other records must not prevent finding what the write created, now and at each resume.
    loosely: true,
  };
  const look = async (): Promise<LookResult<FoundOrNot>> => {
    const result = await read(context, reading);
    if (result.kind === "failed") return notRead(context, result);
    return chooseOne(result.payload, discovery, mark);
  };
  const found = await lookUntil(context, { address: place.address, for: "what the write made", wait: rereading() }, look);
  return found === "late" ? { problem: notFound(discovery, mark) } : found;
}

function chooseOne(payload: Json, discovery: Discovery, mark: string): LookResult<FoundOrNot> {
  const matches = recordsIn(payload).filter((record) => discovery.matches(record, mark));
  const [record] = matches;
  if (record === undefined) return "again";
  return { found: matches.length > 1 ? { problem: several(discovery, mark, matches.length) } : { record } };
}

function notFound(discovery: Discovery, mark: string): StepProblem {
  return {
    code: "discovery.not-found",
    message: `the write took effect, but ${discovery.read} shows no record with its mark ${JSON.stringify(mark)}`,
    why: "the answer to a write does not name what it made, so tokenbook finds it by the mark that it carries",
  };
}

function several(discovery: Discovery, mark: string, number: number): StepProblem {
  return {
    code: "discovery.several",
    message: `${discovery.read} shows ${number} records with the mark ${JSON.stringify(mark)}; there must be exactly one`,
    why: "choosing one of them would be a guess",
  };
}
