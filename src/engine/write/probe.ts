import type { JsonObject } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { quoted } from "../../base/text.ts";
import type { Target } from "../../environment/target.ts";
import type { Sight } from "../../services/probe.ts";
import { openProblem } from "../../protocol/attempts.ts";
import type { AttemptSettled, StepProblem, Verdict } from "../../protocol/record.ts";
import { type Circumstances, hasSettled, verdictOf } from "../../protocol/settle.ts";
import { type AttemptState, stepIn } from "../../protocol/state.ts";
import type { RunContext } from "../run/run-context.ts";
import { isFinal } from "./final-write.ts";
import type { Place } from "../run/plan-steps.ts";
import { type LookResult, lookUntil } from "../read/look-until.ts";
import type { Attempted } from "./attempted.ts";
import { rereading } from "../steps/ensure.ts";
import { inputSent } from "./intended-input.ts";
import { evidenceOf } from "./probe-reads.ts";

/**
 * Looks what became of a write whose answer does not tell, until that is seen or the time is over. What cannot be known is `unknown`, and
 * what contradicts the write `conflict`: both stop the step, and stay so until evidence arrives.
 */
export async function probe(context: RunContext, attempted: Attempted): Promise<void> {
  let last: Sight = { seen: "unclear", why: "the service could not be read" };
  let comparable = false;
  const look = async (by: number): Promise<LookResult<void>> => {
    // What is seen while the time runs out may have been read before it did.
    const times = timesOf(context, attempted);
    last = await lookAt(context, attempted, by);
    comparable = times.comparable;
    const verdict = verdictIn(context, attempted, { sight: last, ...times });
    if (verdict === undefined) return "again";
    return { found: await settle(context, attempted, { verdict, evidence: evidenceText(last, verdict), sight: last }) };
  };
  const wait = { ...rereading(), timeoutMs: timeLeft(context, attempted) };
  const found = await lookUntil(context, { address: attempted.place.address, for: "what became of the write", wait }, look);
  if (found === "late") stopAs(context, attempted, stoppedBy(context, attempted, { sight: last, comparable }));
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
  const settlingMs = settlingTime(context.target) ?? Infinity;
  const isEver = settlingMs <= LIMITS.settleMs && !state.mayStillBeSent;
  const untilSettled = isEver ? settlingMs - context.goneFor(state) : 0;
  return Math.max(0, within - context.ageOf(state), untilSettled);
}

/** How long after a write has left nothing of it comes any more, and every read shows it; `undefined`: nobody has declared both. */
function settlingTime({ settleWithinMs, readLagMs }: Target): number | undefined {
  return settleWithinMs === undefined || readLagMs === undefined ? undefined : settleWithinMs + readLagMs;
}

function verdictIn(
  context: RunContext,
  { place, step, state, caller }: Attempted,
  { sight, settled, comparable }: { readonly sight: Sight } & Times,
): Verdict | undefined {
  const again = sight.seen === "conflict" ? undefined : sight.again;
  // A refusal leaves what was so before as well.
  const isRefusalMeant = sight.seen === "unchanged" && step.fails !== undefined;
  const verdict = verdictOf(isRefusalMeant ? { seen: "unclear", again: sight.again } : sight, {
    additive: step.operation.meaning.effect === "additive",
    alone: context.isAlone({ operation: step.operation, caller }),
    final: again !== undefined && isFinal(context, place, { step, input: state.intended.input, again }),
    settled,
    comparable,
  });
  return verdict === "superseded" && context.ageOf(state) < LIMITS.patienceMs ? undefined : verdict;
}

type Times = Pick<Circumstances, "settled" | "comparable">;

/** What the time says of a look that begins now. */
function timesOf(context: RunContext, { place, state }: Attempted): Times {
  const { readLagMs = Infinity } = context.target;
  const { attempts } = stepIn(context.state, place.address);
  return {
    settled: hasSettled(attempts, { goneForMs: context.goneFor(state), settlingMs: settlingTime(context.target) }),
    comparable: state.intended.baselineAt?.recent === true && context.ageOf(state) >= readLagMs,
  };
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
    ...(sight.seen === "effect" ? spending(sight.spends) : {}),
  });
}

