import type { Json, JsonObject } from "../base/json.ts";
import { headingOf, type Target } from "../environment/target.ts";
import type { Scope } from "../expression/expression.ts";
import type { RunJournal } from "../journal/journal.ts";
import type { Playbook, Step } from "../playbook/model.ts";
import type { Place } from "../protocol/decide.ts";
import type { Fact, Notice, RunOpened, RunRecord, StepStopped } from "../protocol/record.ts";
import { advance, type RunState, stateOf } from "../protocol/state.ts";
import { actorsScope } from "./caller.ts";
import type { EnginePorts } from "./ports.ts";
import { Service } from "./service.ts";

/** One run under way: its plan, its state, and the only ways to change that state. */
export class RunContext {
  readonly playbook: Playbook;
  readonly target: Target;
  readonly service: Service;
  readonly state: RunState;
  readonly ports: EnginePorts;
  readonly #journal: RunJournal;
  readonly #names: { readonly inputs: Json; readonly actors: Json; readonly run: Json };

  constructor(
    playbook: Playbook,
    target: Target,
    held: { journal: RunJournal; records: readonly RunRecord[] },
    ports: EnginePorts,
  ) {
    this.playbook = playbook;
    this.target = target;
    this.ports = ports;
    this.service = new Service(target, ports);
    this.#journal = held.journal;
    this.state = stateOf(held.records);
    this.#names = {
      inputs: this.opened.inputs,
      actors: actorsScope(playbook, target),
      run: runScope(this.opened, this.state.openedAt),
    };
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
    await this.ports.clock.sleep(ms, this.ports.stopping);
  }

  /** Whether the run is to stop as soon as nothing is in flight. */
  get stopping(): boolean {
    return this.ports.stopping.aborted;
  }

  /** What the names of an expression stand for; `more` adds those of one place. */
  scope(more: JsonObject = {}): Scope {
    return { ...this.#names, steps: this.state.values, ...more };
  }

  /** The scope of a step's own expressions: with the item of its round. */
  scopeAt(step: Step, place: Place, more: JsonObject = {}): Scope {
    if (step.foreach === undefined || place.round === undefined) return this.scope(more);
    const round = this.state.expansions.get(step.id)?.rounds[place.round];
    return this.scope({ [step.foreach.variable]: round?.item ?? null, ...more });
  }

  /**
   * Evaluates what a step says about itself: its answer is `response`, and it stands among the steps although it is not complete.
   * (Its value is lent to the state and taken back: a copy of all values at each step would make long runs quadratic.)
   */
  asOwn<T>(step: Step, place: Place, own: { readonly value: JsonObject; readonly evaluate: (scope: Scope) => T }): T {
    const { values } = this.state;
    const lent = step.foreach === undefined;
    if (lent) values[step.id] = { ...own.value };
    try {
      return own.evaluate(this.scopeAt(step, place, { response: own.value["response"] ?? null }));
    } finally {
      if (lent) delete values[step.id];
    }
  }

  stop(place: Place, stopped: Omit<StepStopped, "kind" | "step">): void {
    this.write({ kind: "step.stopped", step: place.address, ...stopped });
  }
}

function runScope(opened: RunOpened, openedAt: number): Json {
  return { id: opened.runId, key: opened.runKey, startedAt: new Date(openedAt).toISOString() };
}

function emptyOpening(target: Target): RunOpened {
  const playbook = { file: "", name: "", digest: "" };
  return { kind: "run.opened", format: 1, runId: "", runKey: "", playbook, steps: [], inputs: {}, target: headingOf(target) };
}
