import { command } from "../../../base/command-line.ts";
import { Failure } from "../../../base/failure.ts";
import { countLong } from "../../../base/text/text.ts";
import { ExchangeStore } from "../../../exchanges/exchange-store.ts";
import { knownStatePlace, type MemoryOptions } from "../../project/state-place.ts";
import { lookIntoJournal } from "../../runs/open-journal.ts";
import type { RunReference } from "../../runs/run-reference.ts";
import { printData, printLines } from "../../print/result.ts";
import type { Command } from "../../shell.ts";

interface DropOptions extends MemoryOptions {
  readonly runs?: readonly RunReference[];
  readonly older?: number;
}

/** `tokenbook runs drop-exchanges`: deletes the stored exchanges of runs, or those older than an age. */
export const dropExchanges: Command<DropOptions> = async (shell, options) => {
  const { runs = [], older } = options;
  if (runs.length > 0 === (older !== undefined)) {
    throw new Failure({
      code: "exchanges.which",
      message: "name the runs, or with --older the age of the exchanges to remove",
      next: command`runs drop-exchanges --older 7d`,
    });
  }
  const ids = older === undefined ? lookIntoJournal(shell, options, (journal) => runs.map((run) => run.in(journal))) : [];
  using store = ExchangeStore.existing(knownStatePlace(shell, options));
  const removed = older === undefined ? store.dropOf(ids) : store.dropBefore(store.clock.now() - older);
  if (options.json === true) return printData(shell, { removed });
  return printLines(shell, [`removed ${countLong(removed, "exchange")}`]);
};
