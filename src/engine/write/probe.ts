import { adviceText, command } from "../../base/command-line.ts";
import { isObject, type JsonObject, textOrJson } from "../../base/json/json.ts";
import { resolvingCommands } from "../../journal/failures.ts";
import { LIMITS } from "../../base/limits.ts";
import { timeOfHeader } from "../../base/time/http-date.ts";
import { present } from "../../base/present.ts";
import type { Target } from "../../environment/target.ts";
import type { SeenEffect, Sight } from "../../services/probe.ts";
import { areRefused, learntAt, openProblem } from "../../protocol/attempts.ts";
import type { AttemptSettled, StepProblem, Verdict } from "../../protocol/record.ts";
import { type Circumstances, hasSettled, verdictOf } from "../../protocol/settle.ts";
import { type AttemptState, hadNoEffect, isRefused } from "../../protocol/attempt-state.ts";
import { stepIn } from "../../protocol/state.ts";
import type { AttemptBeside, RunContext } from "../run/run-context.ts";
import { mayTouchSame, touchedBy } from "../run/earlier/foreseen-writes.ts";
import { isFinal } from "./final-write.ts";
import type { Place } from "../run/plan-steps.ts";
import { type LookResult, lookUntil } from "../read/look-until.ts";
import type { Attempted } from "./attempted.ts";
import { rereading } from "../steps/ensure.ts";
import { inputSent } from "./intended-input.ts";
import { evidenceOf } from "./probe-reads.ts";

/**
 * Reads the service until the outcome of a write without a conclusive answer is known, or the time is over. Without evidence the step stops
 * as `unknown`; with evidence that contradicts the write it stops as `conflict`, until there is more evidence.
 */
export async function probe(context: RunContext, attempted: Attempted): Promise<void> {
  let last: Sight = { seen: "unclear", why: "the service could not be read" };
  let comparable = false;
  const beside = context.attemptsBeside(attempted.state, attempted.step);
  const refused = areRefused(stepIn(context.state, attempted.place.address).attempts);
  const look = async (by: number): Promise<LookResult<void>> => {
    // Taken before the look, because the time may run out while the service is read.
    const times = timesOf(context, attempted, refused);
    last = await lookAt(context, attempted, { beside, by });
    comparable = times.comparable && !mayHideOthers(context, attempted, beside());
    const verdict = verdictIn(context, attempted, { sight: last, refused, ...times, comparable });
    return verdict === undefined ? "again" : { found: await settle(context, attempted, last, { verdict, refused }) };
  };
  const wait = { ...rereading(), timeoutMs: timeLeft(context, attempted, refused) };
  const found = await lookUntil(context, { address: attempted.place.address, for: "the outcome of the write", wait }, look);
  if (found === "late")
    await stopAs(context, attempted, { refused, ...stoppedBy(context, attempted, { sight: last, refused, comparable }) });
}

async function lookAt(
  context: RunContext,
  attempted: Attempted,
  more: { readonly beside: () => readonly AttemptBeside[]; readonly by: number },
): Promise<Sight> {
  const { place, step, state: attempt, caller } = attempted;
  const sent = inputSent(context, attempted);
  if ("problem" in sent) return { seen: "unclear", why: sent.problem.message };
  const { probe: looking } = step.operation.meaning;
  const evidence = await evidenceOf(context, { place, probe: looking, bound: { input: sent.input, caller }, attempt, ...more });
  if ("problem" in evidence) return { seen: "unclear", why: evidence.problem.message };
  const sight = looking.judge(evidence);
  return evidence.isPartial === true && sight.seen === "nothing" ? notSeen(sight) : sight;
}

// What the service refused to show may contain a trace of the write.
function notSeen({ again }: Extract<Sight, { seen: "nothing" }>): Sight {
  const why = "no trace of it is visible, but the service refused a part of what would show one";
  return { seen: "unclear", why, ...present({ again }) };
}

// The time counts from when the write was sent: a run that is resumed much later looks once, without waiting.
function timeLeft(context: RunContext, { step, state }: Attempted, refused: boolean): number {
  const { readLagMs } = context.target;
  const within = Math.min(step.wait?.timeoutMs ?? LIMITS.probeMs, LIMITS.probeMs);
  const settlingMs = settlingTime(context.target) ?? Infinity;
  const isEver = settlingMs <= LIMITS.settleMs && !state.mayStillBeSent;
  const untilSettled = isEver ? settlingMs - context.goneFor(state) : 0;
  const untilShown =
    refused && readLagMs !== undefined && readLagMs <= LIMITS.settleMs ? readLagMs - context.refusedFor(state) : 0;
  return Math.max(0, within - context.ageOf(state), untilSettled, untilShown);
}

