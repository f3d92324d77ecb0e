import { EXIT, type ExitCode } from "../base/exit.ts";
import { frameOf, roundOf } from "./address.ts";
import { decideAttempts } from "./attempts.ts";
import type { Plan, PlanBlock, PlanCall, PlanInclude, PlanNode } from "./plan.ts";
import type { RunClosed, RunOutcome, StepProblem, StoppedOutcome } from "./record.ts";
import { type RunState, stepIn, type StepState } from "./state.ts";

/** One step at one place in a run. */
export interface PlaceOf<S> {
  /** The step of the playbook language. */
  readonly step: S;
  /** The step's address in the run, with the keys of all rounds around it. */
  readonly address: string;
  /** The frame of the step, which determines the `inputs` and `steps` of its expressions. */
  readonly frame: string;
  /** The rounds around it within its frame, including its own, the outermost first. */
  readonly rounds: readonly Round<S>[];
  /** The addresses of all rounds around it, including those around its frame. */
  readonly within: readonly string[];
}

/** One round of a `foreach`. */
export interface Round<S> {
  /** The step that has the `foreach`. */
  readonly owner: S;
  /** The address under which its rounds are recorded. */
  readonly expansion: string;
  /** Its position in the list, from 0 on. */
  readonly index: number;
  /** The key in its address. */
  readonly key: string;
}

/** What to do next. */
export type ActionOf<S> = { readonly place: PlaceOf<S> } & (
  | { /** Evaluate the list of a `foreach`. */ readonly do: "expand" }
  /** The step has not begun: evaluate `if`, bind the input, then read, send, or open the block or playbook. */
  | { readonly do: "begin" }
  /** The attempt had no effect: send it again, after a pause. */
  | { readonly do: "send-again"; readonly attempt: number }
  | { readonly do: "await-receipt"; readonly attempt: number }
  /** The outcome of the attempt is unknown: probe the service. */
  | { readonly do: "probe"; readonly attempt: number }
  /** The write took effect: find what it created, check the expectations, complete. */
  | { readonly do: "complete"; readonly attempt: number }
  /** The service refused the write: check whether this was expected. */
  | { readonly do: "judge-refusal"; readonly attempt: number }
  | { readonly do: "stop"; readonly outcome: StoppedOutcome; readonly problem: StepProblem }
  /** A block continues with other steps. */
  | { readonly do: "turn"; readonly turn: Turn }
  /** All steps of a block or an included playbook are done. */
  | { readonly do: "end"; readonly ending: Ending }
);

/** The part with which a block continues, and the step that caused this. */
export type Turn =
  | { readonly to: "rescue"; readonly failed: string }
  | { readonly to: "again"; readonly failed: string; readonly forget: readonly string[] }
  | (AlwaysAgain & { readonly to: "always"; readonly outcome: "ok" | "rescued" })
  | (AlwaysAgain & { readonly to: "always"; readonly outcome: "failed"; readonly failed: string });

/** What an `always` did when its block ended earlier. Its steps run again, except those that sent a write (decision 190). */
interface AlwaysAgain {
  /** The addresses of what runs again; left out if there is nothing. */
  readonly forget?: readonly string[];
  /** The addresses of what does not run again; left out if there is nothing. */
  readonly kept?: readonly string[];
}

/** How a block or an included playbook ends. */
export interface Ending {
  /** `rescued`: its own steps failed, but its `rescue` did not. */
  readonly outcome: "ok" | "rescued" | "failed";
  /** The addresses of its steps. */
  readonly holds: readonly string[];
}

/** The next actions, which are independent of each other, or the end of the run. */
export type Next<S> =
  | { readonly kind: "act"; readonly actions: readonly ActionOf<S>[] }
  | { readonly kind: "close"; readonly outcome: RunOutcome };

/** The progress of a part of the plan. */
type Progress<S> =
  | { readonly is: "done" }
  | { readonly is: "stopped"; readonly outcome: StoppedOutcome | Halt; readonly at: string }
  | { readonly is: "open"; readonly actions: readonly ActionOf<S>[] };

