import { isObject, type Json, type JsonObject } from "../../../base/json/json.ts";
import type { Target } from "../../../environment/target.ts";
import { ifKnown, type Scope } from "../../../expression/expression.ts";
import { unknownValue } from "../../../expression/unknown.ts";
import { objectsIn } from "../../../operations/objects.ts";
import { type Operation, operations } from "../../../operations/operation.ts";
import type { CallStep, IncludeStep } from "../../../playbook/model.ts";
import { bind, type Template } from "../../../playbook/expressions/template.ts";
import { stepsIn } from "../../../playbook/playbook-walk.ts";
import type { AttemptState } from "../../../protocol/attempt-state.ts";
import { contains } from "../../../services/probes/compare.ts";
import { maybeSameId } from "../../../services/same-id.ts";
import { actorIn, actorsScope, organizationScope, callerOf, writtenAs } from "../../service/caller.ts";
import { completedInput } from "../../../operations/completed-input.ts";
import type { GivenToRun } from "../concurrency-groups.ts";
import type { RunParts } from "../run-parts.ts";

/** A write with its caller and the objects that it touches: predicted for a run that would make it, or recorded for an attempt. */
export interface TouchingWrite {
  /** The step's address; of a predicted write, its id as written: `deposit/mint`. */
  readonly step: string;
  readonly operation: Operation;
  /** Its input; `undefined` where a part of it is known only during the run. */
  readonly input: JsonObject | undefined;
  /** The acting entity or the credential; `undefined`: known only during the run, or a key whose entity is not known. */
  readonly as: string | undefined;
  /** The objects that its input names, or the acting identity where it sets something of that identity. */
  readonly objects: readonly TouchedObject[];
}

/** An object that a write names: `undefined` means a kind or an id that is known only during the run. */
export interface TouchedObject {
  /** The kind of object, such as `identity` for the acting identity itself. */
  readonly kind: string | undefined;
  /** Its id, as the input gives it. */
  readonly id: Json | undefined;
}

/** The parts of a run that has not begun. */
export interface ForeseenRun extends Pick<RunParts, "playbook" | "target"> {
  /** The inputs and variables of the run. */
  readonly given: GivenToRun;
}

// Placeholders in an input: for a text that is known only during the run, and for an id that the run chooses, so that no other run names it.
const UNKNOWN = "\u0000unknown";
const NEW = "\u0000new";

/** Returns every write that a run would make, as far as it is known before the run begins, without guesses. */
export function foreseenWrites({ playbook, target, given }: ForeseenRun): readonly TouchingWrite[] {
  return [...writesIn({ playbook, target, env: given.env, inputs: given.inputs, frame: "" })];
}

interface ForeseenFrame extends Pick<ForeseenRun, "playbook" | "target"> {
  readonly env: GivenToRun["env"];
  readonly inputs: JsonObject;
  readonly frame: string;
}

function* writesIn(frame: ForeseenFrame): Generator<TouchingWrite> {
  const { playbook, target, env, inputs } = frame;
  const made: Record<string, Json> = {};
  const unknownSteps = Array.from(playbook.names.keys(), (id) => [id, onlyTheRun(`steps.${id}`)] as const);
  for (const step of stepsIn(playbook.steps)) {
    const scope: Scope = {
      inputs,
      env: env[playbook.file] ?? {},
      actors: actorsScope(playbook, target),
      ...organizationScope(target),
      // No other run has this run's id or key.
      run: { id: NEW, key: NEW, startedAt: onlyTheRun("run.startedAt") },
      steps: { ...Object.fromEntries(unknownSteps), ...made },
    };
    if (step.kind === "include") yield* writesIn({ ...frame, ...included(step, scope), frame: `${frame.frame}${step.id}/` });
    if (step.kind !== "call" || !step.operation.writes) continue;
    const input = known(step.with, scope);
    yield touching(step, { step: `${frame.frame}${step.id}`, input, as: actorOf(step, scope, target), target });
    if (step.foreach === undefined && isObject(input)) made[step.id] = valueAfter(step.operation, input, target);
  }
}

function onlyTheRun(name: string): Json {
  return unknownValue(`${name} is known only during the run`);
}

