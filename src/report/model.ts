import { isoTime } from "../base/time/date.ts";
import { invariant } from "../base/failure.ts";
import { getOrInsert } from "../base/maps.ts";
import {
  type BlockTurned,
  isNotice,
  type RunClosed,
  type RunEvent,
  type RunOpened,
  type RunOutcome,
  type RunRecord,
} from "../protocol/record.ts";
import type { StepHeading, Writing } from "../protocol/heading.ts";
import { holdersOf, roundOf, stepOf } from "../protocol/address.ts";
import type { Observer } from "./fanout.ts";
import { continueHistory } from "./history.ts";
import { Nesting } from "./steps/nesting.ts";
import { flattened, foldAt, type Row, rowsInOrder, type StepGroup } from "./steps/row-order.ts";
import type { HistoryReport, RowOutcome, RunHeading, RunReport, StepReport, Totals } from "./shape.ts";
import { StepFold } from "./steps/step-fold.ts";
import { type StepRecord, Stops, type Times } from "./steps/step-times.ts";

/** Returns the report of a run, which is the fold of its records from the first. Pure. */
export function reportOf(records: Iterable<RunRecord>): RunReport {
  const fold = new RunFold();
  for (const record of records) fold.take(record);
  return fold.report();
}

interface FoldedGroup extends StepGroup {
  readonly rounds: Map<string, StepFold>;
}

/** A report that grows with each record. The cost of a record does not depend on the number of steps. */
export class RunFold implements Observer {
  readonly #groups = new Map<string, FoldedGroup>();
  readonly #history: HistoryReport[] = [];
  /** Steps that have failed, and containers without an end that may contain such steps. */
  readonly #open = new Set<StepFold>();
  #nesting = new Nesting([]);
  #opened: (RunRecord & RunOpened) | undefined;
  #closed: (RunRecord & RunClosed) | undefined;
  readonly #stops = new Stops();

  /** The opening of the run, with its playbook as last edited; `undefined` before it. */
  get opened(): (RunRecord & RunOpened) | undefined {
    return this.#opened;
  }

  /** The last closing of the run; `undefined` while it continues. */
  get closed(): (RunRecord & RunClosed) | undefined {
    return this.#closed;
  }

  /** Takes a record. Notices do not change a report. */
  event(event: RunEvent): void {
    if (!isNotice(event)) this.take(event);
  }

  /** Takes the next record of the run. */
  take(record: RunRecord): void {
    continueHistory(this.#history, record);
    this.#stops.take(record);
    switch (record.kind) {
      case "run.opened":
        this.#opened = record;
        this.#nesting = new Nesting(record.steps);
        for (const heading of record.steps) this.#groups.set(heading.id, newGroup(heading, this.#stops));
        return;
      case "run.claimed":
        this.#closed = undefined;
        this.#endContainers(undefined);
        return;
      case "run.released":
        return;
      case "run.edited":
        return this.#rewrite(record);
      case "run.closed":
        this.#closed = record;
        for (const [address, waitedMs] of Object.entries(record.waited ?? {})) this.#waitBefore(address, waitedMs);
        this.#endContainers(record.outcome);
        return;
      case "step.expanded":
        this.#replaceByRounds(record.step);
        if (record.rounds.length === 0) this.step(record.step).heldNothing();
        for (const { key } of record.rounds) this.step(roundOf(record.step, key));
        return;
      case "block.turned":
        for (const address of record.forget ?? []) this.#forget(this.step(address));
        if (record.to === "rescue") this.#rescue(record);
        if (record.waitedMs !== undefined) this.#wait(record.step, record.waitedMs);
        return;
      default:
        this.#takeOf(this.step(record.step), record);
    }
  }

  #takeOf(step: StepFold, record: StepRecord): void {
    step.take(record);
    if (step.isOpen) this.#open.add(step);
    else this.#open.delete(step);
    if (step.hasEnded && !step.isContainer) this.#count(step.address, step.times.takeNew());
  }

