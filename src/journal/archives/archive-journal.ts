import { readyOrClosed } from "../../base/ready-or-closed.ts";
import { command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import type { SqlRow } from "../../sql/database.ts";
import { Database } from "../../sqlite/database.ts";
import { insertRow } from "../../state/copy.ts";
import { wholeArchives } from "./archive-chain.ts";
import { readArchive, type SealedRun } from "./archive-file.ts";
import type { KnownArchive } from "./archives.ts";
import { JOURNAL } from "../format.ts";
import type { JournalPorts } from "../journal.ts";
import { JournalStore } from "../store.ts";

/** Which archives to open, and for which runs. */
export interface OpenedArchives {
  /** The path of a file or a folder. */
  readonly path: string;
  /** All archives that a journal has written. */
  readonly known: readonly KnownArchive[];
  /** Called if the journal wrote none of them. */
  readonly uncompared?: () => void;
  /** The runs whose records are read, by the names that a person gave. */
  readonly named: readonly string[];
}

/**
 * Opens archives as a journal in memory. It lists all their runs, and has the records of the named runs. Throws a Failure if an archive is
 * damaged, or no run has such a name.
 */
export function openArchives({ path, known, named, uncompared }: OpenedArchives, ports: JournalPorts): JournalStore {
  const { files, compared } = wholeArchives(path, known);
  if (!compared) uncompared?.();
  const database = Database.open(":memory:", JOURNAL);
  return readyOrClosed(JournalStore.over(database, ports), (store) => {
    const fileOf = new Map<string, string>();
    for (const file of files) {
      for (const run of readArchive(file).runs) {
        if (!fileOf.has(run.id)) insertRow(database, "run", columnsOf(run));
        fileOf.set(run.id, file);
      }
    }
    const wanted = new Set(named.map((name) => idIn(store, name, path)));
    for (const file of new Set([...wanted].map((id) => fileOf.get(id) ?? path)))
      database.transaction(() => {
        readArchive(file, ({ run, ...columns }) => {
          if (wanted.has(run)) insertRow(database, "record", { run_id: run, ...columns });
        });
      });
  });
}

function idIn(store: JournalStore, name: string, path: string): string {
  try {
    return store.named(name);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isNone = error.code === "journal.no-such-run";
    throw new Failure({
      code: error.code,
      message: isNone ? `there is no run "${name}" in ${path}` : error.message,
      next: command`runs --archive ${path}`,
    });
  }
}

function columnsOf({ openedAt, end, ...run }: SealedRun): SqlRow {
  return { ...run, opened_at: openedAt, settled: 1, last_sequence: end.sequence, last_hash: end.hash };
}
