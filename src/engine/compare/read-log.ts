import { writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { ComparedRead } from "../../protocol/comparison.ts";
import type { RowOrigin } from "./row-source.ts";

/** What one read of a source requested: an entry for each operation, input and actor, with its pages. */
export class NotedRead {
  readonly #asked = new Map<string, ComparedRead>();
  readonly #side: string;
  readonly #from: number;

  constructor(side: string, from: number) {
    this.#side = side;
    this.#from = from;
  }

  /** Adds the rows of one page. */
  page({ operation, input, actor, as, page, at }: RowOrigin, rows: number): void {
    const name = writeJson([operation, input, actor, as]);
    const before = this.#asked.get(name);
    // A list that the run has held since earlier was read then.
    const from = Math.min(before?.from ?? this.#from, at);
    const seen = { side: this.#side, operation, input, actor, as, from };
    this.#asked.set(name, { ...seen, pages: Math.max(before?.pages ?? 0, page), rows: (before?.rows ?? 0) + rows, to: at });
  }

  /** The entries in the order in which they were first requested. */
  get reads(): readonly ComparedRead[] {
    return [...this.#asked.values()];
  }
}

/** The reads of the first look, kept so that somebody can check the comparison later (decision 166). */
export class ReadLog {
  /** At most `LIMITS.readsKept`. */
  readonly reads: ComparedRead[] = [];
  /** How many reads were made, kept or not. */
  readCount = 0;

  /** Adds what one read requested, up to the limit. */
  keep({ reads }: NotedRead): void {
    this.readCount += reads.length;
    this.reads.push(...reads.slice(0, LIMITS.readsKept - this.reads.length));
  }
}
