import type { JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { timeOfHeader } from "../../base/time/http-date.ts";
import { organizationOf, type Target } from "../../environment/target.ts";
import { operationNamed, type WriteOperation } from "../../operations/operation.ts";
import type { Evidence, KnownBefore, OtherWrite, Probe, Readings, Reads, Sent } from "../../services/probe.ts";
import type { AttemptIntended, StepProblem } from "../../protocol/record.ts";
import { hasTakenEffect } from "../../protocol/attempts.ts";
import { type AttemptState, hadNoEffect } from "../../protocol/attempt-state.ts";
import { transactionsOf } from "../../protocol/state.ts";
import type { Service } from "../../services/services.ts";
import type { Bound } from "../service/bind-call.ts";
import { actorIn, actingEntity, type Caller } from "../service/caller.ts";
import type { AttemptBeside, RunContext } from "../run/run-context.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { namesOf } from "../run/run-names.ts";
import type { Place } from "../run/plan-steps.ts";
import { unheardOf } from "../read/not-there.ts";
import { type ReadingCaller, isNotThere, read, readKept } from "../read/read.ts";

const NOTHING_KNOWN: KnownBefore = { since: undefined, rivals: [], bystanders: [], earlier: [] };

/** Reads the baseline that a probe of this write needs, if any. A failed read of the baseline does not prevent the write. */
export async function baselineOf(
  context: RunContext,
  place: Place,
  probe: Probe,
  bound: Bound,
): Promise<Pick<AttemptIntended, "baseline" | "baselineAt">> {
  const sent = sentBy(context, place, bound);
  const reads = probe.before?.(sent);
  if (reads === undefined || Object.keys(reads).length === 0) return {};
  const { sequence } = context.state;
  const { quietMs } = context;
  const looked = await readAll(context, reads, { caller: bound.caller, step: place.address, known: NOTHING_KNOWN });
  if ("problem" in looked) return { baseline: null };
  const baseline = probe.keep?.(looked.readings, sent) ?? looked.readings;
  return { baseline, baselineAt: { date: looked.since ?? null, sequence, quietMs } };
}

/** A write whose effect is searched for. */
interface Sought {
  readonly place: Place;
  readonly probe: Probe;
  readonly bound: Bound;
  readonly attempt: AttemptState;
  /** Returns the attempts of other runs, whose records could be mistaken for those of this write. */
  readonly beside: () => readonly AttemptBeside[];
  /** How long the reads may wait for a busy service, by the clock's elapsed time. */
  readonly by: number;
}

/** Reads the service after a write, and returns the evidence about it. */
export async function evidenceOf(
  context: RunContext,
  { place, probe, bound, attempt, beside, by }: Sought,
): Promise<Evidence | { readonly problem: StepProblem }> {
  const sent = sentBy(context, place, bound);
  const reader = { caller: bound.caller, step: place.address, by };
  const { operation, baseline, baselineAt } = attempt.intended;
  const written = operationNamed(operation);
  const known = (): KnownBefore => ({ since: timeOfHeader(baselineAt?.date), ...otherWrites(context, place, attempt, beside()) });
  const looked = await readAll(context, probe.after(sent), { ...reader, known: known() });
  if ("problem" in looked) return looked;
  const isMissing = Object.values(looked.readings).includes(null);
  const unheard = isMissing ? await unheardOf(context, written, reader) : undefined;
  if (unheard !== undefined) return { problem: unheard };
  const { spent } = context.state;
  const isAnothers = (step: string | undefined): boolean => step !== undefined && step !== place.address;
  return {
    ...sent,
    before: baseline === undefined ? {} : (baseline ?? undefined),
    // The readings may show what was sent since they began, so what is known is determined again after them.
    ...known(),
    now: looked.readings,
    isPartial: looked.refused,
    isSpent: (id) => isAnothers(spent.get(id)?.step) || context.provenElsewhere(id, { operation: written }) !== undefined,
  };
}

/** Whether a write has several items, and the service may accept some and refuse the others. */
export function isSeparable(
  context: RunContext,
  place: Place,
  { operation, bound }: { operation: WriteOperation; bound: Bound },
): boolean {
  const { service, meaning } = operation;
  if (service.isBatchWhole(context.target.profile)) return false;
  return (meaning.probe.parts?.(sentBy(context, place, bound)) ?? 1) > 1;
}

function sentBy({ opened, target }: RunContext, { address, step }: Place, { input, caller }: Bound): Sent {
  return {
    input,
    actor: step.kind === "call" ? entityObject(step.operation.service, caller, target) : undefined,
    names: namesOf(opened.runId, address),
    profile: target.profile,
  };
}

function entityObject(service: Service, caller: Caller, target: Target): JsonObject | undefined {
  const [, attribute, value] = /^([^:]+):(.*)$/s.exec(actingEntity(service, caller, target) ?? "") ?? [];
  const orgId = organizationOf(target);
  if (attribute === undefined || value === undefined || orgId === undefined) return undefined;
  return { orgId, [attribute]: value };
}

interface ProbeReadings {
  readonly readings: Readings;
  readonly since: string | undefined;
  /** Whether the service refused an optional read, so that what it would have shown is unknown. */
  readonly refused: boolean;
}

// One after the other, because a total must not be newer than the list that explains it.
async function readAll(
  context: ReadingContext,
  reads: Reads,
  { known, ...reader }: ReadingCaller & { readonly known: KnownBefore },
): Promise<ProbeReadings | { readonly problem: StepProblem }> {
  const readings: Record<string, Readings[string]> = {};
  let since: string | undefined;
  let refused = false;
  for (const [name, { operation, input, optional = false, keeps }] of Object.entries(reads)) {
    const reading = { operation: operationNamed(operation), input, pages: LIMITS.pages, ...reader };
    const result =
      keeps === undefined ? await read(context, reading) : await readKept(context, reading, (record) => keeps(record, known));
    const isThere = result.kind === "read";
    // A gateway in front of a service that is down may answer "not found" to everything.
    const isNamedMissing = !isThere && isNotThere(result.reply) && !result.reply.foreign;
    const isMissing = isNamedMissing || (!isThere && optional && result.reply.meaning === "refused");
    if (!isThere && !isMissing) return { problem: result.problem };
    refused ||= isMissing && !isNamedMissing;
    since ??= isThere ? result.date : result.reply.date;
    readings[name] = isThere ? result.payload : null;
  }
  return { readings, since, refused };
}

// Writes that this run or another run had in progress at the same time could be mistaken for this one. Writes of complete steps could too,
// as long as they may still take effect. A reading may not show earlier writes yet (decision 217).
function otherWrites(
  { state, target }: ReadingContext,
  { address }: Place,
  attempt: AttemptState,
  beside: readonly AttemptBeside[],
): Pick<Evidence, "rivals" | "bystanders" | "earlier"> {
  const { baselineAt, operation } = attempt.intended;
  // A later attempt keeps the readings of the first one, so what happened since then does not count as earlier.
  const before = baselineAt?.sequence ?? attempt.sequence;
  const own = [...state.steps].flatMap(([other, { attempts, completed }]) => {
    if (other === address) return [];
    const isComplete = completed !== undefined && completed.sequence <= before;
    return attempts.map((each) => ({ each, isComplete, write: otherWrite(each, target) }));
  });
  const others = beside.map((one) => ({ ...one, write: otherWrite(one.each, target) }));
  const writes = [...own, ...others]
    .filter(({ each }) => !hadNoEffect(each))
    .map(({ each, isComplete, write }) => ({ isEarlier: isComplete && hasTakenEffect(each), write }));
  const those = (isIt: (of: (typeof writes)[number]) => boolean): readonly OtherWrite[] =>
    writes.filter(isIt).map(({ write }) => write);
  return {
    rivals: those(({ isEarlier, write }) => !isEarlier && write.operation === operation),
    bystanders: those(({ isEarlier, write }) => !isEarlier && write.operation !== operation),
    earlier: those(({ isEarlier }) => isEarlier),
  };
}

function otherWrite(attempt: AttemptState, target: Target): OtherWrite {
  const { operation, input } = attempt.intended;
  const { service } = operationNamed(operation);
  // Another run, or an earlier version of tokenbook, may have used another key. Then its record does not say who acted.
  const as = actorIn(service, attempt.intended);
  const actor = as === undefined ? undefined : entityObject(service, { identities: { [service.name]: as }, label: null }, target);
  return { operation, input, actor, transactions: transactionsOf(attempt) };
}
