import { LIMITS } from "../base/limits.ts";
import { type OpenWrite, openWrites } from "../protocol/open-writes.ts";
import { stateOf } from "../protocol/state.ts";
import type { StatePlace } from "../sql/place.ts";
import { lookAtTables } from "../state/tables.ts";
import { unlessArchived } from "./archives/archives.ts";
import { assertThere, assertWhole, FORMAT, JOURNAL_PART, journalIn, tailOf, versionOf } from "./format.ts";
import { LOOKING } from "./journal.ts";
import type { Loss } from "./loss.ts";
import type { RunSummary } from "./run-summary.ts";
import { JournalStore } from "./store.ts";

/** The health of the journal in a state directory. */
export interface JournalHealth {
  /** The path of its file, or the schema of a database. */
  readonly path: string;
  /** The format in which it was written. */
  readonly format: number;
  /** The format that this version writes. */
  readonly newest: number;
  /** The damaged parts. */
  readonly damage: readonly string[];
  /** The latest runs that did not pass; empty if the journal has another format. */
  readonly runs: readonly RunHealth[];
  /** The losses that people have accepted. */
  readonly losses: readonly Loss[];
}

/** The health of a run that did not pass. */
export interface RunHealth extends RunSummary {
  /** Its writes with unknown outcome. */
  readonly open: readonly OpenWrite[];
}

/** Inspects a journal without changing anything; `undefined` if there is none. Throws a Failure if it cannot be read, or is missing. */
export function journalHealth(place: StatePlace): JournalHealth | undefined {
  if (typeof place === "string") assertThere(journalIn(place, "look"));
  const structure = structureOf(place);
  if (structure === undefined) return undefined;
  const health = { ...structure, newest: FORMAT };
  using store = structure.damage.length > 0 ? undefined : JournalStore.look(place);
  if (store === undefined) return { ...health, runs: [], losses: [] };
  return { ...health, runs: runsOf(store), losses: store.losses() };
}

function structureOf(place: StatePlace): Pick<JournalHealth, "path" | "format" | "damage"> | undefined {
  using database = lookAtTables(place, JOURNAL_PART);
  if (database === undefined) return undefined;
  const format = versionOf(database);
  const damage = database.quickCheck();
  if (format <= FORMAT && damage.length === 0) assertWhole(database, tailOf(database, LOOKING));
  return { path: database.path, format, damage };
}

function runsOf(store: JournalStore): readonly RunHealth[] {
  const runs = store.runs.notPassed(LIMITS.doctorRuns);
  return runs.flatMap((run) => {
    const records = unlessArchived(() => store.read(run.id));
    return records === undefined ? [] : [{ ...run, open: openWrites(stateOf(records)) }];
  });
}

/** Returns the latest runs of a state without changing anything; none if the journal has another format. Throws a Failure if it cannot be read. */
export function runsIn(place: StatePlace): readonly RunSummary[] {
  using store = JournalStore.look(place);
  return store?.runs.latest(LIMITS.doctorRuns) ?? [];
}
