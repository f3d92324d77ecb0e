import type { CommitWatch } from "../../journal/journal.ts";
import type { Fact, RunRecord } from "../../protocol/record.ts";
import type { Outgoing } from "../../transport/exchange.ts";

/** What a point of a run is called: `before:attempt.intended` and the step's address; without a step where it is the run's own. */
export interface PointName {
  readonly what: `${"before" | "after"}:${Fact["kind"]}` | "sent";
  readonly step?: string;
}

/** Where a run may die: before or after a commit of its journal, or with a request handed to the network. A commit has a name for each of its records. */
export type Point = readonly PointName[];

/** The course that runs take, point by point. Hung into the journal and the transport of a process, it tells a listener of each. */
export class Course {
  readonly #pass: (point: Point) => void;
  #intended = "";

  constructor(pass: (point: Point) => void) {
    this.#pass = pass;
  }

  readonly watch: CommitWatch = (moment, records) => {
    if (records.length === 0) return;
    for (const record of records) if (record.kind === "attempt.intended") this.#intended = record.step;
    this.#pass(records.map((record) => ({ what: `${moment}:${record.kind}`, ...stepOf(record) })));
  };

  /** What the transport calls once it has handed over a write; it is that of the last intent, for nothing comes in between. */
  sending({ fresh }: Outgoing): (() => void) | undefined {
    if (!fresh) return undefined;
    const step = this.#intended;
    return () => this.#pass([{ what: "sent", step }]);
  }
}

function stepOf(record: RunRecord): { readonly step?: string } {
  return "step" in record ? { step: record.step } : {};
}
