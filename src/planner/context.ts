import { writeJson, type Json, type JsonObject } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { headingOf, type Target } from "../environment/target.ts";
import type { GivenToRun } from "../engine/run/concurrency-groups.ts";
import { ReadingContext } from "../engine/run/reading-context.ts";
import { actorsScope, organizationScope } from "../engine/service/caller.ts";
import { digestOf, type Place } from "../engine/run/plan-steps.ts";
import type { EnginePorts } from "../engine/engine-ports.ts";
import type { ReadingPort } from "../engine/read/reading-port.ts";
import type { Reply } from "../engine/service/reply.ts";
import type { Call } from "../engine/service/service.ts";
import type { Scope } from "../expression/expression.ts";
import { unknownValue } from "../expression/unknown.ts";
import type { Playbook } from "../playbook/model.ts";
import type { Fact, RunRecord, StepProblem, StepStopped } from "../protocol/record.ts";
import { advance, lendValue } from "../protocol/state.ts";
import type { PlannedProblem, PlannedRead, PlannedStep } from "../report/plan/shape.ts";
import { digestOfValue } from "./given.ts";
import { headingIdOf, rowOf, Rows, type PlannedPlace } from "./row.ts";

/** The ports of a plan: reads, the clock, and the signal to stop. */
export interface PlannerPorts extends Pick<EnginePorts, "clock" | "stopping" | "secrets"> {
  /** The service, for reads only. */
  readonly service: ReadingPort;
}

/** The parts of a step's row that do not come from the playbook. */
export type RowDetails = Partial<Pick<PlannedStep, "actor" | "why" | "problem" | "input" | "unknown">> &
  Pick<PlannedStep, "verdict">;

/** A simulated run: the engine's own state, in memory, with unknown values in place of the results of writes. */
export class PlanContext extends ReadingContext {
  /** The service, for reads only. Each read is added to the next row. */
  readonly service: ReadingPort;
  readonly ports: PlannerPorts;
  readonly #rows = new Rows();
  #reads = new Map<string, PlannedRead>();
  #disturbed: string | undefined;
  readonly #reached = new Set<string>();
  #sequence = 0;

  constructor(playbook: Playbook, { target, inputs, env }: GivenToRun & { target: Target }, ports: PlannerPorts) {
    super(playbook, { target, secrets: ports.secrets }, [openingOf(playbook, target, { inputs, env })]);
    this.ports = ports;
    this.service = { target, call: (call, signal) => this.#read(call, signal) };
  }

  /** The rows so far. The rows of one round are together. */
  get rows(): readonly PlannedStep[] {
    return this.#rows.list();
  }

  /** The headings of the steps that have a row. */
  get reached(): ReadonlySet<string> {
    return this.#reached;
  }

  /** Returns the row of a step; `undefined` if it has none yet. */
  row(address: string): PlannedStep | undefined {
    return this.#rows.get(address);
  }

  /** Why a read may return something else in the run; `undefined` as long as no write would have come before. */
  get disturbed(): string | undefined {
    return this.#disturbed;
  }

  /** Records that a write would have happened that the service has not seen. */
  disturb(why: string): void {
    this.#disturbed ??= why;
  }

  /** Applies a fact to the state. Nothing is recorded. */
  note(fact: Fact): void {
    advance(this.state, { ...fact, sequence: ++this.#sequence, epoch: 0, at: this.ports.clock.now() });
  }

  /** Records that a step would fail, and adds its row. */
  stop(place: Place, { outcome, problem, startedAt }: Omit<StepStopped, "kind" | "step">): void {
    this.note({ kind: "step.stopped", step: place.address, outcome, problem, startedAt });
    this.say(place, { verdict: "would-fail", problem: problemOf(problem) });
  }

  /** Records that a step would fail now, and adds its row. */
  fail(place: Place, problem: StepProblem): void {
    this.stop(place, { startedAt: this.ports.clock.now(), outcome: "failed", problem });
  }

  /** Completes a step with the known part of its value, and adds its row. */
  conclude(place: Place, value: JsonObject, said: RowDetails): void {
    const startedAt = this.ports.clock.now();
    this.complete(place, { outcome: "ok", value, startedAt, requests: 0 });
    this.say(place, said);
  }

  /** Adds the row of a step, with the reads since the last row. */
  say(spot: PlannedPlace, said: RowDetails): void {
    const reads = [...(this.#rows.get(spot.address)?.reads ?? []), ...this.#reads.values()];
    this.#reads = new Map();
    this.#reached.add(headingIdOf(spot));
    this.#rows.set(spot, { ...rowOf(this.playbook, spot), ...said, reads });
  }

  /** Makes the results of a step unknown. */
  hide(address: string, why: string): void {
    lendValue(this.state, address, unknownValue(why));
  }

  /** Does nothing. */
  notify(): void {
    // nobody watches a plan being made
  }

  /** Pauses. Ends early if the plan must stop. */
  async pause(ms: number): Promise<void> {
    await this.ports.clock.sleep(ms, this.ports.stopping);
  }

  override scopeAt(place: Pick<Place, "frame" | "rounds">, more?: JsonObject): Scope {
    const run = Object.fromEntries(RUN_NAMES.map((name) => [name, unknownValue(`run.${name} is given when a run begins`)]));
    return { ...super.scopeAt(place, more), run };
  }

  /** Returns the names for an included playbook that was not reached yet, without its inputs and steps. */
  scopeIn(playbook: Playbook): Scope {
    const secrets = unknownValue("a secret is known only in the run");
    const { run = null } = this.scopeAt({ frame: "", rounds: [] });
    return {
      env: this.state.opened?.env?.[playbook.file] ?? {},
      secrets,
      actors: actorsScope(playbook, this.target),
      run,
      ...organizationScope(this.target),
    };
  }

  // If a read is repeated, the last answer counts.
  async #read(call: Call, signal: AbortSignal): Promise<Reply> {
    const reply = await this.ports.service.call(call, signal);
    const read = readOf(call, reply);
    this.#reads.set(writeJson([read.operation, read.actor, read.input, read.page]), read);
    return reply;
  }
}

const RUN_NAMES = ["id", "key", "startedAt"] as const;

function readOf({ operation, input, caller, page }: Call, { status, answer, condition }: Reply): PlannedRead {
  const payload: Json = answer?.payload ?? null;
  // The words of a refusal may differ each time, so only status and condition count.
  const digest = digestOfValue(answer === undefined ? { status: String(status), condition } : { payload });
  return {
    operation: operation.name,
    actor: caller.label,
    input,
    page: page === undefined ? null : String(page),
    status,
    digest,
    answer: writeJson(payload).length <= LIMITS.planAnswerChars ? payload : null,
  };
}

/** Returns a problem in the form of a plan. */
export function problemOf({ code, message, next }: StepProblem): PlannedProblem {
  return { code, message, next: next ?? null };
}

function openingOf(playbook: Playbook, target: Target, given: GivenToRun): RunRecord {
  return {
    kind: "run.opened",
    format: 1,
    runId: "",
    runKey: "",
    playbook: { file: playbook.file, name: playbook.name, digest: digestOf(playbook) },
    steps: [],
    ...given,
    target: headingOf(target),
    sequence: 0,
    epoch: 0,
    at: 0,
  };
}