function spending([spends, ...alsoSpends]: readonly string[] = []): Pick<AttemptSettled, "spends" | "alsoSpends"> {
  return { ...(spends === undefined ? {} : { spends }), ...(alsoSpends.length === 0 ? {} : { alsoSpends }) };
}

const AGAIN_WHY = {
  unique: "the service refuses a second one",
  fence: "the cap leaves no room for a second one",
  value: "a second one sets the same, and no later step sets anything else",
  never: "the service cannot do it",
} as const;

function evidenceText(sight: Sight, verdict: Verdict): JsonObject {
  if (sight.seen === "conflict") return { because: sight.why };
  const why = AGAIN_WHY[sight.again ?? "never"];
  if (verdict === "superseded") {
    return { because: `${sight.seen === "nothing" ? "it cannot be seen" : "nothing that was read proves it"}, and ${why}` };
  }
  switch (sight.seen) {
    case "effect":
    case "unchanged":
      return sight.by;
    case "nothing":
      if (sight.again === "never") return { because: `it cannot be seen, and ${why}` };
      return {
        because:
          "it cannot be seen, and the time is over within which the environment declares writes to settle and reads to show them",
      };
    case "unclear":
      return { because: sight.why };
  }
}

interface Stopped {
  readonly outcome: "unknown" | "conflict";
  readonly why: string;
}

function stoppedBy(
  context: RunContext,
  { step, state, caller }: Attempted,
  { sight, comparable }: { readonly sight: Sight; readonly comparable: boolean },
): Stopped {
  const { target } = context;
  switch (sight.seen) {
    case "effect": {
      const isAnothers = step.operation.meaning.effect === "additive" && !context.isAlone({ operation: step.operation, caller });
      const why = isAnothers ? `${whoElse(target)}, so it may be another's` : mayBeOld(target);
      return { outcome: "unknown", why: `its effect can be seen, but ${why}` };
    }
    case "conflict":
      if (sight.rests === "record" || comparable) return { outcome: "conflict", why: sight.why };
      return { outcome: "unknown", why: `${sight.why}; but ${mayBeOld(target)}` };
    case "unclear":
      return { outcome: "unknown", why: sight.why };
    case "unchanged": {
      const doubt = comparable ? "it may still arrive after a later step that sets something else" : mayBeOld(target);
      return { outcome: "unknown", why: `it was so before, and is so now; but ${doubt}` };
    }
    case "nothing":
      return {
        outcome: "unknown",
        why: `no trace of it can be seen; ${stillPossible(state)}, so it is not sent again${undeclared(target)}`,
      };
  }
}

function stillPossible({ mayStillBeSent }: AttemptState): string {
  return mayStillBeSent
    ? "the process whose run was released may be alive on its machine and still send it"
    : "it may still take effect";
}

function mayBeOld({ environment, readLagMs }: Target): string {
  if (readLagMs === undefined)
    return `each read may show an earlier moment, since ${environment} does not declare how old (readLag)`;
  return "the run had written less than the declared readLag before, so the readings may show a moment before that";
}

// Time settles a write only where it is declared how long both may take: the write, and the reads that show it.
function undeclared({ environment, settleWithinMs, readLagMs }: Target): string {
  const settings = [...(settleWithinMs === undefined ? ["settleWithin"] : []), ...(readLagMs === undefined ? ["readLag"] : [])];
  return settings.length === 0 ? "" : `; time would settle it only if ${environment} declared ${settings.join(" and ")}`;
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
  return [
    "do not run this playbook again, for the write could happen twice; look again, and continue this run:",
    `tokenbook resume ${runId}`,
    "or look into the ledger yourself, and record what you found:",
    `tokenbook resolve ${runId} --step ${quoted(address)} --as applied|absent --because TEXT`,
  ].join("\n");
}
