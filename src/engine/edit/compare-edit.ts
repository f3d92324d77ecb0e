import { type ValueDifference, changesBetween } from "../../base/text/difference.ts";
import { isObject, type Json, jsonEquals, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { quoted } from "../../base/text/text.ts";
import type { Target } from "../../environment/target.ts";
import { operationNamed } from "../../operations/operation.ts";
import { canUndo } from "../../services/sets.ts";
import { givenProblems } from "../../playbook/inputs/given-inputs.ts";
import { isWrite, type Playbook } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { playbooksIn } from "../../playbook/playbook-walk.ts";
import { mayStillArrive } from "../../protocol/attempts.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import type { AttemptIntended } from "../../protocol/record.ts";
import type { RunState } from "../../protocol/state.ts";
import { callsIn } from "../write/final-write.ts";
import { Frames } from "../run/scopes.ts";
import { type FingerprintContext, saysOf } from "./step-fingerprint.ts";
import { idsIn, type TracedStep, Traces } from "./earlier-values.ts";

/** The consequences of an edited playbook for a run that has begun with it: one line each, with its place. */
export interface Edit {
  /** Edits that contradict what the run has done, so it cannot resume. */
  readonly conflicts: readonly string[];
  /** Edits that a person should know of, and that do not stop the run. */
  readonly notes: readonly string[];
}

/** A run with the earlier and the present text of its playbook. */
export interface Edited {
  /** The playbook as it was before the edit. */
  readonly before: Playbook;
  /** The playbook as it is now. */
  readonly now: Playbook;
  /** What the run has done, by its records. */
  readonly state: RunState;
  /** The environment in which the run acts. */
  readonly target: Target;
  /** The secrets of the playbook that is run and of those that it includes. */
  readonly secrets: Secrets;
}

/**
 * Compares an edited playbook with what a run has done. Steps that took effect must stay as they were; steps that have not begun, or
 * failed without an effect, may change. Both texts are evaluated with the run's values, so moving a name is no change.
 */
export function compareEdit(edited: Edited): Edit {
  const { state, now, before } = edited;
  const pair = { before: new Traces(before, state), now: new Traces(now, state) };
  const comparison = new Comparison(edited, pair);
  const all = [
    ...inputConflicts(edited),
    ...comparison.changed(),
    ...comparison.outOfOrder(),
    ...comparison.neverDone(),
    ...comparison.lost(),
    ...comparison.overtaken(),
  ];
  return { conflicts: [...new Set(all)].map(edited.secrets.redact), notes: comparison.removed() };
}

class Comparison {
  readonly #edited: Edited;
  readonly #before: Traces;
  readonly #now: Traces;
  readonly #said: FingerprintContext;
  readonly #says: FingerprintContext;

  constructor(edited: Edited, { before, now }: { readonly before: Traces; readonly now: Traces }) {
    const { state, target } = edited;
    this.#edited = edited;
    this.#before = before;
    this.#now = now;
    this.#said = { state, target, frames: new Frames(edited.before, state, edited) };
    this.#says = { state, target, frames: new Frames(edited.now, state, edited) };
  }

  /** Steps that were done and have since been changed. */
  changed(): readonly string[] {
    return [...this.#now.begun].flatMap(([address, spot]) => {
      const before = this.#before.begun.get(address);
      const changes = before === undefined ? [] : changesBetween(saysOf(before, this.#said), saysOf(spot, this.#says));
      return changes.map((change) => `${placeOf(spot)} ${spell(change)}`);
    });
  }

  /** Steps that have not begun, placed before one that has: they would run after it. */
  outOfOrder(): readonly string[] {
    return this.#now.sequences.flatMap(({ spots }) => {
      const first = spots.findIndex(({ address }) => !this.#now.hasBegun(address));
      const last = spots.findLast(({ address }) => this.#now.hasBegun(address));
      const [spot] = first < 0 || last === undefined || spots.indexOf(last) < first ? [] : [spots[first]];
      if (spot === undefined || last === undefined) return [];
      const renamed = this.#namedBefore(spot);
      return renamed === undefined
        ? [`${placeOf(spot)} comes before ${last.step.id}, which has already begun: it would run after it`]
        : [];
    });
  }

  /** New steps in a block, loop or included playbook that is already done. */
  neverDone(): readonly string[] {
    return this.#now.sequences.flatMap((sequence) => {
      const { within } = sequence;
      if (within === undefined || this.#edited.state.steps.get(within)?.completed === undefined) return [];
      const before = this.#before.begun.get(within);
      const ids = before === undefined ? new Set<string>() : idsIn(before.step);
      const added = sequence.spots.filter(({ step, address }) => !ids.has(step.id) && !this.#now.hasBegun(address));
      return added.map((spot) => `${placeOf(spot)} is new in ${within}, which is already done: it would never run`);
    });
  }

  /** Removed steps that must stay: their outcome is unknown, or they would run again under another name. */
  lost(): readonly string[] {
    const { state, before } = this.#edited;
    const open = openWrites(state).filter(({ step }) => !this.#now.begun.has(step));
    const { runId = "" } = state.opened ?? {};
    const unsettled = open.map(
      ({ step, operation }) =>
        `${before.file}: ${step} (${operation}) was removed, but its outcome is unknown; first: tokenbook resolve ${runId} --step ${quoted(step)} --as applied|absent --because TEXT`,
    );
    const renamed = this.#now.sequences
      .flatMap(({ spots }) => spots)
      .flatMap((spot) => {
        const name = this.#now.hasBegun(spot.address) ? undefined : this.#namedBefore(spot);
        return name === undefined
          ? []
          : [`${placeOf(spot)} is ${name} under another name, which is already done: it would run again`];
      });
    return [...unsettled, ...renamed];
  }

  /** Steps that have not begun and set what a superseded attempt may still set: it was sent again because no later step did. */
  overtaken(): readonly string[] {
    const waiting = [...this.#edited.state.steps].filter(([, { attempts }]) => mayStillArrive(attempts));
    const later = this.#now.sequences.flatMap(({ spots }) => spots).filter(({ address }) => !this.#now.hasBegun(address));
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
    if (!operation.writes) return true; // an earlier version sent it as a write, and this version no longer describes it
    const { sets, effect } = operation.meaning;
    const given = step.kind === "call" && !isWhole ? saysOf(spot, this.#says)["with"] : undefined;
    const about = { again: effect === "absolute" ? "value" : "unique", profile: this.#edited.target.profile } as const;
    return callsIn(step)
      .filter(isWrite)
      .some((later) => {
        const setter = { sets: later.operation.meaning.sets, input: isObject(given) ? given : undefined };
        return canUndo({ sets, input }, setter, about);
      });
  }

  /** Steps that were done and have been removed. */
  removed(): readonly string[] {
    const spots = [...this.#before.begun.values()].filter(({ address }) => !this.#now.begun.has(address));
    return spots
      .filter(({ within }) => within === undefined || this.#now.begun.has(within))
      .map((spot) => `${spot.address} was removed from ${spot.playbook.file}; what it did stays`);
  }

  // The removed step that was done, and that equals a step that has not begun.
  #namedBefore(spot: TracedStep): string | undefined {
    if (spot.step.kind !== "call" || !spot.step.operation.writes) return undefined;
    const says = saysOf(spot, this.#says);
    const gone = [...this.#before.begun.values()].find(
      (each) => !this.#now.begun.has(each.address) && each.frame === spot.frame && jsonEquals(saysOf(each, this.#said), says),
    );
    return gone?.address;
  }
}

// A run keeps the inputs and variables that it began with.
function inputConflicts({ state, now }: Edited): readonly string[] {
  const { inputs = {}, env = {} } = state.opened ?? {};
  const wrong = now.inputs.flatMap((declaration) => {
    const value = inputs[declaration.name];
    const where = `${now.file} (inputs.${declaration.name})`;
    if (value === undefined) return [`${where} is new, and the run has no value for it`];
    return givenProblems(declaration, value).map((problem) => `${where}: the run's value is no longer valid: ${problem}`);
  });
  const unset = playbooksIn(now).flatMap(({ file, env: variables }) =>
    variables
      .filter(({ name }) => env[file]?.[name] === undefined)
      .map(({ name, line }) => `${file}:${line} (env.${name}) is new, and the run has no value for it`),
  );
  return [...wrong, ...unset];
}

function placeOf({ playbook, step, address }: TracedStep): string {
  return `${playbook.file}:${step.line} (${address})`;
}

function spellValue(value: Json): string {
  const text = writeJson(value);
  return text.length <= LIMITS.editedChars ? text : `${text.slice(0, LIMITS.editedChars)}…`;
}

function spell({ sign, path, is, wanted }: ValueDifference): string {
  const [was, becomes] = [is, wanted].map((value) => spellValue(value ?? null));
  if (sign === "+") return `${path} is new: ${becomes}`;
  return sign === "-" ? `${path} was removed; it was ${was}` : `${path} was changed from ${was} to ${becomes}`;
}
