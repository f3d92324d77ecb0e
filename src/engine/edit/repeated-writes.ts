import { getOrInsert } from "../../base/maps.ts";
import { isObject, type Json, jsonEquals } from "../../base/json/json.ts";
import { masked } from "../../base/secret.ts";
import { stepOf } from "../../protocol/address.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { hadNoEffect } from "../../protocol/attempt-state.ts";
import type { RunState, StepState } from "../../protocol/state.ts";
import { withoutMarks } from "../../services/marks.ts";
import { itemsIn } from "../../services/sets.ts";
import { isWrittenAsBefore } from "./as-written.ts";
import { isCall, isComplete, isTracedWrite, outwardsFrom, type TracedCall, type TracedStep } from "./earlier-values.ts";
import type { Edited, EditedTraces } from "./edited.ts";
import { mayBeSame } from "./may-be-same.ts";
import { fingerprintOf } from "./step-fingerprint.ts";
import { StillUnknown } from "./still-unknown.ts";

/** A step that an edit has written, and a completed step that the edit removed from its place. */
export interface RepeatedWrite {
  /** The step, which has not begun. */
  readonly spot: TracedCall;
  /** The address of the completed step. */
  readonly done: string;
  /** Whether both are surely the same; otherwise they may be. */
  readonly isSure: boolean;
}

/**
 * Returns the steps that may repeat what the run has already done: new or changed calls that have not begun, each with a completed call
 * that is no longer in its place. Decision 184 says why a doubt is enough.
 */
export function repeatedWrites(edited: Edited, traces: EditedTraces): readonly RepeatedWrite[] {
  const gone = goneCalls(traces);
  const lost = lostCalls(edited.state, traces);
  if (gone.length === 0 && lost.length === 0) return [];
  const unknown = new StillUnknown(traces.contextNow);
  const isNew = newcomers(traces);
  return [...traces.now.waiting.values()]
    .filter(isCall)
    .filter((spot) => isNew(spot) && !outwardsFrom(spot).some((each) => isComplete(each, traces.now, edited.state)))
    .flatMap((spot): readonly RepeatedWrite[] => {
      const now = isTracedWrite(spot) && gone.length > 0 ? fingerprintOf(spot, traces.contextNow) : null;
      const same = gone.find(({ was, before }) => was.frame === spot.frame && jsonEquals(before, now));
      if (same !== undefined) return [{ spot, done: same.was.address, isSure: true }];
      const input = isTracedWrite(spot) ? (masked(unknown.inputOf(spot), edited.secrets.redact) as Json) : null;
      const like = lost.find((call) => isSameStep(spot, call) || mayRepeat(spot, input, call));
      return like === undefined ? [] : [{ spot, done: like.address, isSure: false }];
    });
}

// The completed calls, and loops over calls, that the edit has removed, with their fingerprints.
function goneCalls({ before, now, contextBefore }: EditedTraces): readonly { readonly was: TracedStep; readonly before: Json }[] {
  const gone = [...before.begun.values()].filter((was) => isCall(was) && !now.begun.has(was.address));
  return gone.map((was) => ({ was, before: fingerprintOf(was, contextBefore) }));
}

/** A request that may have had an effect. */
interface SentWrite {
  readonly operation: string;
  /** The input, with its secrets masked and without our marks. */
  readonly input: Json;
}

/** A call that the run has made, and that is no longer in its place. */
interface LostCall {
  readonly address: string;
  /** Its requests. If none was needed, the write whose effect was already there. A read has none. */
  readonly writes: readonly SentWrite[];
}

function lostCalls(state: RunState, { before, now, contextBefore }: EditedTraces): readonly LostCall[] {
  const open = new Set(openWrites(state).map(({ step }) => step));
  return [...state.steps].flatMap(([address, step]) => {
    if (now.begun.has(address) || open.has(address) || step.completed?.outcome === "skipped") return [];
    const sent = sentBy(step);
    if (sent.length > 0) return [{ address, writes: sent }];
    if (step.completed === undefined || step.begun !== undefined) return [];
    const spot = before.begun.get(address);
    if (spot === undefined || !isTracedWrite(spot)) return [{ address, writes: [] }];
    return [
      { address, writes: [{ operation: spot.step.operation.name, input: fingerprintOf(spot, contextBefore)["with"] ?? null }] },
    ];
  });
}

/** Returns the requests of a step that may have had an effect. */
export function sentBy(step: StepState | undefined): readonly SentWrite[] {
  const attempts = step?.attempts.filter((attempt) => !hadNoEffect(attempt)) ?? [];
  return attempts.map(({ intended: { operation, input } }) => ({ operation, input: withoutMarks(input) }));
}

// A step that has not begun is not new if the edit changed neither it nor what is around it.
function newcomers({ before, now }: EditedTraces): (spot: TracedStep) => boolean {
  const judged = new Map<TracedStep["step"], boolean>();
  return (spot) => {
    const reached = outwardsFrom(spot).find((each) => now.isReached(each)) ?? spot;
    const was = before.waiting.get(reached.address);
    if (was === undefined || was.unexpanded.length !== reached.unexpanded.length) return true;
    return getOrInsert(judged, reached.step, () => !isWrittenAsBefore(was, reached));
  };
}

// The step is in a loop whose rounds are not known yet: there it will find that it is already done, and will not run.
function isSameStep({ address, unexpanded }: TracedCall, lost: LostCall): boolean {
  return unexpanded.length > 0 && stepOf(address) === stepOf(lost.address);
}

function mayRepeat({ step }: TracedCall, input: Json, { writes }: LostCall): boolean {
  const items = isObject(input) ? itemsIn(input) : [input];
  return writes.some(
    (write) =>
      write.operation === step.operation.name &&
      (isObject(write.input) ? itemsIn(write.input) : [write.input]).some((done) => items.some((item) => mayBeSame(item, done))),
  );
}
