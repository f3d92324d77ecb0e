import { extname } from "node:path";
import { command } from "../../base/command-line.ts";
import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { type JsonObject, shownJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { firstLines } from "../../base/text/text.ts";
import { leftBy } from "../../engine/run/earlier/writes-left-open.ts";
import type { KeyedRun } from "../../journal/archives/archives.ts";
import type { JournalStore } from "../../journal/store.ts";
import { mayHaveWritten } from "../../protocol/open-writes.ts";
import { stateOf } from "../../protocol/state.ts";

/** The rows of a file that have no run yet. */
interface AskedRows {
  readonly file: string;
  readonly playbook: string;
  /** The key of their batch; undefined if the batch is named by the file. */
  readonly key: string | undefined;
  /** The number of these rows. */
  readonly withoutRun: number;
}

/** The runs of a batch whose rows are no longer in its file. If a row is edited after its run, it is another row, and its run would write again. */
export class GoneRows {
  readonly #store: JournalStore;
  readonly #runs: Map<string, KeyedRun>;

  /** Starts with all runs of the batch, whose keys begin with `beginning`. */
  constructor(store: JournalStore, beginning: string) {
    this.#store = store;
    this.#runs = new Map(store.archives.runsWithKeysFrom(beginning).map((run) => [run.key, run]));
  }

  /** Records that the file contains the row of this key. */
  keep(key: string): void {
    this.#runs.delete(key);
  }

  /** Returns why no row without a run may start; nothing if no run of a missing row has written. All rows of the file must have been read. */
  refusal({ file, playbook, key, withoutRun }: AskedRows): Failure | undefined {
    const written = [...this.#runs.values()].flatMap((run) => this.#lineOf(run));
    if (withoutRun === 0 || written.length === 0) return undefined;
    const fresh = `NEW${extname(file)}`;
    const gone = written.length === 1 ? "1 row whose run has written" : `${written.length} rows whose runs have written`;
    return new Failure({
      code: "each.rows-gone",
      message: [
        `${file} lacks ${gone}, and ${withoutRun} of its rows ${withoutRun === 1 ? "has" : "have"} no run:`,
        ...firstLines(written.toSorted(), LIMITS.runsNamed),
      ].join("\n"),
      why: "a row that was edited after its run counts as a new row, and its run would write a second time; no such row was begun",
      next: [
        `change edited rows back to what they were, and put new rows into a file of their own${key === undefined ? "" : ", with a key of its own"}:`,
        key === undefined ? command`run ${playbook} --each ${fresh}` : command`run ${playbook} --each ${fresh} --key NAME`,
      ],
    });
  }

  /** Returns a failure if a run of a missing row left a write open, because nothing else reports it. All rows of the file must have been read. */
  leftOpen(file: string): Failure | undefined {
    const left = [...this.#runs.values()].flatMap(({ id, outcome, isArchived }) =>
      isArchived || outcome === "passed" || leftBy(this.#store, this.#store.summary(id)) === undefined ? [] : [id],
    );
    const [first, ...others] = left.toSorted();
    if (first === undefined) return undefined;
    return new Failure({
      code: "each.left-open",
      message: `${file} lacks ${others.length === 0 ? "a row whose run has" : `${left.length} rows whose runs have`} left a write open: ${[first, ...others].slice(0, LIMITS.runsNamed).join(", ")}`,
      why: "whether that write took effect is still unknown",
      next: ["check the ledger again and continue that run:", command`resume ${first}`],
      exit: EXIT.unknown,
    });
  }

  // Returns no line for a run that has certainly written nothing.
  #lineOf({ id, outcome, isArchived }: KeyedRun): readonly string[] {
    if (isArchived) return [`${id}: archived`];
    const state = stateOf(this.#store.read(id));
    if (outcome !== "passed" && !mayHaveWritten(state)) return [];
    return [`${id}: ${inputsLine(state.opened?.inputs ?? {})}`];
  }
}

function inputsLine(inputs: JsonObject): string {
  return Object.entries(inputs)
    .map(([name, value]) => `${name} ${shownJson(value)}`)
    .join(", ");
}
