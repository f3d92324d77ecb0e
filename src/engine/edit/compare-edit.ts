import { changesBetween } from "../../base/text/difference.ts";
import { isObject } from "../../base/json/json.ts";
import { operationNamed } from "../../operations/operation.ts";
import { canUndoLate } from "../../services/meaning.ts";
import { isWrite } from "../../playbook/model.ts";
import { stepOf } from "../../protocol/address.ts";
import { mayStillArrive } from "../../protocol/attempts.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import type { AttemptIntended } from "../../protocol/record.ts";
import { isWrittenAlike } from "./as-written.ts";
import { callsIn } from "../write/final-write.ts";
import { Frames } from "../run/scopes.ts";
import { isCall, isComplete, isInSamePlace, isTracedWrite, outwardsFrom, type TracedStep, Traces } from "./earlier-values.ts";
import type { Edited, EditedTraces } from "./edited.ts";
import { changesOfKeptValues } from "./kept-values.ts";
import { editsOfLeftParts } from "./left-parts.ts";
import { mayBeSame } from "./may-be-same.ts";
import { type RepeatedWrite, repeatedWrites, sentBy } from "./repeated-writes.ts";
import { spellChange } from "./spell-change.ts";
import { fingerprintOf } from "./step-fingerprint.ts";

/** The consequences of an edited playbook for a run that has begun with it: one line each, with its place. */
export interface Edit {
  /** Edits that contradict what the run has done, so it cannot resume. */
  readonly conflicts: readonly string[];
  /** Edits that a person should know about, but that do not stop the run. */
  readonly notes: readonly string[];
}

/**
 * Compares an edited playbook with what a run has done. Steps that took effect must stay as they were; steps that have not begun, or
 * failed without an effect, may change. Both texts are evaluated with the run's values, so moving a name is no change.
 */
export function compareEdit(edited: Edited): Edit {
  const comparison = new EditComparison(edited);
  const all = [
    ...changesOfKeptValues(edited),
    ...comparison.changed(),
    ...comparison.outOfOrder(),
    ...comparison.neverDone(),
    ...comparison.inLeftParts(),
    ...comparison.openMoved(),
    ...comparison.repeated(),
    ...comparison.returnedOtherwise(),
    ...comparison.overtaken(),
  ];
  return {
    conflicts: [...new Set(all)].map(edited.secrets.redact),
    notes: [...comparison.removed(), ...comparison.returned(), ...comparison.notJudged()],
  };
}

class EditComparison {
  readonly #edited: Edited;
  readonly #traces: EditedTraces;
  readonly #repeated: readonly RepeatedWrite[];

