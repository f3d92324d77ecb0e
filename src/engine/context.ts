import type { JsonObject } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { headingOf, type Target } from "../environment/target.ts";
import type { Scope } from "../expression/expression.ts";
import type { RunJournal } from "../journal/journal.ts";
import type { ServiceRequest } from "../operations/request.ts";
import type { Playbook } from "../playbook/model.ts";
import type { Fact, Notice, RunOpened, RunRecord, StepStopped } from "../protocol/record.ts";
import { advance, lendValue, type RunState, stateOf } from "../protocol/state.ts";
import { Frames } from "./frames.ts";
import type { Place } from "./plan.ts";
import type { EnginePorts } from "./ports.ts";
import { digestOf, Service } from "./service.ts";

/** One run under way: its playbook, its state, and the only ways to change that state. */
export class RunContext {
  readonly playbook: Playbook;
  readonly target: Target;
  readonly service: Service;
  readonly state: RunState;
  readonly ports: EnginePorts;
  readonly #journal: RunJournal;
  readonly #frames: Frames;
  #stopping: AbortSignal;

  constructor(
    playbook: Playbook,
    target: Target,
    held: { journal: RunJournal; records: readonly RunRecord[] },
    ports: EnginePorts,
  ) {
    this.playbook = playbook;
    this.target = target;
    this.ports = ports;
    this.#stopping = ports.stopping;
    this.service = new Service(target, ports);
    this.#journal = held.journal;
    this.state = stateOf(held.records);
    this.#frames = new Frames(playbook, this.state, { target, secrets: ports.secrets });
  }

  get opened(): RunOpened {
    const { opened } = this.state;
    return opened ?? emptyOpening(this.target);
  }

  /** Records a fact that may become durable with the next one. */
  note(fact: Fact): void {
    this.#take(this.#journal.note(fact));
  }

  /** Records a fact; it and everything before it is durable when this returns, and only then is anybody told. */
  write(fact: Fact): void {
    this.#take(this.#journal.write(fact));
  }

  tell(notice: Notice): void {
    this.ports.observe(notice);
  }

  #take(record: RunRecord): void {
    advance(this.state, record);
    this.ports.observe(record);
  }

  /** Pauses; what is known so far is durable meanwhile. Ends early when the run is to stop. */
  async pause(ms: number): Promise<void> {
    this.#journal.flush();
    await this.ports.clock.sleep(ms, this.#stopping);
  }

  /** Whether the run is to stop as soon as nothing is in flight. */
  get stopping(): boolean {
    return this.#stopping.aborted;
  }

  /** From now on only the end of the grace time stops the run. */
  beginGrace(): void {
    this.#stopping = AbortSignal.timeout(LIMITS.graceMs);
  }

  /** What the names of an expression at a place stand for; `more` adds to them. */
  scopeAt(place: Pick<Place, "frame" | "rounds">, more: JsonObject = {}): Scope {
    return { ...this.#frames.scopeAt(place), ...more };
  }

  /**
   * Evaluates what a step says about itself: its answer is `response`, and it stands among the steps although it is not complete.
   * (Its value is lent to the state and taken back: a copy of all values at each step would make long runs quadratic.)
   */
  asOwn<T>(place: Place, own: { readonly value: JsonObject; readonly evaluate: (scope: Scope) => T }): T {
    const response = own.value["response"] ?? null;
    if (place.step.foreach !== undefined) return own.evaluate(this.scopeAt(place, { response }));
    const takeBack = lendValue(this.state, place.address, { ...own.value });
    try {
      return own.evaluate(this.scopeAt(place, { response }));
    } finally {
      takeBack();
    }
  }

  /** A digest of a request, for the intent: a request that is the same has the same. */
  digestOf(request: ServiceRequest): string {
    return digestOf(request, { runId: this.opened.runId, redact: this.ports.secrets.redact });
  }

  stop(place: Place, stopped: Omit<StepStopped, "kind" | "step">): void {
    this.write({ kind: "step.stopped", step: place.address, ...stopped });
  }
}

function emptyOpening(target: Target): RunOpened {
  const playbook = { file: "", name: "", digest: "" };
  return { kind: "run.opened", format: 1, runId: "", runKey: "", playbook, steps: [], inputs: {}, target: headingOf(target) };
}
