import type { JsonObject } from "../../base/json/json.ts";
import type { Target } from "../../environment/target.ts";
import type { Scope } from "../../expression/expression.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import type { Fact, Notice, RunRecord, StepCompleted, StepStopped } from "../../protocol/record.ts";
import { lendValue, type RunState, stateOf } from "../../protocol/state.ts";
import { Frames } from "./scopes.ts";
import type { Place } from "./plan-steps.ts";
import type { EnginePorts } from "../engine-ports.ts";
import type { ReadingPort } from "../read/reading-port.ts";

/**
 * The state of a run and the values of its names: what is needed to read the service and judge the answers. It cannot send a write, and the
 * planner gets nothing more than this.
 */
export abstract class ReadingContext {
  /** The playbook that is run. */
  readonly playbook: Playbook;
  /** The environment in which the run acts. */
  readonly target: Target;
  /** The state of the run, from its records. */
  readonly state: RunState;
  abstract readonly service: ReadingPort;
  abstract readonly ports: Pick<EnginePorts, "clock" | "stopping" | "secrets">;
  readonly #frames: Frames;

  constructor(
    playbook: Playbook,
    { target, secrets }: { readonly target: Target; readonly secrets: Secrets },
    records: readonly RunRecord[],
  ) {
    this.playbook = playbook;
    this.target = target;
    this.state = stateOf(records);
    this.#frames = new Frames(playbook, this.state, { target, secrets });
  }

  /** Records a fact that may become durable with the next one. */
  abstract note(fact: Fact): void;
  /** Records that a step stopped. */
  abstract stop(place: Place, stopped: Omit<StepStopped, "kind" | "step">): void;
  /** Records that a step is complete. */
  complete(place: Place, completed: Omit<StepCompleted, "kind" | "step">): void {
    this.note({ kind: "step.completed", step: place.address, ...completed });
  }

  abstract notify(notice: Notice): void;
  /** Pauses for a step; ends early when the run must stop. */
  abstract pause(ms: number, step: string | undefined): Promise<void>;

  /** Aborted when the run must stop, which ends reads and pauses at once. */
  get signal(): AbortSignal {
    return this.ports.stopping;
  }

  /** Whether the run must stop. */
  get stopping(): boolean {
    return this.signal.aborted;
  }

  /** Returns the values of the names in an expression at a place; `more` adds to them. */
  scopeAt(place: Pick<Place, "frame" | "rounds">, more: JsonObject = {}): Scope {
    return { ...this.#frames.scopeAt(place), ...more };
  }

  /**
   * Evaluates an expression of a step about itself: `response` is its answer, and `steps` includes the step although it is not complete.
   * (The state holds the step's value only during the evaluation. Copying all values at each step would make long runs quadratic.)
   */
  asOwn<T>(place: Place, value: JsonObject, evaluate: (scope: Scope) => T): T {
    const response = value["response"] ?? null;
    if (place.step.foreach !== undefined) return evaluate(this.scopeAt(place, { response }));
    const takeBack = lendValue(this.state, place.address, { ...value });
    try {
      return evaluate(this.scopeAt(place, { response }));
    } finally {
      takeBack();
    }
  }
}
