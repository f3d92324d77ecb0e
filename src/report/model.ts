import { invariant } from "../base/failure.ts";
import type { RunClosed, RunOpened, RunRecord, StepHeading } from "../protocol/record.ts";
import { splitAddress } from "../protocol/state.ts";
import type { RowOutcome, RunHeading, RunReport, StepReport, Totals } from "./shape.ts";
import { StepFold } from "./step-fold.ts";

/** The report of a run: the fold of its records, from the first. Pure. */
export function reportOf(records: Iterable<RunRecord>): RunReport {
  const fold = new RunFold();
  for (const record of records) fold.take(record);
  return fold.report();
}

/** A step as written, and its rounds once its `foreach` has its list. */
export interface StepGroup {
  readonly whole: StepFold;
  readonly rounds: ReadonlyMap<string, StepFold>;
}

interface Group extends StepGroup {
  readonly rounds: Map<string, StepFold>;
}

/** A report in the making. To take a record costs the same at the first step and at the ten-thousandth. */
export class RunFold {
  readonly #groups = new Map<string, Group>();
  #opened: (RunRecord & RunOpened) | undefined;
  #closed: (RunRecord & RunClosed) | undefined;

  get opened(): (RunRecord & RunOpened) | undefined {
    return this.#opened;
  }

  get closed(): (RunRecord & RunClosed) | undefined {
    return this.#closed;
  }

  take(record: RunRecord): void {
    switch (record.kind) {
      case "run.opened":
        this.#opened = record;
        for (const heading of record.steps) this.#groups.set(heading.id, newGroup(heading));
        return;
      case "run.claimed":
        this.#closed = undefined;
        return;
      case "run.closed":
        this.#closed = record;
        return;
      case "step.expanded":
        for (const { key } of record.rounds) this.#round(this.#group(record.step), key);
        return;
      default:
        this.step(record.step).take(record);
    }
  }

  get groups(): Iterable<StepGroup> {
    return this.#groups.values();
  }

  /** The step at an address; one that the opening did not name comes after those it did. */
  step(address: string): StepFold {
    const { id, key } = splitAddress(address);
    const group = this.#group(id);
    return key === undefined ? group.whole : this.#round(group, key);
  }

  /** The rows: a `foreach` gives its rounds in place of its heading, unless something was recorded about the whole of it. */
  *rows(): Generator<StepFold> {
    for (const { whole, rounds } of this.#groups.values()) {
      if (rounds.size === 0 || whole.hasBegun) yield whole;
      yield* rounds.values();
    }
  }

  report(): RunReport {
    const steps = Array.from(this.rows(), (row) => row.report());
    return { format: 1, run: this.#heading(), steps, totals: totalsOf(steps) };
  }

  #heading(): RunHeading {
    const opened = this.#opened;
    const closed = this.#closed;
    invariant(opened !== undefined, "a run begins with its opening");
    const { runId, runKey, playbook, target, inputs, at } = opened;
    return {
      id: runId,
      key: runKey,
      playbook: { name: playbook.name, file: playbook.file, digest: playbook.digest },
      target,
      inputs,
      outcome: closed?.outcome ?? "running",
      startedAt: new Date(at).toISOString(),
      finishedAt: closed === undefined ? null : new Date(closed.at).toISOString(),
      durationMs: closed === undefined ? null : closed.at - at,
      outputs: closed?.outputs ?? {},
      problem: closed?.problem ?? null,
    };
  }

  #group(id: string): Group {
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = newGroup({ id, name: id, uses: "", line: 0 });
      this.#groups.set(id, group);
    }
    return group;
  }

  #round(group: Group, key: string): StepFold {
    let round = group.rounds.get(key);
    if (round === undefined) {
      round = new StepFold(group.whole.heading, key);
      group.rounds.set(key, round);
    }
    return round;
  }
}

function newGroup(heading: StepHeading): Group {
  return { whole: new StepFold(heading), rounds: new Map() };
}

function totalsOf(steps: readonly StepReport[]): Totals {
  const of = (outcome: RowOutcome): number => steps.filter((step) => step.outcome === outcome).length;
  return {
    steps: steps.length,
    ok: of("ok"),
    changed: of("changed"),
    skipped: of("skipped"),
    failed: of("failed"),
    pending: of("pending"),
    unknown: of("unknown"),
    notRun: of("not-run"),
  };
}
