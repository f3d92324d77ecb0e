import type { Json, JsonObject } from "../base/json/json.ts";
import type { Operation } from "../operations/operation.ts";
import type { FileData } from "./playbook-files.ts";
import type { ActorUse, CallStep, CheckStep, Compare, Conserve, IncludeStep, Playbook, Step } from "./model.ts";
import type { InputDeclaration } from "./declarations.ts";

/** Returns the steps directly in a step, in order. The steps of an included playbook are not among them. */
export function heldBy(step: Step): readonly Step[] {
  return step.kind === "block" ? [...step.steps, ...step.rescue, ...step.always] : [];
}

/** Yields every step of a list at every depth of its blocks, each before its content. `held` gives the content of a block. */
export function* stepsIn(steps: readonly Step[], held: typeof heldBy = heldBy): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.kind === "block") yield* stepsIn(held(step), held);
  }
}

/** One call of the service in a playbook, by a step or by a read beside it. */
export interface CallUse {
  /** The playbook that makes the call; it may be an included one. */
  readonly playbook: Playbook;
  /** The step that makes the call, itself or in a read beside it. */
  readonly step: CallStep | CheckStep;
  /** The operation that is called. */
  readonly operation: Operation;
  /** Who acts; `undefined` for a read that names nobody. */
  readonly as: ActorUse | undefined;
}

/** Yields every call that a playbook may make, including those of the playbooks that it includes. */
export function* callsOf(playbook: Playbook): Generator<CallUse> {
  for (const step of stepsIn(playbook.steps)) {
    if (step.kind === "include") yield* callsOf(step.playbook);
    if (step.kind === "call") for (const each of callsOfStep(step)) yield { playbook, step, ...each };
  }
  for (const step of playbook.checks) for (const each of callsOfCheck(step)) yield { playbook, step, ...each };
}

/** Whether a playbook, or one that it includes, compares two sides. */
export function compares(playbook: Playbook): boolean {
  return playbooksIn(playbook).some(({ checks }) => checks.some(({ looks }) => looks.kind === "compare"));
}

/**
 * Whether each round of a step surely compares something. If a list is empty, it is true that each of its items agrees, but this proves
 * nothing (decision 199). A playbook that writes may have had nothing to write, so its checks do not count. Nor do those in a `rescue`, which
 * may not be needed.
 */
export function mustCompare(step: Step | CheckStep): boolean {
  if (step.kind === "check") return mustHaveRows(step);
  const included = [...stepsIn([step], withoutRescue)].flatMap((each) =>
    each.kind === "include" ? playbooksIn(each.playbook) : [],
  );
  return included.some(({ readOnly, checks }) => readOnly && checks.some(mustHaveRows));
}

function withoutRescue(step: Step): readonly Step[] {
  return step.kind === "block" ? [...step.steps, ...step.always] : [];
}

function mustHaveRows({ looks, warns }: CheckStep): boolean {
  return (looks.kind === "compare" && !looks.mayBeEmpty) || (looks.kind === "conserve" && !warns);
}

type CallMade = Pick<CallUse, "operation" | "as">;

function callsOfStep(step: CallStep): readonly CallMade[] {
  return [step, ...[step.ensure?.read, step.discover?.read].filter((read) => read !== undefined)];
}

function callsOfCheck({ looks }: CheckStep): readonly CallMade[] {
  switch (looks.kind) {
    case "look":
      return [looks.read];
    case "conserve":
      return callsOfConserve(looks);
    case "compare":
      return callsOfSides(looks.sides);
  }
}

function callsOfConserve({ as: everybody, reads }: Conserve): readonly CallMade[] {
  const uses = everybody.length === 0 ? [undefined] : everybody;
  return uses.flatMap((as) => reads.map((operation) => ({ operation, as })));
}

function callsOfSides(sides: Compare["sides"]): readonly CallMade[] {
  if (sides.kind === "conserved") return callsOfConserve(sides.conserve);
  return [sides.left, sides.right].flatMap(({ source }) => (source.kind === "read" ? [source.read] : []));
}

/** A write in a playbook, and the steps that lead to it, such as `mint.yaml:12 (mint)`. */
export interface FoundWrite {
  /** The operation that writes. */
  readonly operation: Operation;
  /** The steps that lead to it, the outermost first and the write last. */
  readonly chain: readonly string[];
}

/** Returns whether some steps, or the playbooks that they include, may write. */
export function hasWrites(steps: readonly Step[]): boolean {
  return writesOf(steps).next().done !== true;
}

/** Yields the writes of some steps, including those of the playbooks that they include. */
export function* writesOf(steps: readonly Step[], file = ""): Generator<FoundWrite> {
  for (const step of stepsIn(steps)) {
    const here = `${file}${file === "" ? "line " : ":"}${step.line} (${step.id})`;
    if (step.kind === "call" && step.operation.writes) yield { operation: step.operation, chain: [here] };
    if (step.kind !== "include") continue;
    for (const { operation, chain } of writesOf(step.playbook.steps, step.playbook.file))
      yield { operation, chain: [here, ...chain] };
  }
}

/** Returns the steps that include playbooks, at every depth of the blocks. */
export function includesOf(playbook: Playbook): readonly IncludeStep[] {
  return [...stepsIn(playbook.steps)].filter((step) => step.kind === "include");
}

/** Returns a playbook and all that it includes, each file once. */
export function playbooksIn(playbook: Playbook): readonly Playbook[] {
  const found = new Map<string, Playbook>();
  const add = (each: Playbook): void => {
    if (found.has(each.file)) return;
    found.set(each.file, each);
    for (const step of includesOf(each)) add(step.playbook);
  };
  add(playbook);
  return [...found.values()];
}

/** Returns the content of the data files that included playbooks name themselves. The data files of the playbook itself are inputs of a run. */
export function includedData(playbook: Playbook): FileData {
  const included = playbooksIn(playbook)
    .slice(1)
    .map(({ file, inputs }) => [file, fileDefaults(inputs)] as const);
  return Object.fromEntries(included.filter(([, data]) => Object.keys(data).length > 0));
}

function fileDefaults(inputs: readonly InputDeclaration[]): JsonObject {
  return Object.fromEntries(
    inputs.flatMap(({ name, file, default: value }): [string, Json][] =>
      file === undefined || value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Returns the step of a playbook with an id, at any depth of its blocks. */
export function stepNamed(playbook: Playbook, id: string): Step | undefined {
  for (const step of stepsIn(playbook.steps)) if (step.id === id) return step;
  return undefined;
}
