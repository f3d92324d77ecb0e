import type { JsonObject } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { quoted } from "../../base/text.ts";
import type { Target } from "../../environment/target.ts";
import type { Sight } from "../../operations/probe.ts";
import { openProblem } from "../../protocol/attempts.ts";
import type { StepProblem, Verdict } from "../../protocol/record.ts";
import { hasSettled, verdictOf } from "../../protocol/settle.ts";
import { type AttemptState, stepIn } from "../../protocol/state.ts";
import type { RunContext } from "../context.ts";
import { isFinal } from "../final.ts";
import type { Place } from "../plan.ts";
import { type Look, lookUntil } from "../waiting.ts";
import type { Attempted } from "./attempted.ts";
import { rereading } from "./ensure.ts";
import { inputSent } from "./intended.ts";
import { evidenceOf } from "./look.ts";

/**
 * Looks what became of a write whose answer does not tell, until that is seen or the time is over. What cannot be known is `unknown`, and
 * what contradicts the write `conflict`: both stop the step, and stay so until evidence arrives.
 */
export async function probe(context: RunContext, attempted: Attempted): Promise<void> {
  let last: Sight = { seen: "unclear", why: "the service could not be read" };
  const look = async (by: number): Promise<Look<void>> => {
    // What is seen while the time runs out may have been read before it did.
    const settled = isTimeOver(context, attempted);
    last = await lookAt(context, attempted, by);
    const verdict = verdictIn(context, attempted, { sight: last, settled });
    if (verdict === undefined) return "again";
    return { found: await settle(context, attempted, { verdict, evidence: evidenceText(last, settled), sight: last }) };
  };
  const wait = { ...rereading(), timeoutMs: timeLeft(context, attempted) };
  const found = await lookUntil(context, { address: attempted.place.address, for: "what became of the write", wait }, look);
  if (found === "late") stopAs(context, attempted, stoppedBy(context, attempted, last));
}

async function lookAt(context: RunContext, attempted: Attempted, by: number): Promise<Sight> {
  const { place, step, state: attempt, caller } = attempted;
  const sent = inputSent(context, attempted);
  if ("problem" in sent) return { seen: "unclear", why: sent.problem.message };
  const { probe: looking } = step.operation.meaning;
  const evidence = await evidenceOf(context, { place, probe: looking, bound: { input: sent.input, caller }, attempt, by });
  return "problem" in evidence ? { seen: "unclear", why: evidence.problem.message } : looking.judge(evidence);
}

// It is looked for from its sending on: a run that is resumed much later looks once more, and does not wait.
function timeLeft(context: RunContext, { step, state }: Attempted): number {
  const within = Math.min(step.wait?.timeoutMs ?? LIMITS.probeMs, LIMITS.probeMs);
  const declared = context.target.settleWithinMs ?? Infinity;
  const isEver = declared <= LIMITS.settleMs && !state.mayStillBeSent;
  const untilSettled = isEver ? declared - context.goneFor(state) : 0;
  return Math.max(0, within - context.ageOf(state), untilSettled);
}

function verdictIn(
  context: RunContext,
  { place, step, state, caller }: Attempted,
  { sight, settled }: { readonly sight: Sight; readonly settled: boolean },
): Verdict | undefined {
  const again = sight.seen === "nothing" ? sight.again : undefined;
  const verdict = verdictOf(sight, {
    additive: step.operation.meaning.effect === "additive",
    alone: context.isAlone({ operation: step.operation, caller }),
    final: again !== undefined && isFinal(context, place, { step, input: state.intended.input, again }),
    settled,
  });
  return verdict === "superseded" && context.ageOf(state) < LIMITS.patienceMs ? undefined : verdict;
}

function isTimeOver(context: RunContext, { place, state }: Attempted): boolean {
  const { attempts } = stepIn(context.state, place.address);
  return hasSettled(attempts, { goneForMs: context.goneFor(state), settleWithinMs: context.target.settleWithinMs });
}

async function settle(
  context: RunContext,
  { place, state }: Attempted,
  by: { readonly verdict: Verdict; readonly evidence: JsonObject; readonly sight: Sight },
): Promise<void> {
  const { verdict, evidence, sight } = by;
  await context.write({
    kind: "attempt.settled",
    step: place.address,
    attempt: state.intended.attempt,
    verdict,
    evidence,
    ...(sight.seen === "effect" && sight.transactionId !== undefined ? { transactionId: sight.transactionId } : {}),
    ...(sight.seen === "effect" && sight.spends !== undefined ? { spends: sight.spends } : {}),
  });
}

const AGAIN_WHY = {
  unique: "the service refuses a second one",
  fence: "the cap leaves no room for a second one",
  value: "a second one sets the same, and no later step sets anything else",
  never: "the service cannot do it",
} as const;

function evidenceText(sight: Sight, settled: boolean): JsonObject {
  switch (sight.seen) {
    case "effect":
      return sight.by;
    case "nothing":
      if (settled)
        return { because: "it cannot be seen, and the time is over within which the environment declares writes to settle" };
      return { because: `it cannot be seen, and ${AGAIN_WHY[sight.again ?? "never"]}` };
    case "conflict":
    case "unclear":
      return { because: sight.why };
  }
}

interface Stopped {
  readonly outcome: "unknown" | "conflict";
  readonly why: string;
}

function stoppedBy({ target }: RunContext, { state }: Attempted, sight: Sight): Stopped {
  switch (sight.seen) {
    case "effect":
      return {
        outcome: "unknown",
        why: `its effect can be seen, but ${whoElse(target)}, so it may be another's`,
      };
    case "conflict":
      return { outcome: "conflict", why: sight.why };
    case "unclear":
      return { outcome: "unknown", why: sight.why };
    case "nothing":
      return { outcome: "unknown", why: `no trace of it can be seen; ${stillPossible(state)}, so it is not sent again` };
  }
}

function stillPossible({ mayStillBeSent }: AttemptState): string {
  return mayStillBeSent
    ? "the process whose run was released may be alive on its machine and still send it"
    : "it may still take effect";
}

function whoElse({ exclusive, environment }: Target): string {
  if (exclusive) return "another run has acted as the same entity meanwhile";
  return `${environment} does not say that nobody else acts meanwhile (exclusive: true)`;
}

// What may have taken effect is for a person to look at: what was sent is in the journal, and how it shows is known.
function stopAs(context: RunContext, { place, step, state }: Attempted, { outcome, why }: Stopped): void {
  const { code, message } = openProblem(state);
  const problem: StepProblem = {
    code: outcome === "conflict" ? "write.conflict" : code,
    message,
    why: `${why}; looked at: ${step.operation.meaning.readBack}`,
    next: whatNext(context, place),
  };
  context.stop(place, { startedAt: state.intendedAt, outcome, problem });
}

/** What one can do about a write that nobody knows the effect of. */
export function whatNext({ opened: { runId } }: RunContext, { address }: Place): string {
  return `look again: tokenbook resume ${runId}; or look yourself, then say so: tokenbook resolve ${runId} --step ${quoted(address)} --as applied|absent --because TEXT`;
}
