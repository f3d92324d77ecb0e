import { invariant } from "../../base/failure.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { objectOf } from "../../base/maps.ts";
import { isoTime } from "../../base/time/date.ts";
import type { Target } from "../../environment/target.ts";
import type { Scope } from "../../expression/expression.ts";
import type { Playbook, StepLoops } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { stepNamed } from "../../playbook/playbook-walk.ts";
import { parseAddress } from "../../protocol/address.ts";
import { type RunState, type StepState, type StepValues, valuesIn } from "../../protocol/state.ts";
import { actorsScope, organizationScope } from "../service/caller.ts";
import type { Place } from "./plan-steps.ts";

interface ScopeFrame {
  readonly playbook: Playbook;
  /**
   * The record with which the included playbook began; `undefined` for the run's own playbook. A playbook in a repeated block begins again,
   * with other inputs.
   */
  readonly begun: StepState["begun"];
  readonly names: Scope;
  /** Whether some steps are in blocks, so that their ids alone may not identify their values. */
  readonly hasBlocks: boolean;
}

/** The values of names in the run's own playbook and in each included playbook. Each sees only its own inputs and steps. */
export class Frames {
  readonly #state: RunState;
  readonly #target: Target;
  readonly #secrets: Secrets;
  readonly #frames = new Map<string, ScopeFrame>();

  constructor(playbook: Playbook, state: RunState, { target, secrets }: { target: Target; secrets: Secrets }) {
    this.#state = state;
    this.#target = target;
    this.#secrets = secrets;
    this.#frames.set("", this.#newFrame(playbook, undefined, state.opened?.inputs));
  }

  /** Returns the values of the names in an expression at a place. */
  scopeAt({ frame: name, rounds }: Pick<Place, "frame" | "rounds">): Scope {
    const frame = this.#frame(name);
    const values = valuesIn(this.#state, name);
    const steps = frame.hasBlocks ? stepsAt(frame.playbook, values, keysByOwner(rounds)) : values;
    return { ...frame.names, steps, ...roundItems(rounds, this.#state) };
  }

  // A new process builds the frames again: the inputs come from the state, the playbook from the step that includes it.
  #frame(name: string): ScopeFrame {
    const known = this.#frames.get(name);
    const address = name.slice(0, -1);
    const begun = this.#state.steps.get(address)?.begun;
    if (known !== undefined && known.begun === begun) return known;
    const { frame, id } = parseAddress(address);
    const step = stepNamed(this.#frame(frame).playbook, id);
    invariant(step?.kind === "include", `${id} includes a playbook`);
    const made = this.#newFrame(step.playbook, begun, begun?.inputs);
    this.#frames.set(name, made);
    return made;
  }

  #newFrame(playbook: Playbook, begun: ScopeFrame["begun"], inputs: JsonObject = {}): ScopeFrame {
    const { opened, openedAt } = this.#state;
    const run = { id: opened?.runId ?? "", key: opened?.runKey ?? "", startedAt: isoTime(openedAt) };
    const env = opened?.env?.[playbook.file] ?? {};
    const secrets = this.#secrets.in(playbook.file);
    const names = {
      inputs,
      env,
      secrets,
      actors: actorsScope(playbook, this.#target),
      run,
      ...organizationScope(this.#target),
    };
    return { playbook, begun, names, hasBlocks: playbook.steps.some(({ kind }) => kind === "block") };
  }
}

/** Returns the values of the variables of rounds, by name. */
export function roundItems(rounds: Place["rounds"], state: Readonly<RunState>): Readonly<Record<string, Json>> {
  const items = rounds.map(({ owner, expansion, index }): [string, Json] => [
    owner.foreach?.variable ?? "",
    state.expansions.get(expansion)?.rounds[index]?.item ?? null,
  ]);
  return Object.fromEntries(items);
}

function keysByOwner(rounds: Place["rounds"]): ReadonlyMap<string, string> {
  return new Map(rounds.map(({ owner, key }) => [owner.id, key]));
}

/**
 * Returns the steps as one place of a playbook sees them. For a step in a block with a `foreach`, this is the step of the same round. A
 * step that did not run has an outcome that expressions can ask for.
 */
function stepsAt({ names }: Playbook, values: StepValues, keys: ReadonlyMap<string, string>): JsonObject {
  return objectOf(names, (loops, id) => valueAt(loops, values[id], keys));
}

function valueAt({ loops, foreach }: StepLoops, all: Json | undefined, keys: ReadonlyMap<string, string>): Json {
  let value = all;
  for (const loop of loops) {
    const key = keys.get(loop);
    if (key === undefined) return value ?? {};
    value = (value as JsonObject | undefined)?.[key];
  }
  return value ?? (foreach ? {} : { outcome: "skipped" });
}
