import { getOrInsert } from "../base/maps.ts";
import { isObject, type Json } from "../base/json/json.ts";
import { field, text } from "../base/json/parts.ts";
import { present } from "../base/present.ts";
import { type AttemptState, newAttempt, hadNoEffect, undecidedOf } from "./attempt-state.ts";
import { type StepAddress, includingStep, isOfCheck, parseAddress } from "./address.ts";
import type {
  AttemptAnswered,
  AttemptSettled,
  BlockTurned,
  Fact,
  ReceiptRead,
  RunClosed,
  RunOpened,
  RunRecord,
  StepBegun,
  StepCompleted,
  StepExpanded,
  StepStopped,
} from "./record.ts";
import type { Writing } from "./heading.ts";

/** Everything that is known about a run: the fold of its records. */
export interface RunState {
  /** The record that began the run, with the playbook as last edited; `undefined` before there is a record. */
  opened: RunOpened | undefined;
  /** When the run began, in milliseconds since the Unix epoch. */
  openedAt: number;
  /** The claim of the latest record. */
  epoch: number;
  /** The number of the latest record; -1 without records. */
  sequence: number;
  /** How the run ended; `undefined` while it is open or resumed. */
  closed: RunClosed | undefined;
  /** When the run last learnt about a write, in milliseconds since the Unix epoch: the later of the machine's and the service's time; 0 for never. */
  learntAt: number;
  /** The steps by their addresses. */
  readonly steps: Map<string, StepState>;
  /** The rounds of each `foreach`, by the address of its step. */
  readonly expansions: Map<string, Expansion>;
  /** The transactions and other records that have proven a write, each with the step that it proves. A record proves only one write. */
  readonly spent: Map<string, Spent>;
  /** The value of `steps` in expressions, for each frame: by step id and, below it, by the key of each surrounding `foreach`. */
  readonly values: Map<string, StepValues>;
}

/** The values of steps, by id. */
export type StepValues = Record<string, Json>;

/** All that is known about a step. */
export interface StepState {
  /** The attempts of its write, in order. */
  readonly attempts: AttemptState[];
  /** The beginning of a block or an included playbook. */
  begun: (RunRecord & StepBegun) | undefined;
  /** The part with which a block continues; `undefined` while its own steps run. */
  turned: (RunRecord & BlockTurned) | undefined;
  /** The part with which a block continued before its `always`. */
  turnedBefore: (RunRecord & BlockTurned) | undefined;
  /** How often a block has begun again. */
  repeats: number;
  /** How the step was completed, which is final. */
  completed: (RunRecord & StepCompleted) | undefined;
  /** Why the step stopped under the present claim. A new claim tries it again. */
  stopped: (RunRecord & StepStopped) | undefined;
}

/** The rounds of a `foreach`. */
export interface Expansion {
  /** The rounds in order. */
  readonly rounds: StepExpanded["rounds"];
  /** How many rounds, from the first, are complete. */
  complete: number;
}

/** Returns the state of a run without records. */
export function emptyState(): RunState {
  return {
    opened: undefined,
    openedAt: 0,
    epoch: 0,
    sequence: -1,
    closed: undefined,
    learntAt: 0,
    steps: new Map(),
    expansions: new Map(),
    spent: new Map(),
    values: new Map(),
  };
}

/** Returns the state after all these records. */
export function stateOf(records: Iterable<RunRecord>): RunState {
  const state = emptyState();
  for (const record of records) advance(state, record);
  return state;
}

/** Applies one more record to the state in place. Copying the state at each step would make long runs slow. */
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
    case "run.released":
      for (const { attempts } of state.steps.values())
        for (const attempt of attempts.filter(isMaybeUnsent)) attempt.mayStillBeSent = true;
      return;
    case "run.edited":
      return edit(state, record);
    case "step.expanded":
      state.expansions.set(record.step, { rounds: record.rounds, complete: 0 });
      // The step may have stopped before it had rounds.
      return forgetValue(state, parseAddress(record.step));
    case "step.begun":
      stepIn(state, record.step).begun = record;
      return;
    case "block.turned":
      return turn(state, record);
    case "attempt.intended":
      stepIn(state, record.step).attempts.push(newAttempt(record));
      return;
    case "attempt.answered":
    case "receipt.read":
    case "attempt.settled":
      return learn(state, record);
    case "step.completed":
      return complete(state, record);
    case "step.stopped":
      return stop(state, record);
    case "run.closed":
      state.closed = record;
  }
}

