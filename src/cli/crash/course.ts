import type { CommitWatch } from "../../journal/journal.ts";
import type { Fact, RunRecord } from "../../protocol/record.ts";
import type { Outgoing } from "../../transport/exchange.ts";

/** What a point of a run is called: `before:attempt.intended` and the step's address; without a step where it is the run's own. */
export interface PointName {
  /** The commit of a kind of record, before or after it, or a request that was given to the network. */
  readonly what: `${"before" | "after"}:${Fact["kind"]}` | "sent";
  /** The step's address; left out where the point is the run's own. */
  readonly step?: string;
}

/** A point at which a run may die: before or after a commit of its journal, or when a request has been given to the network. A commit has a name for each of its records. */
export type Point = readonly PointName[];

/** The course that runs take, point by point. Part of the journal and the transport of a process, it notifies a listener of each. */
export class Course {
  readonly #pass: (point: Point) => void;
  #intended = "";

  constructor(pass: (point: Point) => void) {
    this.#pass = pass;
  }

  /** What the journal calls before and after each commit; a commit without records is no point. */
  readonly watch: CommitWatch = (moment, records) => {
    if (records.length === 0) return;
    for (const record of records) if (record.kind === "attempt.intended") this.#intended = record.step;
    this.#pass(records.map((record) => ({ what: `${moment}:${record.kind}`, ...stepOf(record) })));
  };

  /** What the transport calls once it has passed a write on: the write of the last intent, because nothing comes in between. */
  sending({ fresh }: Outgoing): (() => void) | undefined {
    if (!fresh) return undefined;
    const step = this.#intended;
    return () => this.#pass([{ what: "sent", step }]);
  }
}

function stepOf(record: RunRecord): { readonly step?: string } {
  return "step" in record ? { step: record.step } : {};
}