/** The state of a step when the run is interrupted: nothing in progress, or `held` by a write whose outcome will be known. */
type Halt = "interrupted" | "held";

/** The position of the walk in the run. */
interface Position<S> {
  readonly frame: string;
  /** The keys of the rounds around it, which each address gets: `[alice][eur]`. */
  readonly keys: string;
  readonly rounds: readonly Round<S>[];
  readonly within: readonly string[];
  /** Whether it is in the `always` of a block, which an interrupt does not stop. */
  readonly inAlways: boolean;
}

interface WalkInput {
  readonly state: RunState;
  /** Whether an action is in progress in a round, even if nothing is recorded yet. */
  readonly isBusy: (round: string) => boolean;
  /** Whether only `always` steps may still begin. */
  readonly interrupted: boolean;
}

const DONE = { is: "done" } as const;

/**
 * Decides the next actions from a plan and a state. Pure, except that it remembers complete steps, so that each step of a long run costs
 * the same. The state must only ever advance.
 */
export class Walk<S> {
  readonly #plan: Plan<S>;
  readonly #complete = new Map<string, number>();

  constructor(plan: Plan<S>) {
    this.#plan = plan;
  }

  /** Returns what can be done now, or that the run has ended. `isBusy` returns whether an action is in progress in a round. */
  next(state: RunState, { isBusy = () => false, interrupted = false }: Partial<Omit<WalkInput, "state">> = {}): Next<S> {
    const at: Position<S> = { frame: "", keys: "", rounds: [], within: [], inAlways: false };
    const progress = this.#stepsThenChecks(this.#plan, "", at, { state, isBusy, interrupted });
    if (progress.is === "open") return { kind: "act", actions: progress.actions };
    if (progress.is === "done") return { kind: "close", outcome: "passed" };
    return { kind: "close", outcome: progress.outcome === "held" ? "interrupted" : progress.outcome };
  }