/**
 * Returns how long after it was sent a write can no longer arrive and is visible in every read; `undefined` unless the environment declares
 * both times.
 */
function settlingTime({ settleWithinMs, readLagMs }: Target): number | undefined {
  return settleWithinMs === undefined || readLagMs === undefined ? undefined : settleWithinMs + readLagMs;
}

function verdictIn(
  context: RunContext,
  attempted: Attempted,
  { sight, refused, settled, comparable }: { readonly sight: Sight; readonly refused: boolean } & LookTimes,
): Verdict | undefined {
  const { step, state, caller } = attempted;
  const again = sight.seen === "conflict" ? undefined : sight.again;
  const isRefusalMeant = sight.seen === "unchanged" && step.fails !== undefined && !refused;
  const why = "a refused write also leaves everything as it was";
  const verdict = verdictOf(isRefusalMeant ? { seen: "unclear", why, again: sight.again } : sight, {
    additive: step.operation.meaning.effect === "additive",
    alone: context.isAlone({ operation: step.operation, caller }),
    final: again !== undefined && isFinal(context, attempted, again),
    settled,
    refused: refused ? "all" : isRefused(state) ? "last" : "none",
    comparable,
  });
  return verdict === "superseded" && context.ageOf(state) < LIMITS.patienceMs ? undefined : verdict;
}

// The readings may lack what another run did to the same object less than `readLag` before them. This shows later, as if it were an effect
// of this write.
function mayHideOthers({ target }: RunContext, { state }: Attempted, beside: readonly AttemptBeside[]): boolean {
  const { readLagMs = 0 } = target;
  if (readLagMs === 0) return false;
  const shownUntil = (timeOfHeader(state.intended.baselineAt?.date) ?? 0) - readLagMs;
  const own = touchedBy(state, target);
  return beside.some(({ each }) => {
    const isShown = (learntAt(each) ?? Infinity) + SECOND_MS <= shownUntil;
    return !isShown && !hadNoEffect(each) && mayTouchSame(own, touchedBy(each, target));
  });
}

// The times that the service gives are in whole seconds.
const SECOND_MS = 1_000;

type LookTimes = Pick<Circumstances, "settled" | "comparable">;

/** Returns what the clock allows us to conclude from a look that begins now. */
function timesOf(context: RunContext, { place, state }: Attempted, refused: boolean): LookTimes {
  const { readLagMs = Infinity } = context.target;
  const { attempts } = stepIn(context.state, place.address);
  return {
    settled: hasSettled(attempts, { goneForMs: context.goneFor(state), settlingMs: settlingTime(context.target) }),
    // Until the service refused the request, it may have carried out some of its items.
    comparable: isBaselineRecent(state, readLagMs) && (refused ? context.refusedFor(state) : context.ageOf(state)) >= readLagMs,
  };
}

// A probe that needs no baseline cannot have an old one.
function isBaselineRecent({ intended: { baseline, baselineAt } }: AttemptState, readLagMs: number): boolean {
  if (baseline === undefined) return true;
  const { quietMs, recent = false } = baselineAt ?? {};
  return quietMs === undefined ? recent : quietMs >= readLagMs;
}

async function settle(
  context: RunContext,
  { place, state }: Attempted,
  sight: Sight,
  { verdict, refused }: Settled,
): Promise<void> {
  await context.write({
    kind: "attempt.settled",
    step: place.address,
    attempt: state.intended.attempt,
    verdict,
    evidence: evidenceText(sight, { verdict, refused }),
    ...(sight.seen === "effect" ? proofIn(sight) : {}),
  });
}

interface Settled {
  readonly verdict: Verdict;
  readonly refused: boolean;
}

function proofIn({
  transactionId,
  spends: ids = [],
}: SeenEffect): Pick<AttemptSettled, "transactionId" | "spends" | "alsoSpends"> {
  const [spends, ...alsoSpends] = ids;
  return { ...present({ transactionId, spends }), ...(alsoSpends.length === 0 ? {} : { alsoSpends }) };
}

const AGAIN_WHY = {
  unique: "the service refuses a second one",
  fence: "the cap leaves no room for a second one",
  value: "a second one sets the same, and no later step sets anything else",
  never: "the service cannot do it",
} as const;