interface Spent {
  readonly step: string;
  /** The last record that named the proof. */
  readonly sequence: number;
  /** The first record that named the proof. */
  readonly since: number;
}

function edit(state: RunState, { playbook, steps, sources, data }: Writing): void {
  if (state.opened === undefined) return;
  state.opened = { ...state.opened, playbook, steps, ...present({ sources, data }) };
}

/** Returns the state of a step; an empty one if it has not begun. */
export function stepIn(state: RunState, address: string): StepState {
  return getOrInsert(state.steps, address, () => ({
    attempts: [],
    begun: undefined,
    turned: undefined,
    turnedBefore: undefined,
    repeats: 0,
    completed: undefined,
    stopped: undefined,
  }));
}

/** Returns the attempts with only an intent. The holder of the run may have sent them, or may be about to. */
export function maybeUnsent({ steps }: RunState): readonly { readonly step: string; readonly attempt: number }[] {
  return [...steps].flatMap(([step, { attempts }]) =>
    attempts.flatMap((each, attempt) => (isMaybeUnsent(each) ? [{ step, attempt }] : [])),
  );
}

function isMaybeUnsent({ answered, settled }: AttemptState): boolean {
  return answered === undefined && settled === undefined;
}

function learn(state: RunState, record: RunRecord & (AttemptAnswered | ReceiptRead | AttemptSettled)): void {
  const attempt = stepIn(state, record.step).attempts[record.attempt];
  if (attempt === undefined) return;
  const { step, sequence, at, serviceAt = at } = record;
  state.learntAt = Math.max(state.learntAt, at, serviceAt);
  for (const id of provenBy(record)) state.spent.set(id, { step, sequence, since: state.spent.get(id)?.since ?? sequence });
  if (record.kind === "attempt.answered") attempt.answered = record;
  else if (record.kind === "receipt.read") attempt.receipt = record;
  else attempt.settled = record;
}

/** Returns the transactions that prove an attempt, if its records name them. */
export function transactionsOf({ answered, receipt, settled }: AttemptState): readonly string[] {
  const named = [answered, receipt, settled].flatMap((record) => (record === undefined ? [] : provenBy(record)));
  return named.filter((id) => !id.startsWith(RECEIPT));
}

/** Returns what proves the write of a record, and so no other write: transactions, or a receipt as `receipt ID`. */
export function provenBy(record: Fact): readonly string[] {
  switch (record.kind) {
    case "attempt.answered":
      return namedIn(record.payload);
    case "receipt.read":
      return namedIn(record.receipt);
    case "attempt.settled":
      return [...(record.spends === undefined ? [] : [record.spends]), ...(record.alsoSpends ?? [])];
    default:
      return [];
  }
}

/** Returns the step that was already proven by what an answer or a receipt names: another step, or this step by an earlier attempt. */
export function provenBefore(
  { spent }: RunState,
  { address, sequence }: { readonly address: string; readonly sequence: number },
  named: Json,
): string | undefined {
  const found = namedIn(named).flatMap((id) => spent.get(id) ?? []);
  return found.find(({ step, since }) => step !== address || since < sequence)?.step;
}

/** Returns what an answer or a receipt names: its transactions or, if there are none, its receipt as `receipt ID`. */
export function namedIn(answer: Json): readonly string[] {
  const parts = [answer, field(answer, "result")].filter(isObject);
  const transactions = parts.flatMap(({ transactionId }) => text(transactionId) ?? []);
  if (transactions.length > 0) return transactions;
  return parts.flatMap(({ receiptId }) => text(receiptId) ?? []).map((id) => `${RECEIPT}${id}`);
}

// A receipt and a transaction may have the same id.
const RECEIPT = "receipt ";