  #stepsThenChecks(plan: Plan<S>, name: string, at: Position<S>, input: WalkInput): Progress<S> {
    const steps = this.#sequence(plan.steps, name, at, input);
    return steps.is === "done" ? this.#allOf(plan.checks, at, input) : steps;
  }

  #sequence(nodes: readonly PlanNode<S>[], name: string, at: Position<S>, input: WalkInput): Progress<S> {
    for (let index = this.#complete.get(name) ?? 0; index < nodes.length; index++) {
      const node = nodes[index];
      const progress = node === undefined ? DONE : this.#node(node, at, input);
      if (progress.is !== "done") return progress;
      this.#complete.set(name, index + 1);
    }
    return DONE;
  }

  // A check that stops does not prevent the other checks.
  #allOf(nodes: readonly PlanNode<S>[], at: Position<S>, input: WalkInput): Progress<S> {
    const all: Progress<S>[] = [];
    for (const node of nodes) {
      const progress = this.#node(node, at, input);
      if (progress.is === "open") return progress;
      all.push(progress);
    }
    return worst(all);
  }

  #node(node: PlanNode<S>, at: Position<S>, input: WalkInput): Progress<S> {
    const address = addressOf(node, at);
    const end = endOf<S>(address, input);
    if (end !== undefined) return end;
    return node.parallel === undefined ? this.#body(node, address, at, input) : this.#rounds(node, address, at, input);
  }

  #rounds(node: PlanNode<S>, address: string, at: Position<S>, input: WalkInput): Progress<S> {
    const { state, isBusy } = input;
    const parallel = node.parallel ?? 1;
    const place = placeOf(node, address, at);
    const expansion = state.expansions.get(address);
    if (expansion === undefined) return beginning({ do: "expand", place }, at, input);
    const underWay: Extract<Progress<S>, { is: "open" }>[] = [];
    const stopped: Progress<S>[] = [];
    for (let index = expansion.complete; index < expansion.rounds.length && underWay.length < parallel; index++) {
      const key = expansion.rounds[index]?.key ?? "";
      const round = roundOf(address, key);
      const rounds = [...at.rounds, { owner: node.step, expansion: address, index, key }];
      const inside = { ...at, keys: roundOf(at.keys, key), rounds, within: [...at.within, round] };
      const progress = endOf<S>(round, input) ?? this.#body(node, round, inside, input);
      if (progress.is === "stopped") stopped.push(progress);
      // After a stop no new round begins, but begun rounds run to their end.
      else if (progress.is === "open" && (stopped.length === 0 || hasBegun(state.steps.get(round)) || isBusy(round)))
        underWay.push(progress);
      if (stopped.length > 0 && parallel === 1) break;
    }
    return underWay.length > 0 ? { is: "open", actions: underWay.flatMap(({ actions }) => actions) } : worst(stopped);
  }

  #body(node: PlanNode<S>, address: string, at: Position<S>, input: WalkInput): Progress<S> {
    const place = placeOf(node, address, at);
    const own = input.state.steps.get(address);
    if (node.kind === "call") return call(node, place, at, input);
    if (own?.begun === undefined) return beginning({ do: "begin", place }, at, input);
    return node.kind === "block" ? this.#block(node, place, at, input) : this.#include(node, place, at, input);
  }

  #include(node: PlanInclude<S>, place: PlaceOf<S>, at: Position<S>, input: WalkInput): Progress<S> {
    const inside: Position<S> = { ...at, frame: frameOf(place.address), keys: "", rounds: [] };
    const progress = this.#stepsThenChecks(node, nameOf(place, input), inside, input);
    if (progress.is !== "done") return progress;
    const holds = heldBy([...node.steps, ...node.checks], inside, input.state);
    return open({ do: "end", place, ending: { outcome: "ok", holds } });
  }

  #block(node: PlanBlock<S>, place: PlaceOf<S>, at: Position<S>, input: WalkInput): Progress<S> {
    const own = stepIn(input.state, place.address);
    const phase = phaseOf(node, own);
    const inside = phase === "always" ? { ...at, inAlways: true } : at;
    const progress = this.#sequence(node[phase], `${nameOf(place, input)}${phase}${own.repeats}`, inside, input);
    if (progress.is === "open" || (progress.is === "stopped" && !ENDS_BLOCK.has(progress.outcome))) return progress;
    const turn = turnAfter(
      node,
      { phase, progress, repeats: own.repeats },
      {
        mayBeRescued: () => !lacksComparison(node.steps, at, input.state),
        again: () => heldBy(node.steps, at, input.state),
        always: () => alwaysAgain(node.always, at, input.state),
      },
    );
    if (turn !== undefined) return open({ do: "turn", place, turn });
    if (progress.is === "stopped") return progress;
    const outcome = phase === "always" ? (own.turned?.outcome ?? "ok") : phase === "rescue" ? "rescued" : "ok";
    const holds = heldBy(partsOf(node), at, input.state);
    return open({ do: "end", place, ending: { outcome, holds } });
  }
}

// An unknown outcome or a pending step leaves a block open.
const ENDS_BLOCK: ReadonlySet<StoppedOutcome | Halt> = new Set(["failed", "interrupted"] as const);

// The key by which complete steps are remembered. A block that begins again gets a new key.
function nameOf<S>({ address }: PlaceOf<S>, { state }: WalkInput): string {
  return `${address}:${stepIn(state, address).begun?.sequence ?? ""}:`;
}

function endOf<S>(address: string, { state }: WalkInput): Progress<S> | undefined {
  const step = state.steps.get(address);
  if (step?.completed !== undefined) return DONE;
  return step?.stopped === undefined ? undefined : { is: "stopped", outcome: step.stopped.outcome, at: address };
}

type BlockPhase = "steps" | "rescue" | "always";

// If an edit removed the `rescue` of a block, the block tries its own steps again, because nothing else can rescue it.
function phaseOf<S>({ rescue }: PlanBlock<S>, { turned }: StepState): BlockPhase {
  if (turned === undefined || turned.to === "again") return "steps";
  return turned.to === "rescue" && rescue.length === 0 ? "steps" : turned.to;
}

interface PhaseEnd<S> {
  readonly phase: BlockPhase;
  readonly progress: Exclude<Progress<S>, { is: "open" }>;
  readonly repeats: number;
}

