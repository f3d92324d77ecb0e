import type { Json } from "../../base/json/json.ts";
import { present } from "../../base/present.ts";
import type { Evidence, OtherWrite, Repeatability, Sight } from "../probe.ts";
import { maybeSameId } from "../same-id.ts";
import { field, text } from "../../base/json/parts.ts";
import { contains, isEntity } from "./compare.ts";

// Any reading may show an earlier moment. But no moment before the readings can show what the service wrote after them.

const SECOND_MS = 1_000;

/**
 * When the service wrote something, compared with its answer to the first reading before the write. The `Date` header has whole seconds, so
 * what was written in that same second may be older. `unknown`: one of the two times is missing.
 */
export type Newness = "after" | "same second" | "before" | "unknown";

/** Compares a time that the service wrote with the readings before the write. */
export function newnessOf({ since }: Pick<Evidence, "since">, at: number | undefined): Newness {
  if (since === undefined || at === undefined) return "unknown";
  if (at < since) return "before";
  return at < since + SECOND_MS ? "same second" : "after";
}

/**
 * Returns whether the service wrote something after the readings before the write. What was written in the same second counts only if no
 * earlier write of the run can have left it.
 */
export function isNewer(evidence: Pick<Evidence, "since">, at: number | undefined, isOfNoEarlier: () => boolean): boolean {
  const newness = newnessOf(evidence, at);
  return newness === "after" || (newness === "same second" && isOfNoEarlier());
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Parses a time in the service's format: ISO 8601, in UTC if it names no offset. Returns `undefined` for anything else. */
export function timeOf(value: Json | undefined): number | undefined {
  const [written, offset] = ISO_TIME.exec(text(value) ?? "") ?? [];
  if (written === undefined) return undefined;
  // JavaScript would read a time without an offset as local time.
  const time = Date.parse(offset === undefined ? `${written}Z` : written);
  return Number.isNaN(time) ? undefined : time;
}

/** Returns whether a write names the thing anywhere in its input, or may name it. */
export function names(input: Json, thing: Json): boolean {
  return contains(input, (value) => maybeSameId(value, thing));
}

/** Returns a function that says whether another write names a thing, or may name it. */
export function naming(thing: Json): (write: OtherWrite) => boolean {
  return ({ input }) => names(input, thing);
}

/** Returns whether another write at the same time touches the thing, for example because it names it. */
export function isTouchedBeside({ rivals, bystanders }: Evidence, touches: (write: OtherWrite) => boolean): boolean {
  return [...rivals, ...bystanders].some(touches);
}

/**
 * Returns the sight of a write whose effect is not visible. The effect counts as missing only if no other write at the same time may have undone
 * it (decision 224).
 */
export function missing(evidence: Evidence, mayUndo: (write: OtherWrite) => boolean, again?: Repeatability): Sight {
  return isTouchedBeside(evidence, mayUndo) ? UNDONE_BESIDE : { seen: "nothing", ...present({ again }) };
}

const UNDONE_BESIDE: Sight = {
  seen: "unclear",
  why: "its effect is not there, and another write at the same time may have undone it",
};

/** Returns the writes that are not known to have left one of the records with these ids, so that another record could be theirs. */
export function withoutRecord(writes: readonly OtherWrite[], ids: ReadonlySet<Json | undefined>): readonly OtherWrite[] {
  return writes.filter(({ transactions }) => !transactions.some((id) => ids.has(id)));
}

/** The stamps of a record, each with a time and an author. */
export type Stamp = "created" | "updated";

/**
 * Returns whether the stamp of a record proves that this very write left it: the write's actor made the stamp after the readings before the
 * write, and no other write of the run can have made it.
 */
export function isStamped(
  evidence: Evidence,
  record: Json | undefined,
  { stamp, thing }: { stamp: Stamp; thing: Json },
): boolean {
  const { actor, earlier } = evidence;
  if (actor === undefined || !isEntity(field(record, `${stamp}By`), actor) || isTouchedBeside(evidence, naming(thing)))
    return false;
  return isNewer(evidence, timeOf(field(record, `${stamp}At`)), () => !earlier.some(naming(thing)));
}
