import type { Json } from "../base/json.ts";
import type {
  AttemptAnswered,
  AttemptIntended,
  AttemptSettled,
  ReceiptRead,
  RunClosed,
  RunOpened,
  RunRecord,
  StepCompleted,
  StepExpanded,
  StepStopped,
} from "./record.ts";

/** What is known of a run: the fold of its records. */
export interface RunState {
  opened: RunOpened | undefined;
  openedAt: number;
  epoch: number;
  sequence: number;
  closed: RunClosed | undefined;
  readonly steps: Map<string, StepState>;
  readonly expansions: Map<string, Expansion>;
  /** What `steps` gives to expressions: by step id, and by key below it in a `foreach`. */
  readonly values: Record<string, Record<string, Json>>;
}

export interface StepState {
  readonly attempts: AttemptState[];
  completed: StepCompleted | undefined;
  /** Why it stopped under the present claim; a new claim tries again. */
  stopped: StepStopped | undefined;
}

export interface AttemptState {
  readonly intended: AttemptIntended;
  readonly intendedAt: number;
  answered: AttemptAnswered | undefined;
  receipt: ReceiptRead | undefined;
  settled: AttemptSettled | undefined;
  /** It had no effect, and belongs to an earlier claim: it no longer decides anything. */
  past: boolean;
}

export interface Expansion {
  readonly rounds: StepExpanded["rounds"];
  /** How many rounds, from the first, are complete. */
  complete: number;
}

export function emptyState(): RunState {
  return {
    opened: undefined,
    openedAt: 0,
    epoch: 0,
    sequence: -1,
    closed: undefined,
    steps: new Map(),
    expansions: new Map(),
    values: {},
  };
}

/** The state after all these records. */
export function stateOf(records: Iterable<RunRecord>): RunState {
  const state = emptyState();
  for (const record of records) advance(state, record);
  return state;
}

/** Takes one more record into the state, in place: a run of thousands of steps must not copy its state at each. */
export function advance(state: RunState, record: RunRecord): void {
  state.epoch = record.epoch;
  state.sequence = record.sequence;
  switch (record.kind) {
    case "run.opened":
      state.opened = record;
      state.openedAt = record.at;
      return;
    case "run.claimed":
      return reopen(state);
    case "step.expanded":
      state.expansions.set(record.step, { rounds: record.rounds, complete: 0 });
      return;
    case "attempt.intended":
      stepIn(state, record.step).attempts.push(newAttempt(record, record.at));
      return;
    case "attempt.answered":
    case "receipt.read":
    case "attempt.settled":
      return learn(stepIn(state, record.step).attempts[record.attempt], record);
    case "step.completed":
      return complete(state, record);
    case "step.stopped":
      stepIn(state, record.step).stopped = record;
      return;
    case "run.closed":
      state.closed = record;
  }
}

/** The state of a step's address; of one that has not begun, an empty one. */
export function stepIn(state: RunState, address: string): StepState {
  let step = state.steps.get(address);
  if (step === undefined) {
    step = { attempts: [], completed: undefined, stopped: undefined };
    state.steps.set(address, step);
  }
  return step;
}

function newAttempt(intended: AttemptIntended, intendedAt: number): AttemptState {
  return { intended, intendedAt, answered: undefined, receipt: undefined, settled: undefined, past: false };
}

function learn(attempt: AttemptState | undefined, record: AttemptAnswered | ReceiptRead | AttemptSettled): void {
  if (attempt === undefined) return;
  if (record.kind === "attempt.answered") attempt.answered = record;
  else if (record.kind === "receipt.read") attempt.receipt = record;
  else attempt.settled = record;
}

// A new claim tries again whatever had stopped, and only what surely had no effect may be sent again.
function reopen(state: RunState): void {
  state.closed = undefined;
  for (const step of state.steps.values()) {
    if (step.completed !== undefined) continue;
    step.stopped = undefined;
    for (const attempt of step.attempts) attempt.past = hadNoEffect(attempt);
  }
}

/** Whether the service said, beyond doubt, that the attempt changed nothing. */
export function hadNoEffect({ answered, receipt, settled }: AttemptState): boolean {
  if (settled !== undefined) return settled.verdict === "absent";
  if (receipt !== undefined) return !receipt.committed;
  return answered !== undefined && ["not-sent", "refused", "refused-later"].includes(answered.meaning);
}

function complete(state: RunState, record: StepCompleted): void {
  const step = stepIn(state, record.step);
  step.completed = record;
  step.stopped = undefined;
  const { id, key } = splitAddress(record.step);
  if (key === undefined) {
    state.values[id] = { ...record.value };
    return;
  }
  (state.values[id] ??= {})[key] = record.value;
  const expansion = state.expansions.get(id);
  if (expansion === undefined) return;
  while (isComplete(state, id, expansion.rounds[expansion.complete]?.key)) expansion.complete++;
}

function isComplete(state: RunState, id: string, key: string | undefined): boolean {
  return key !== undefined && state.steps.get(addressOf(id, key))?.completed !== undefined;
}

/** The address of a step, or of one round of its `foreach`. */
export function addressOf(id: string, key: string | undefined): string {
  return key === undefined ? id : `${id}[${key}]`;
}

export function splitAddress(address: string): { readonly id: string; readonly key: string | undefined } {
  const bracket = address.indexOf("[");
  return bracket < 0 ? { id: address, key: undefined } : { id: address.slice(0, bracket), key: address.slice(bracket + 1, -1) };
}