function turnAfter<S>(
  { attempts, rescue, always }: PlanBlock<S>,
  { phase, progress, repeats }: PhaseEnd<S>,
  done: {
    readonly mayBeRescued: () => boolean;
    readonly again: () => readonly string[];
    readonly always: () => AlwaysAgain;
  },
): Turn | undefined {
  if (phase === "always") return undefined;
  if (phase === "steps" && progress.is === "stopped" && progress.outcome === "failed") {
    const failed = progress.at;
    if (repeats + 1 < attempts) return { to: "again", failed, forget: done.again() };
    if (rescue.length > 0 && done.mayBeRescued()) return { to: "rescue", failed };
  }
  if (always.length === 0) return undefined;
  if (progress.is === "stopped") return { to: "always", outcome: "failed", failed: progress.at, ...done.always() };
  return { to: "always", outcome: phase === "rescue" ? "rescued" : "ok", ...done.always() };
}

// A step counts as a whole: a block, loop or playbook that sent a write stays as it is.
function alwaysAgain<S>(nodes: readonly PlanNode<S>[], at: Position<S>, state: RunState): AlwaysAgain {
  const { steps, expansions } = state;
  const parts = nodes.map((node) => heldBy([node], at, state).filter((one) => steps.has(one) || expansions.has(one)));
  const hasSent = (part: readonly string[]): boolean => part.some((one) => (steps.get(one)?.attempts.length ?? 0) > 0);
  const forget = parts.filter((part) => !hasSent(part)).flat();
  const kept = parts.filter(hasSent).flatMap(([whole = ""]) => (isComplete(whole, state) ? [whole] : []));
  return { ...(forget.length === 0 ? {} : { forget }), ...(kept.length === 0 ? {} : { kept }) };
}

/** Whether a step is complete; with a `foreach`, whether all its rounds are. */
export function isComplete(address: string, { steps, expansions }: RunState): boolean {
  const expansion = expansions.get(address);
  return (
    steps.get(address)?.completed !== undefined || (expansion !== undefined && expansion.complete === expansion.rounds.length)
  );
}

function open<S>(action: ActionOf<S>): Progress<S> {
  return { is: "open", actions: [action] };
}

function placeOf<S>({ step }: PlanNode<S>, address: string, { frame, rounds, within }: Position<S>): PlaceOf<S> {
  return { step, address, frame, rounds, within };
}

function call<S>(node: PlanCall<S>, place: PlaceOf<S>, at: Position<S>, input: WalkInput): Progress<S> {
  const attempts = input.state.steps.get(place.address)?.attempts ?? [];
  const decided = node.writes
    ? decideAttempts(attempts, { awaitsReceipt: node.awaitsReceipt, epoch: input.state.epoch })
    : ({ do: "begin" } as const);
  if (decided.do === "begin") return beginning({ do: "begin", place }, at, input);
  const held = input.interrupted && !at.inAlways;
  return held ? { is: "stopped", outcome: "held", at: place.address } : open({ ...decided, place });
}

// After an interrupt, only `always` steps begin.
function beginning<S>(action: ActionOf<S>, { inAlways }: Position<S>, { interrupted }: WalkInput): Progress<S> {
  if (!interrupted || inAlways) return open(action);
  return { is: "stopped", outcome: "interrupted", at: action.place.address };
}

function hasBegun(round: StepState | undefined): boolean {
  return round !== undefined && (round.begun !== undefined || round.attempts.length > 0);
}

// The worst has the highest number: unknown outcomes and drifts are worse than known failures, and steps that wait for approval are better.
const BADNESS: Readonly<Record<StoppedOutcome | Halt, number>> = {
  conflict: 6,
  unknown: 5,
  drift: 4,
  failed: 3,
  pending: 2,
  held: 1,
  interrupted: 0,
};

/**
 * Returns the end of a run that is stopped early: `interrupted`, unless a step has found something worse than a failure, or the run leaves
 * a write open.
 */
