import { LIMITS } from "../../base/limits.ts";
import { spellHolder } from "../../journal/holder.ts";
import { schedulePage } from "../../report/html/pages/schedule.ts";
import { type ListedFiring, type ListedSchedule, schedulesPage } from "../../report/html/pages/schedules.ts";
import { firingEntry } from "../../schedule/firing-entry.ts";
import { type KnownSchedule, ScheduleStore } from "../../schedule/store.ts";
import { peekIntoJournal } from "../runs/open-journal.ts";
import { blockingIn, entryOf } from "../schedule/entry.ts";
import { html, type WebPage, plain } from "./page.ts";
import type { StatePlace } from "../../sql/place.ts";
import type { FiringEntry } from "../../report/schedule/shape.ts";

/** Returns the list of schedules. */
export function schedulesOf(state: StatePlace): WebPage {
  const { shown, total } = listedSchedules(state);
  return html(schedulesPage(shown, total));
}

/** Returns the first schedules of a state directory, and their total number. */
export function listedSchedules(state: StatePlace): { readonly shown: readonly ListedSchedule[]; readonly total: number } {
  using store = ScheduleStore.look(state);
  if (store === undefined) return { shown: [], total: 0 };
  const all = store.all();
  return { shown: all.slice(0, LIMITS.viewSchedules).map((known) => listed(state, store, known)), total: all.length };
}

/** Returns the page of one schedule with its firings. */
export function scheduleOf(state: StatePlace, id: string): WebPage {
  using store = ScheduleStore.look(state);
  const known = store?.known(id);
  if (store === undefined || known === undefined) return plain(404, "no such schedule is known here");
  const firings = store.firings.history(id, LIMITS.viewHistory).map((firing) => firingOf(firingEntry(firing)));
  return html(schedulePage(listed(state, store, known), firings));
}

function listed(state: StatePlace, store: ScheduleStore, known: KnownSchedule): ListedSchedule {
  const entry = entryOf(
    { store, known, blocking: (asked) => peekIntoJournal(state, (journal) => blockingIn(journal, asked)) },
    LIMITS.viewFirings,
  );
  const { last, running } = entry;
  return {
    ...entry,
    last: last === null ? null : firingOf(last),
    running: running === null ? null : { ...firingOf(running), alive: running.alive },
  };
}

function firingOf({ holder, ...firing }: FiringEntry): ListedFiring {
  return { ...firing, heldBy: holder === null ? null : spellHolder(holder) };
}
