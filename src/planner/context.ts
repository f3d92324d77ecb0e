import { writeJson } from "../base/json/json.ts";
import type { Json, JsonObject } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { headingOf, type Target } from "../environment/target.ts";
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
import type { Env } from "../playbook/settings/open-secrets.ts";
import type { Fact, RunRecord, StepProblem, StepStopped } from "../protocol/record.ts";
import { advance, lendValue } from "../protocol/state.ts";
import type { PlannedProblem, PlannedRead, PlannedStep } from "../report/plan/shape.ts";
import { digestOfValue } from "./given.ts";
import { headingIdOf, rowOf, Rows, type PlannedPlace } from "./row.ts";

/** What a plan may ask of the world: reads, the time, and when to give up. */
export interface PlannerPorts extends Pick<EnginePorts, "clock" | "stopping" | "secrets"> {
  /** The service, for reads only. */
  readonly service: ReadingPort;
}

/** What a step's row says beside what the playbook says of it. */
export type RowDetails = Partial<Pick<PlannedStep, "actor" | "why" | "problem" | "input" | "unknown">> &
  Pick<PlannedStep, "verdict">;

/** A run that is only thought through: the engine's own state, in memory, with unknown values where a write would have given some. */
export class PlanContext extends ReadingContext {
  /** The service, for reads only. What is read belongs to the next row. */
  readonly service: ReadingPort;
  /** What the plan may ask of the world. */
  readonly ports: PlannerPorts;
  readonly #rows = new Rows();
  #reads = new Map<string, PlannedRead>();
  #disturbed: string | undefined;
  readonly #reached = new Set<string>();
  #sequence = 0;

  constructor(playbook: Playbook, { target, ...given }: { target: Target; inputs: JsonObject; env: Env }, ports: PlannerPorts) {
    super(playbook, { target, secrets: ports.secrets }, [openingOf(playbook, target, given)]);
    this.ports = ports;
    this.service = { target, call: (call, signal) => this.#read(call, signal) };
  }

  /** The rows so far, with those of one round together. */
  get rows(): readonly PlannedStep[] {
    return this.#rows.list();
  }

  /** The steps, by their headings, that have a row. */
  get reached(): ReadonlySet<string> {
    return this.#reached;
  }

  /** Returns the row of a step; `undefined` when it has none yet. */
  row(address: string): PlannedStep | undefined {
    return this.#rows.get(address);
  }

  /** Why what is read now may be another when the run reads it; `undefined` as long as nothing would have happened before. */
  get disturbed(): string | undefined {
    return this.#disturbed;
  }

  /** Marks that a write would have happened that the service has not seen. */
  disturb(why: string): void {
    this.#disturbed ??= why;
  }

  /** Applies a fact to the state. Nothing is recorded. */
  note(fact: Fact): void {
    advance(this.state, { ...fact, sequence: ++this.#sequence, epoch: 0, at: this.ports.clock.now() });
  }

  /** Notes that a step would fail, and adds its row. */
  stop(place: Place, { outcome, problem, startedAt }: Omit<StepStopped, "kind" | "step">): void {
    this.note({ kind: "step.stopped", step: place.address, outcome, problem, startedAt });
    this.say(place, { verdict: "would-fail", problem: problemOf(problem) });
  }

  /** Notes that a step would fail now, and adds its row. */
  fail(place: Place, problem: StepProblem): void {
    this.stop(place, { startedAt: this.ports.clock.now(), outcome: "failed", problem });
  }

  /** Completes a step with the known part of its value, and adds its row. */
  conclude(place: Place, value: JsonObject, said: RowDetails): void {
    const startedAt = this.ports.clock.now();
    this.complete(place, { outcome: "ok", value, startedAt, requests: 0 });
    this.say(place, said);
  }

  /** Adds the row of a step, with the reads since the row before it. */
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
    // Nobody watches a plan being made.
  }

  /** Pauses. Ends early when the plan must stop. */
  async pause(ms: number): Promise<void> {
    await this.ports.clock.sleep(ms, this.ports.stopping);
  }

  override scopeAt(place: Pick<Place, "frame" | "rounds">, more: JsonObject = {}): Scope {
    const run = Object.fromEntries(RUN_NAMES.map((name) => [name, unknownValue(`run.${name} is given when a run begins`)]));
    return { ...super.scopeAt(place, more), run };
  }

  /** Returns the names of an included playbook that is not reached yet, except for its inputs and steps. */
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

  // The last answer counts when a read is repeated.
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
  // The words of a refusal may differ each time.
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

/** Returns a problem as a plan shows it. */
export function problemOf({ code, message, next }: StepProblem): PlannedProblem {
  return { code, message, next: next ?? null };
}

function openingOf(playbook: Playbook, target: Target, given: { readonly inputs: JsonObject; readonly env: Env }): RunRecord {
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
