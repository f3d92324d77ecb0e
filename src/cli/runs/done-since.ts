import { command, type Hint } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { isBroken } from "../../journal/chain.ts";
import { canonicalJson, jsonEquals, type JsonObject } from "../../base/json/json.ts";
import { getOrInsert } from "../../base/maps.ts";
import { leftBy } from "../../engine/run/earlier/writes-left-open.ts";
import { unlessArchived } from "../../journal/archives/archives.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";
import type { Playbook } from "../../playbook/model.ts";
import { hasWrites } from "../../playbook/playbook-walk.ts";
import type { PlaybookPlace } from "../../protocol/identity.ts";
import { mayHaveWritten } from "../../protocol/open-writes.ts";
import type { RunOpened } from "../../protocol/record.ts";
import { stateOf } from "../../protocol/state.ts";

/** Finds later runs that have done the work of an earlier one. Each later run is read only once. */
class LaterRuns {
  readonly #store: JournalStore;
  /** For each run, the inputs with which it has written; an empty text if it has written nothing. */
  readonly #written = new Map<string, string>();

  constructor(store: JournalStore) {
    this.#store = store;
  }

  /**
   * Returns the latest run with the same inputs that began after this one, has written and has passed. A run with a key is never the same as another one, so
   * nothing is returned for it.
   */
  doneSince(run: RunSummary, { inputs, idempotencyKey }: RunOpened): RunSummary | undefined {
    if (idempotencyKey !== undefined) return undefined;
    const own = canonicalJson(inputs);
    return this.#store.runs.passedSince(run).find(({ id }) => getOrInsert(this.#written, id, () => this.#writtenBy(id)) === own);
  }

  #writtenBy(id: string): string {
    const state = unlessArchived(() => stateOf(this.#store.read(id)));
    return state?.opened === undefined || !mayHaveWritten(state) ? "" : canonicalJson(state.opened.inputs);
  }
}

/**
 * Returns the ids of runs that have done the work of an earlier run that could still be resumed. Without these ids, `resume` would continue the earlier runs.
 */
export function runsThatShowDone(store: JournalStore): ReadonlySet<string> {
  const later = new LaterRuns(store);
  const shown = store.runs.unfinished().flatMap((run) => {
    const opened = openedOf(store, run.id);
    return (opened === undefined ? undefined : later.doneSince(run, opened)?.id) ?? [];
  });
  return new Set(shown);
}

// Nobody resumes a damaged run, or a run that another process has archived.
function openedOf(store: JournalStore, id: string): RunOpened | undefined {
  try {
    return unlessArchived(() => stateOf(store.read(id)).opened);
  } catch (error) {
    if (isBroken(error)) return undefined;
    throw error;
  }
}

/** A run that is about to begin. */
interface AboutToBegin {
  readonly playbook: Playbook;
  /** The path of its project from the folder that keeps the state; undefined without a project. */
  readonly folder: string | undefined;
  /** The name of its environment. */
  readonly environment: string;
  readonly inputs: JsonObject;
}

/**
 * Returns a note for a person who starts a new run although an earlier run of the playbook could be resumed; in most cases nothing, and never for a
 * playbook that only reads. There is no note for a run that left a write open, because that is refused with its own message, and none for a run that is
 * under way.
 */
export function unfinishedNote(store: JournalStore, hint: Hint, begins: AboutToBegin): readonly string[] {
  const { playbook, folder, environment } = begins;
  if (!hasWrites(playbook.steps)) return [];
  const place = { file: playbook.file, folder };
  const same = unfinishedWith(store, place, begins);
  const earlier = same ?? store.runs.lastOf(place, environment);
  if (earlier === undefined || earlier.outcome === "passed" || earlier.held !== undefined || leftBy(store, earlier) !== undefined)
    return [];
  const { id, outcome = "not finished" } = earlier;
  const which = same === undefined ? "its last one has" : "its last one with these inputs has";
  return [
    `note: this is a new run of ${place.file}; ${which} not passed (${outcome}). To continue that one: ${hint(command`resume ${id}`)}`,
  ];
}

/** Returns the last run without a key of a playbook in an environment with these inputs, if it has not passed and no run with these inputs has passed since. */
function unfinishedWith(
  store: JournalStore,
  place: PlaybookPlace,
  { environment, inputs }: AboutToBegin,
): RunSummary | undefined {
  const hasInputs = ({ id }: RunSummary): boolean =>
    unlessArchived(() => jsonEquals(store.openingOf(id)?.inputs ?? null, inputs)) === true;
  const run = store.runs.notPassedOf(place, environment).find(hasInputs);
  return run === undefined || store.runs.passedSince(run).some(hasInputs) ? undefined : run;
}

/** Returns a note that a later run has done the same, for a person who resumes the earlier run by its name. */
export function doneSinceNotes(store: JournalStore, run: RunSummary, opened: RunOpened): readonly string[] {
  const later = new LaterRuns(store).doneSince(run, opened);
  if (later === undefined) return [];
  return [
    `note: the run ${later.id} of that playbook has begun since with the same inputs, has written, and has passed; this continues the earlier one`,
  ];
}

/** Throws a Failure if a later run has done the same, because the person then hardly wants to resume the earlier one. */
export function assertNotDoneSince(store: JournalStore, run: RunSummary, opened: RunOpened): void {
  const later = new LaterRuns(store).doneSince(run, opened);
  if (later === undefined) return;
  throw new Failure({
    code: "resume.done-since",
    message: `the last run that did not pass is ${run.id} of ${run.playbook}, and the run ${later.id} of that playbook has begun since with the same inputs, has written, and has passed`,
    why: "the rest of the earlier run could be made a second time; nothing was sent",
    next: ["if nothing is left to do, leave it; to continue it nevertheless, name it:", command`resume ${run.id}`],
  });
}