  constructor(edited: Edited) {
    const { state, target } = edited;
    this.#edited = edited;
    this.#traces = {
      before: new Traces(edited.before, state),
      now: new Traces(edited.now, state),
      contextBefore: { state, target, frames: new Frames(edited.before, state, edited) },
      contextNow: { state, target, frames: new Frames(edited.now, state, edited) },
    };
    this.#repeated = repeatedWrites(edited, this.#traces);
  }

  /** Steps that were done and have since been changed. */
  changed(): readonly string[] {
    const { before, now, contextBefore, contextNow } = this.#traces;
    return [...now.begun].flatMap(([address, spot]) => {
      const was = before.begun.get(address);
      if (was === undefined) return [];
      const changes = changesBetween(fingerprintOf(was, contextBefore), fingerprintOf(spot, contextNow));
      // Steps of different kinds have nothing else to compare.
      const named = was.step.kind === spot.step.kind ? changes : changes.filter(({ path }) => path === "uses" || path === "if");
      return named.map((change) => {
        const advice = change.path.startsWith("foreach") ? ` (${ITEMS_STAY})` : "";
        return `${placeOf(spot)} ${spellChange(change)}${advice}`;
      });
    });
  }

  /** Steps that have not begun, but come before one that has begun: they would run after it. */
  outOfOrder(): readonly string[] {
    const { now } = this.#traces;
    return now.sequences.flatMap(({ spots }) => {
      const first = spots.findIndex((spot) => !now.hasBegun(spot));
      const last = spots.findLastIndex((spot) => now.holdsBegun(spot));
      const [spot, begun] = [spots[first], spots[last]];
      if (spot === undefined || begun === undefined || last <= first || this.#isRepeat(spot)) return [];
      const has = now.hasBegun(begun) ? "has already begun" : "holds a step that has already begun";
      return [`${placeOf(spot)} comes before ${begun.step.id}, which ${has}: it would run after it`];
    });
  }

  /** Steps and checks that an edit has put into a block, loop or included playbook that is already done. */
  neverDone(): readonly string[] {
    const { before, now } = this.#traces;
    return [...now.waiting.values()].flatMap((spot) => {
      const { holder, address } = spot;
      if (holder === undefined || !isComplete(holder, now, this.#edited.state)) return [];
      if (isInSamePlace(spot, before.waiting.get(address))) return [];
      return [`${placeOf(spot)} is new in ${holder.address}, which is already done: it would never run`];
    });
  }

  /** Edits in parts of a block that the run has left because a step of the block failed. */
  inLeftParts(): readonly string[] {
    return editsOfLeftParts(this.#edited.state, this.#traces).map(([spot, change]) => `${placeOf(spot)} ${change}`);
  }

  /** Writes with unknown outcome that are no longer in the place where the run looks for their outcome. */
  openMoved(): readonly string[] {
    const { state, before } = this.#edited;
    return openWrites(state).flatMap(({ step, operation }) => {
      const [was, is] = [this.#traces.before.begun.get(step), this.#traces.now.begun.get(step)];
      if (is !== undefined && isInSamePlace(is, was)) return [];
      const moved = is === undefined ? "was removed" : "was moved";
      return `${before.file}: ${step} (${operation}) ${moved}, but its outcome is unknown`;
    });
  }

  /** Steps that would repeat what is already done. */
  repeated(): readonly string[] {
    return this.#repeated.map(({ spot, done, isSure }) => {
      if (!isSure)
        return `${placeOf(spot)} may be ${done}, which is already done: it would run again. Leave ${done} in its place; if this is another write, add it beside it`;
      const moved = stepOf(spot.address) === stepOf(done) ? "in another place" : "under another name";
      return `${placeOf(spot)} is ${done} ${moved}, which is already done: it would run again`;
    });
  }

  /** Steps that have not begun and set what a superseded attempt may still set. That attempt was repeated only because no later step set this. */
  overtaken(): readonly string[] {
    const waiting = [...this.#edited.state.steps].filter(([, { attempts }]) => mayStillArrive(attempts));
    const later = [...this.#traces.now.waiting.values()].filter((spot) => this.#traces.now.isReached(spot));
    return waiting.flatMap(([address, { attempts }]) =>
      later
        .filter((spot) => attempts.some(({ intended }) => this.#undoes(spot, intended)))
        .map(
          (spot) =>
            `${placeOf(spot)} sets what an earlier attempt of ${address} may still set: that attempt could arrive after it`,
        ),
    );
  }

  #undoes(spot: TracedStep, { operation: name, input }: AttemptIntended): boolean {
    const operation = operationNamed(name);
    const { step, isWhole } = spot;
    if (step.kind === "check") return false;
    if (!operation.writes) return true; // an earlier version sent it as a write; this version describes it as a read
    const given = step.kind === "call" && !isWhole ? fingerprintOf(spot, this.#traces.contextNow)["with"] : undefined;
    const late = { meaning: operation.meaning, input };
    const { profile } = this.#edited.target;
    return callsIn(step)
      .filter(isWrite)
      .some(({ operation: { meaning } }) => canUndoLate(late, { meaning, input: isObject(given) ? given : undefined }, profile));
  }

  /** Steps that were done and are now removed. */
  removed(): readonly string[] {
    const { before, now } = this.#traces;
    const spots = [...before.begun.values()].filter(({ address }) => !now.begun.has(address));
    return spots
      .filter(({ holder }) => holder === undefined || now.begun.has(holder.address))
      .map((spot) => `${spot.address} was removed from ${spot.playbook.file}; what it did stays`);
  }

  /** Completed writes that an earlier edit removed, and that are back with other values. */
  returnedOtherwise(): readonly string[] {
    return this.#returned().flatMap((spot) => {
      const sent = isTracedWrite(spot) ? sentBy(this.#edited.state.steps.get(spot.address)) : [];
      const given = fingerprintOf(spot, this.#traces.contextNow)["with"] ?? null;
      if (sent.length === 0 || sent.some(({ input }) => mayBeSame(given, input))) return [];
      return `${placeOf(spot)} was done with other values before an earlier edit removed it: it would not run again`;
    });
  }

  /** Completed steps that an earlier edit removed, and that are back. */
  returned(): readonly string[] {
    const { before, now } = this.#traces;
    return this.#returned()
      .filter(({ holder }) => holder === undefined || !now.hasBegun(holder) || before.begun.has(holder.address))
      .map((spot) => `${spot.address} is in ${spot.playbook.file} again; it is done, and does not run again`);
  }

  /** Completed steps with an edited condition, which would be judged by an answer from the past. */
  notJudged(): readonly string[] {
    const { before, now } = this.#traces;
    const notes = [...now.begun.values()].flatMap((spot) => {
      const was = before.begun.get(spot.address);
      if (!isCall(spot) || was === undefined || !isCall(was) || !isComplete(spot, now, this.#edited.state)) return [];
      const edited = JUDGED.filter((keyword) => !isWrittenAlike(was.step[keyword], spot.step[keyword]));
      return edited.map(
        (keyword) => `\`${keyword}\` of ${stepOf(spot.address)} was edited; the step is done, and is not judged again`,
      );
    });
    return [...new Set(notes)];
  }

  #returned(): readonly TracedStep[] {
    const { before, now } = this.#traces;
    return [...now.begun.values()].filter(({ address }) => !before.begun.has(address));
  }

  #isRepeat({ address }: TracedStep): boolean {
    return this.#repeated.some(({ spot }) => outwardsFrom(spot).some((each) => each.address === address));
  }
}

const ITEMS_STAY = "the run keeps the items; compute another value for a failed round within the step";

const JUDGED = ["until", "expect"] as const;

function placeOf({ playbook, step, address }: TracedStep): string {
  return `${playbook.file}:${step.line} (${address})`;
}