// A new claim tries stopped steps again. It sends a write again only if the write surely had no effect. A block that failed and whose
// `always` is done returns to the step that failed. When the block turns to its `always` again, that runs once more (decision 190).
function reopen(state: RunState): void {
  state.closed = undefined;
  forgetChecks(state);
  const open = [...state.steps].filter(([, { completed }]) => completed === undefined);
  for (const [, step] of open) step.turned = turnedOnClaim(step);
  const turnedAt = lastTurn(state);
  for (const [address, step] of open) {
    // The outcome of a step that is tried again is open. A block that has turned since then keeps the outcomes that it has left behind.
    if (step.stopped !== undefined && step.stopped.sequence > turnedAt) forgetValue(state, parseAddress(address));
    step.stopped = undefined;
    // While one attempt may still arrive, none of them is over.
    const areOver = undecidedOf(step.attempts).every(hadNoEffect);
    for (const attempt of step.attempts) attempt.past = areOver;
  }
}

/** Returns the part with which a block continues under the next claim. A failed block returns to where it was before its `always`. */
export function turnedOnClaim({ completed, stopped, turned, turnedBefore }: StepState): StepState["turned"] {
  const hasFailed = completed === undefined && stopped !== undefined && turned?.outcome === "failed";
  return hasFailed ? turnedBefore : turned;
}

function lastTurn({ steps }: RunState): number {
  return steps.values().reduce((last, { turned }) => Math.max(last, turned?.sequence ?? -1), -1);
}

// A check is about the moment when all steps are done. Its result from an earlier claim may be out of date, so it is evaluated again.
function forgetChecks(state: RunState): void {
  for (const address of [...state.steps.keys(), ...state.expansions.keys()].filter(isOfCheck)) {
    const { frame } = parseAddress(address);
    const isOver = frame !== "" && state.steps.get(includingStep(frame))?.completed !== undefined;
    if (!isOver) forget(state, address);
  }
}

function forget(state: RunState, address: string): void {
  state.steps.delete(address);
  state.expansions.delete(address);
  forgetValue(state, parseAddress(address));
}

function turn(state: RunState, record: RunRecord & BlockTurned): void {
  const block = stepIn(state, record.step);
  for (const address of record.forget ?? []) forget(state, address);
  if (record.to === "again") {
    block.repeats++;
    return;
  }
  if (record.to === "always") block.turnedBefore = block.turned;
  block.turned = record;
}

// Later steps can ask for the outcome of a stopped step, and for nothing else.
function stop(state: RunState, record: RunRecord & StepStopped): void {
  stepIn(state, record.step).stopped = record;
  setValue(state, parseAddress(record.step), { outcome: record.outcome });
}

function complete(state: RunState, record: RunRecord & StepCompleted): void {
  const step = stepIn(state, record.step);
  step.completed = record;
  step.stopped = undefined;
  const address = parseAddress(record.step);
  setValue(state, address, { ...record.value });
  if (address.keys.length > 0) passCompleteRounds(state, record.step);
}

// Later rounds of the same `foreach` may already be complete.
function passCompleteRounds(state: RunState, address: string): void {
  const whole = address.slice(0, address.lastIndexOf("["));
  const expansion = state.expansions.get(whole);
  if (expansion === undefined) return;
  for (;;) {
    const key = expansion.rounds[expansion.complete]?.key;
    if (key === undefined || state.steps.get(`${whole}[${key}]`)?.completed === undefined) return;
    expansion.complete++;
  }
}

function setValue(state: RunState, address: StepAddress, value: Json): void {
  const { holder, name } = valueHolder(state, address);
  holder[name] = value;
}

function forgetValue(state: RunState, address: StepAddress): void {
  const { holder, name } = valueHolder(state, address);
  delete holder[name];
}

// Returns the object and the name that hold a step's value in its frame.
function valueHolder(state: RunState, { frame, id, keys }: StepAddress): { readonly holder: StepValues; readonly name: string } {
  let holder = valuesIn(state, frame);
  let name = id;
  for (const key of keys) {
    holder = (holder[name] ??= {}) as StepValues;
    name = key;
  }
  return { holder, name };
}

/** Adds a step's value before the step is complete. The returned function removes the value again. */
export function lendValue(state: RunState, address: string, value: Json): () => void {
  const place = parseAddress(address);
  setValue(state, place, value);
  return () => forgetValue(state, place);
}

/** Returns the values of a frame's steps. */
export function valuesIn(state: RunState, frame: string): StepValues {
  return getOrInsert(state.values, frame, () => ({}));
}