function included({ playbook, inputs: given }: IncludeStep, scope: Scope): Pick<ForeseenFrame, "playbook" | "inputs"> {
  const inputs = playbook.inputs.map(({ name, default: usual }): [string, Json] => {
    const template = given.get(name);
    if (template === undefined) return [name, usual ?? onlyTheRun(`inputs.${name}`)];
    const value = known(template, scope);
    return [name, value === UNKNOWN ? onlyTheRun(`inputs.${name}`) : value];
  });
  return { playbook, inputs: Object.fromEntries(inputs) };
}

// Evaluated part by part, so that an unknown part leaves the others known.
function known(template: Template, scope: Scope): Json {
  switch (template.kind) {
    case "list":
      return template.items.map((item) => known(item, scope));
    case "object":
      return Object.fromEntries(template.entries.map(([name, value]) => [name, known(value, scope)]));
    default:
      return ifKnown(() => bind(template, scope), UNKNOWN);
  }
}

function actorOf({ operation, as }: CallStep, scope: Scope, target: Target): string | undefined {
  const caller = ifKnown(() => callerOf(as, scope), undefined);
  return caller === undefined ? undefined : (writtenAs({ operation, caller }, target) ?? undefined);
}

// Later steps may use names that the input gives and names that the run chooses. Names that the service chooses are new too.
function valueAfter(operation: Operation, input: JsonObject, { profile }: Target): Json {
  const whole = completedInput(operation, input, { names: { id: () => NEW, mark: NEW }, profile });
  const isMade = operation.meaning.effect === "marked" || operation.meaning.effect === "unique";
  const given = Object.entries(operation.yields).map(([name, { from }]): [string, Json] => {
    const value = from({ input: whole, payload: null, found: undefined, profile });
    return [name, value ?? (isMade ? NEW : onlyTheRun(name))];
  });
  const rest = ["outcome", "response", "receipt", "envelope"].map((name): [string, Json] => [name, onlyTheRun(name)]);
  return Object.fromEntries([...rest, ...given]);
}

interface Touching extends Pick<TouchingWrite, "step" | "as"> {
  readonly input: Json;
  readonly target: Target;
}

/** Returns what a write touches: the objects that its input names, or its acting identity where the write sets something of that identity. */
function touching({ operation }: Pick<CallStep, "operation">, { step, as, input, target }: Touching): TouchingWrite {
  const about = { step, as, operation };
  if (!isObject(input)) return { ...about, input: undefined, objects: [{ kind: undefined, id: undefined }] };
  const named = objectsIn(operation, input, { profile: target.profile, isMissing: (value) => holds(value, UNKNOWN) });
  const objects = named.flatMap(({ kind, id }) => (holds(id, NEW) ? [] : [{ kind, id: holds(id, UNKNOWN) ? undefined : id }]));
  const isOfItself = named.length === 0 && operation.meaning.effect === "absolute";
  const isKnown = !contains(input, (value) => holds(value, UNKNOWN));
  return { ...about, input: isKnown ? input : undefined, objects: isOfItself ? [{ kind: "identity", id: as }] : objects };
}

/** Returns what a recorded write touches; `undefined` for an operation that this version does not know. */
export function touchedBy({ intended }: Pick<AttemptState, "intended">, target: Target): TouchingWrite | undefined {
  const { step, input, operation: name } = intended;
  const operation = operations.get(name);
  if (operation === undefined) return undefined;
  return touching({ operation }, { step, as: actorIn(operation.service, intended), input, target });
}

/** Whether two writes touch the same object, or may do so. */
export function mayTouchSame(one: TouchingWrite | undefined, other: TouchingWrite | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  return one.objects.some((object) => other.objects.some((each) => meets(object, each)));
}

/** Whether two objects are the same, or may be. */
export function meets(one: TouchedObject, other: TouchedObject): boolean {
  return mayEqual(one.kind, other.kind) && (one.id === undefined || other.id === undefined || maybeSameId(one.id, other.id));
}

/** Whether two texts are the same, or may be, since `undefined` is an unknown one. */
export function mayEqual(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function holds(value: Json, mark: string): boolean {
  return typeof value === "string" && value.includes(mark);
}