function evidenceText(sight: Sight, { verdict, refused }: Settled): JsonObject {
  if (sight.seen === "conflict") return { because: sight.why };
  const why = AGAIN_WHY[sight.again ?? "never"];
  if (verdict === "superseded") {
    return {
      because: `${sight.seen === "nothing" ? "no trace of it is visible" : "nothing that was read proves it"}, and ${why}`,
    };
  }
  if (verdict === "absent" && refused) return { because: "the service refused it, and no trace of it is visible" };
  switch (sight.seen) {
    case "effect":
    case "unchanged":
      return sight.by;
    case "nothing":
      if (sight.again === "never") return { because: `no trace of it is visible, and ${why}` };
      return {
        because:
          "no trace of it is visible, and the time that the environment declares for writes to settle and reads to show them is over",
      };
    case "unclear":
      return { because: sight.why };
  }
}

const MAY_UNDO = "it may still arrive after a later step that sets something else";

interface Stopped {
  readonly outcome: "unknown" | "conflict";
  readonly why: string;
}

function stoppedBy(
  context: RunContext,
  { step, state, caller }: Attempted,
  { sight, refused, comparable }: { readonly sight: Sight; readonly refused: boolean; readonly comparable: boolean },
): Stopped {
  const { target } = context;
  switch (sight.seen) {
    case "effect": {
      const mayBeOthers = step.operation.meaning.effect === "additive" && !context.isAlone({ operation: step.operation, caller });
      const doubt = comparable ? MAY_UNDO : mayBeOld(target);
      const why = mayBeOthers ? `it could be someone else's: ${whoElse(target)}` : doubt;
      return { outcome: "unknown", why: `its effect is visible (${evidenceWords(sight.by)}), but ${why}` };
    }
    case "conflict":
      if (sight.rests === "record" || comparable) return { outcome: "conflict", why: sight.why };
      return { outcome: "unknown", why: `${sight.why}; but ${mayBeOld(target)}` };
    case "unclear":
      return { outcome: "unknown", why: sight.why };
    case "unchanged": {
      const doubt = comparable ? MAY_UNDO : mayBeOld(target);
      return { outcome: "unknown", why: `what it sets was already set before, and still is; but ${doubt}` };
    }
    case "nothing":
      if (refused) return { outcome: "unknown", why: `no trace of it is visible, but ${mayBeOld(target)}` };
      return {
        outcome: "unknown",
        why: `no trace of it is visible; ${stillPossible(state)}, so it is not sent again${undeclared(target)}`,
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
    return `the readings may be out of date: environment "${environment}" does not declare how old they can be (\`readLag\`)`;
  return "this run, or another one, had written less than the declared readLag before, so the readings may be older than that write";
}

// Time settles a write only if the environment declares both how long a write takes, and how old a reading can be.
function undeclared({ environment, settleWithinMs, readLagMs }: Target): string {
  const settings = [...(settleWithinMs === undefined ? ["settleWithin"] : []), ...(readLagMs === undefined ? ["readLag"] : [])];
  return settings.length === 0
    ? ""
    : `; time would settle it only if environment "${environment}" declared ${settings.join(" and ")}`;
}

function whoElse({ exclusive, environment }: Target): string {
  if (exclusive) return "another run has acted as the same entity meanwhile";
  return `environment "${environment}" is not marked \`exclusive: true\``;
}

/** Spells the evidence of an effect, as in `total 10 → 60, transaction bd3a6b9c`. */
function evidenceWords(by: JsonObject): string {
  return Object.entries(by)
    .map(([name, value]) => {
      if (!isObject(value) || value["before"] === undefined || value["now"] === undefined) return `${name} ${textOrJson(value)}`;
      return `${name} ${textOrJson(value["before"])} → ${textOrJson(value["now"])}`;
    })
    .join(", ");
}

// Durable at once: from then on the run has given up the write, and no other run may begin beside it.
async function stopAs(
  context: RunContext,
  { place, step, state }: Attempted,
  { outcome, why, refused }: Stopped & { readonly refused: boolean },
): Promise<void> {
  const { code, message, why: whyOpen } = openProblem(state);
  const problem: StepProblem = {
    code: outcome === "conflict" ? "write.conflict" : code,
    message,
    why: [...(refused ? [whyOpen] : []), why, `tokenbook looked at: ${step.operation.meaning.readBack}`].join("; "),
    next: whatNext(context, place),
  };
  await context.write({ kind: "step.stopped", step: place.address, startedAt: state.intendedAt, outcome, problem });
}

/** Returns what a person can do about a write with unknown outcome. */
export function whatNext({ opened: { runId } }: RunContext, { address }: Place): string {
  return adviceText([
    "do not run this playbook again, because the write could happen twice; check the ledger again and continue this run:",
    command`resume ${runId}`,
    "or check the ledger yourself and record what you found:",
    ...resolvingCommands(runId, address),
  ]);
}