export function closeEarly({ steps }: RunState, leavesOpen = false): RunClosed {
  const found = [...steps.values()].flatMap(({ stopped }) => stopped?.outcome ?? []);
  const bad = [...found, ...(leavesOpen ? (["unknown"] as const) : [])].filter((each) => BADNESS[each] > BADNESS.failed);
  const [outcome] = bad.toSorted((one, other) => BADNESS[other] - BADNESS[one]);
  return {
    kind: "run.closed",
    outputs: {},
    ...(outcome === undefined ? { outcome: "interrupted" } : { outcome, interrupted: true }),
  };
}

function worst<S>(all: readonly Progress<S>[]): Progress<S> {
  const stopped = all.filter((each) => each.is === "stopped");
  return stopped.toSorted((one, other) => BADNESS[other.outcome] - BADNESS[one.outcome])[0] ?? DONE;
}

// A comparison that was not made, or a `conserve` that failed, must not pass for sides that agree, whichever step has failed (decision 41).
function lacksComparison<S>(nodes: readonly PlanNode<S>[], at: Position<S>, state: RunState): boolean {
  return nodes.some((node) => {
    const address = addressOf(node, at);
    if (isComplete(address, state)) return false;
    if (node.kind === "call") return node.conserves && hasStopped(node, at, state);
    if (node.kind === "include" && node.compares) return true;
    const rounds = state.expansions.get(address)?.rounds.filter(({ key }) => !isComplete(roundOf(address, key), state));
    const places = rounds?.map(({ key }) => ({ ...at, keys: roundOf(at.keys, key) })) ?? [at];
    return places.some((place) =>
      node.kind === "block"
        ? lacksInBlock(node, place, state)
        : lacksComparison([...node.steps, ...node.checks], { ...place, frame: frameOf(addressOf(node, place)), keys: "" }, state),
    );
  });
}

function hasStopped<S>(node: PlanNode<S>, at: Position<S>, state: RunState): boolean {
  return heldBy([node], at, state).some((each) => state.steps.get(each)?.stopped !== undefined);
}

// A block that has not failed need not run its `rescue`.
function lacksInBlock<S>({ steps, rescue, always }: PlanBlock<S>, at: Position<S>, state: RunState): boolean {
  const isRescuing = heldBy(rescue, at, state).some((each) => state.steps.has(each) || state.expansions.has(each));
  return lacksComparison([...steps, ...always, ...(isRescuing ? rescue : [])], at, state);
}

function partsOf<S>({ steps, rescue, always }: PlanBlock<S>): readonly PlanNode<S>[] {
  return [...steps, ...rescue, ...always];
}

function addressOf<S>({ id }: PlanNode<S>, { frame, keys }: Position<S>): string {
  return `${frame}${id}${keys}`;
}

// Every address that these nodes may have in a state, including those of rounds and the steps in them.
function heldBy<S>(nodes: readonly PlanNode<S>[], at: Position<S>, state: RunState): readonly string[] {
  return nodes.flatMap((node) => addressesOf(node, at, state));
}

function addressesOf<S>(node: PlanNode<S>, at: Position<S>, state: RunState): readonly string[] {
  const address = addressOf(node, at);
  if (node.parallel === undefined) return [address, ...addressesWithin(node, address, at, state)];
  const rounds = state.expansions.get(address)?.rounds ?? [];
  const inRound = ({ key }: { readonly key: string }): readonly string[] => {
    const round = roundOf(address, key);
    return [round, ...addressesWithin(node, round, { ...at, keys: roundOf(at.keys, key) }, state)];
  };
  return [address, ...rounds.flatMap(inRound)];
}

function addressesWithin<S>(node: PlanNode<S>, address: string, at: Position<S>, state: RunState): readonly string[] {
  if (node.kind === "call") return [];
  if (node.kind === "block") return heldBy(partsOf(node), at, state);
  return heldBy([...node.steps, ...node.checks], { ...at, frame: frameOf(address), keys: "" }, state);
}

/** Returns the exit code of a run's outcome. */
export function exitOf(outcome: RunOutcome): ExitCode {
  return EXIT[outcome === "conflict" ? "unknown" : outcome];
}
