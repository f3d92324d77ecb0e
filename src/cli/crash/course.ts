import type { CommitWatch } from "../../journal/journal.ts";
import type { Fact, RunRecord } from "../../protocol/record.ts";
import type { Outgoing } from "../../transport/exchange.ts";

/** The name of a point of a run: `before:attempt.intended` and the step's address. A point of the run itself has no step. */
export interface PointName {
  /** Before or after a record of this kind is committed, or after a request was given to the network. */
  readonly what: `${"before" | "after"}:${Fact["kind"]}` | "sent";
  /** The step's address. Left out for a point of the run itself. */
  readonly step?: string;
}

/**
 * A point at which a run may die: before or after a commit of its journal, or after a request was given to the network. A commit has one name for each of its
 * records.
 */
export type Point = readonly PointName[];

/** Watches the points that runs pass. The journal and the transport of a process call it, and it calls a listener at each point. */
export class Course {
  readonly #pass: (point: Point) => void;
  #intended = "";

  constructor(pass: (point: Point) => void) {
    this.#pass = pass;
  }

  /** The journal calls this before and after each commit. A commit without records is not a point. */
  readonly watch: CommitWatch = (moment, records) => {
    if (records.length === 0) return;
    for (const record of records) if (record.kind === "attempt.intended") this.#intended = record.step;
    this.#pass(records.map((record) => ({ what: `${moment}:${record.kind}`, ...stepOf(record) })));
  };

  /** Returns what the transport calls after it has sent a write. The write belongs to the last intent, because nothing comes between the two. */
  sending({ fresh }: Outgoing): (() => void) | undefined {
    if (!fresh) return undefined;
    const step = this.#intended;
    return () => this.#pass([{ what: "sent", step }]);
  }
}

function stepOf(record: RunRecord): { readonly step?: string } {
  return "step" in record ? { step: record.step } : {};
}