  // After an interrupted read, the resumed run repeats it from its start. An interrupted write continues, so earlier waiting counts.
  #waitBefore(address: string, waitedMs: number): void {
    const { times } = this.step(address);
    if (times.startedAt !== undefined) times.wait(waitedMs);
  }

  #wait(block: string, waitedMs: number): void {
    this.step(block).times.wait(waitedMs);
    this.#count(block, { durationMs: 0, waitedMs });
  }

  // The time of a step also counts for all containers around it.
  #count(address: string, times: Omit<Times, "stoppedMs">): void {
    for (let holder = this.#holderOf(address); holder !== undefined; holder = this.#holderOf(holder.address)) {
      holder.times.hold(times);
    }
  }

  // Returns the round of the block or included playbook that contains a step.
  #holderOf(address: string): StepFold | undefined {
    const id = this.#nesting.holderOf(stepOf(address));
    const group = id === undefined ? undefined : this.#groups.get(id);
    if (group === undefined) return undefined;
    const holders = holdersOf(address, group.whole.address).map((holder) => foldAt(group, holder));
    return holders.find((fold) => fold !== undefined);
  }

  #forget(step: StepFold): void {
    step.forget();
    this.#open.delete(step);
  }

  // A `foreach` may have stopped before it had rounds.
  #replaceByRounds(address: string): void {
    const group = this.#group(stepOf(address));
    const stopped = foldAt(group, address);
    if (stopped === undefined) return;
    this.#forget(stopped);
    group.rounds.delete(address);
  }

  // The containers around the failed step have failed with it, and rounds that ran in parallel may have failed too.
  #rescue({ step: block, failed }: BlockTurned): void {
    for (const step of this.#open) {
      if (step.address !== failed && !this.#nesting.isWithin(step.address, block)) continue;
      step.rescued();
      this.#open.delete(step);
    }
  }

  /** Returns whether a step is in a block or an included playbook, in the same rounds. */
  isWithin(address: string, container: string): boolean {
    return this.#nesting.isWithin(address, container);
  }

  /** Returns the step at an address. A step that the opening did not name comes last. */
  step(address: string): StepFold {
    const group = this.#group(stepOf(address));
    if (address === group.whole.address) return group.whole;
    return getOrInsert(group.rounds, address, () => new StepFold(group.whole.heading, this.#stops, address));
  }

  // If the end of a block or an included playbook was not recorded, it ended as the run did.
  #endContainers(outcome: RunOutcome | undefined): void {
    for (const { whole, rounds } of this.#groups.values()) {
      if (!whole.isContainer) continue;
      whole.endWith(outcome);
      for (const round of rounds.values()) round.endWith(outcome);
    }
  }

  /** Returns the rows in the order of the playbook, each with the rows inside it. Includes `active` steps without any record. */
  tree(active: Iterable<string> = []): readonly Row[] {
    const groups = new Map<string, StepGroup>(this.#groups);
    for (const address of active) {
      const id = stepOf(address);
      const group = groups.get(id);
      if (group === undefined || foldAt(group, address) !== undefined) continue;
      const round = new StepFold(group.whole.heading, this.#stops, address);
      groups.set(id, { ...group, rounds: new Map(group.rounds).set(address, round) });
    }
    return rowsInOrder(groups.values(), this.#nesting);
  }

  /** Returns the rows in the order of the playbook, each followed by the rows inside it. */
  rows(): Generator<StepFold> {
    return flattened(this.tree());
  }

  /** Whether any record about a step exists. */
  get hasBegun(): boolean {
    return this.rows().some((row) => row.hasBegun);
  }

  /** Returns the report as it is now. The run must have been opened. */
  report(): RunReport {
    const steps = this.rows()
      .map((row) => row.report())
      .toArray();
    return { format: 1, run: this.#heading(), steps, totals: totalsOf(steps) };
  }

  #heading(): RunHeading {
    const opened = this.#opened;
    const closed = this.#closed;
    invariant(opened !== undefined, "a run begins with its opening");
    const { runId, runKey, idempotencyKey = null, playbook, target, inputs, anyway = null, confirmed = null, at } = opened;
    return {
      id: runId,
      key: runKey,
      idempotencyKey,
      playbook: { name: playbook.name, file: playbook.file, digest: playbook.digest },
      target,
      inputs,
      outcome: closed?.outcome ?? "running",
      startedAt: isoTime(at),
      finishedAt: closed === undefined ? null : isoTime(closed.at),
      durationMs: closed === undefined ? null : Math.max(0, closed.at - at - this.#stops.stoppedMs({ from: at, to: closed.at })),
      outputs: closed?.outputs ?? {},
      problem: closed?.problem ?? null,
      history: this.#history,
      anyway,
      confirmed,
    };
  }

  // Steps that had an effect and were then removed from the playbook come after the others. Removed steps without effect, such as failed ones, have no row any
  // more.
  #rewrite({ playbook, steps }: Writing): void {
    if (this.#opened !== undefined) this.#opened = { ...this.#opened, playbook, steps };
    this.#nesting = new Nesting(steps);
    const before = new Map(this.#groups);
    this.#groups.clear();
    for (const heading of steps) {
      const group = before.get(heading.id) ?? newGroup(heading, this.#stops);
      for (const fold of [group.whole, ...group.rounds.values()]) fold.rewrite(heading);
      this.#groups.set(heading.id, group);
      before.delete(heading.id);
    }
    for (const [id, group] of before) if (this.#keepsOf(group)) this.#groups.set(id, group);
  }

  #keepsOf({ whole, rounds }: FoldedGroup): boolean {
    for (const fold of [whole, ...rounds.values()]) {
      fold.takenOut();
      this.#open.delete(fold);
    }
    for (const [address, round] of rounds) if (!round.leavesSomething) rounds.delete(address);
    return rounds.size > 0 || whole.leavesSomething;
  }

  #group(id: string): FoldedGroup {
    return getOrInsert(this.#groups, id, () => newGroup({ id, name: id, uses: "", line: 0 }, this.#stops));
  }
}

function newGroup(heading: StepHeading, stops: Stops): FoldedGroup {
  return { whole: new StepFold(heading, stops), rounds: new Map() };
}

// Containers are not counted, only the steps in them.
function totalsOf(all: readonly StepReport[]): Totals {
  const steps = all.filter(({ kind }) => kind === "call" || kind === "check");
  const byOutcome = Map.groupBy(steps, ({ outcome }) => outcome);
  const of = (outcome: RowOutcome): number => byOutcome.get(outcome)?.length ?? 0;
  return {
    steps: steps.length,
    ok: of("ok"),
    changed: of("changed"),
    unchanged: of("unchanged"),
    skipped: of("skipped"),
    rescued: of("rescued"),
    failed: of("failed"),
    pending: of("pending"),
    unknown: of("unknown"),
    conflict: of("conflict"),
    drift: of("drift"),
    notRun: of("not-run"),
    warnings: steps.filter(({ warning }) => warning !== null).length,
  };
}
