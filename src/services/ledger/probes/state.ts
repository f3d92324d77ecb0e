import { type Json, type JsonObject, jsonEquals } from "../../../base/json/json.ts";
import {
  type Evidence,
  forEach,
  type OtherWrite,
  type Probe,
  type Readings,
  type Reads,
  type Sent,
  type Sight,
  UNREAD,
} from "../../probe.ts";
import { field } from "../../../base/json/parts.ts";
import { type Alike, includes, isExactly, itemsOf } from "../../probes/compare.ts";
import { isStamped, isTouchedBeside, missing, naming, newnessOf, timeOf } from "../../probes/recency.ts";
import { partyMatch } from "../../probes/match.ts";

/** How to find the effect of a write that sets a value: the value is there now, and was different before. */
export interface Setting {
  /** Returns the reads that show the value, which are the same before and after the write. */
  readonly reads: (sent: Sent) => Reads;
  /** Returns whether the readings show the value that was sent. `alike` compares two values. */
  readonly isSo: (read: Readings, sent: Sent, alike: Alike) => boolean;
  /** The record that the write stamps, and the id by which other writes would name the same thing. */
  readonly stamped?: (read: Readings, sent: Sent) => { readonly record: Json | undefined; readonly thing: Json };
  /** Splits a write that does several things, one after the other; by default into the items of a batch. */
  readonly split?: (sent: Sent) => readonly Sent[];
}

/** Returns the probe of a write that sets a value. It keeps of the readings before only whether the value was already set, and the stamp. */
export function settingProbe({ reads, isSo, stamped, split = itemsOf }: Setting): Probe {
  const isExactlySo = (read: Readings, sent: Sent): boolean => isSo(read, sent, includes) && isSo(read, sent, isExactly);
  return forEach(split, {
    before: reads,
    after: reads,
    keep: (read, sent) => ({
      so: isSo(read, sent, includes),
      exactly: isExactlySo(read, sent),
      stamp: stampIn(stamped?.(read, sent).record),
    }),
    judge: (evidence) => {
      const { before, now } = evidence;
      const { record, thing = "" } = stamped?.(now, evidence) ?? {};
      // Somebody else's later change may hide the effect of this write, or look like it.
      if (isStampedByOther(evidence, record)) return CHANGED_BY_OTHERS;
      // An empty list proves nothing about something that does not exist.
      if (Object.values(now).includes(null) || !isSo(now, evidence, includes)) {
        // Without the id of the thing, any write of the same kind may be about the same thing.
        const isRival = (write: OtherWrite): boolean => evidence.rivals.includes(write);
        return missing(evidence, stamped === undefined ? isRival : naming(thing), "value");
      }
      if (isStamped(evidence, record, { stamp: "updated", thing })) return stampedAt(record);
      if (before === undefined) return UNREAD;
      const isExact = isExactlySo(now, evidence);
      if (isExact && before["exactly"] === true) return UNCHANGED;
      if (before["so"] === true && !(isExact && before["exactly"] === false)) return ALMOST_SO;
      const by = { readBack: "as it was sent, and not so before" };
      const isActors = isNewlyStamped(evidence, record) && !isTouchedBeside(evidence, naming(thing));
      return { seen: "effect", by, rests: "readings", again: "value", isActors };
    },
  });
}

/** Returns what a write stamps. `reading` is the reading that shows it, and `name` is the input field that identifies it. */
export function stampedIn(reading: string, name: string): NonNullable<Setting["stamped"]> {
  return ({ [reading]: record = null }, { input }) => ({ record, thing: input[name] ?? null });
}

/** The value that a write sets was already set before it, and is still set. */
export const UNCHANGED: Sight = { seen: "unchanged", by: { because: "it was so before, and is so now" }, again: "value" };

/** The value that a write sets was there before and is there now, but not exactly: the write would change something. */
export const ALMOST_SO: Sight = {
  seen: "unclear",
  why: "what it sets was there before, and is there now, but not exactly as it was sent",
  again: "value",
};

const CHANGED_BY_OTHERS: Sight = {
  seen: "unclear",
  why: "someone else has changed it since the state before the write was read",
};

function stampIn(record: Json | undefined): Json {
  return [field(record, "updatedAt") ?? null, field(record, "updatedBy") ?? null];
}

function isNewlyStamped({ actor, before }: Evidence, record: Json | undefined): boolean {
  const was = before?.["stamp"];
  return was !== undefined && !jsonEquals(was, stampIn(record)) && partyMatch(field(record, "updatedBy"), actor) === "yes";
}

function isStampedByOther(evidence: Evidence, record: Json | undefined): boolean {
  const { actor, before } = evidence;
  const by = field(record, "updatedBy");
  if (actor === undefined || by === undefined || partyMatch(by, actor) !== "no") return false;
  const was = before?.["stamp"];
  if (was !== undefined && jsonEquals(was, stampIn(record))) return false;
  const newness = newnessOf(evidence, timeOf(field(record, "updatedAt")));
  return newness === "unknown" ? was !== undefined : newness !== "before";
}

function stampedAt(record: Json | undefined): Sight {
  return { seen: "effect", by: { readBack: "as it was sent", updatedAt: field(record, "updatedAt") ?? null }, rests: "record" };
}

/** How to find the effect of a write that creates something under an id: the id was unused, and now has the sent value. */
export interface Making {
  /** Returns the reads that show the thing, and the name of the read of the thing itself. */
  readonly read: (sent: Sent) => { readonly name: string; readonly reads: Reads };
  /** Returns the id in the input; undefined if the input has none. */
  readonly id: (input: JsonObject) => Json | undefined;
  /** Returns whether the run chose the id for this step, so that nobody else can have created the thing. */
  readonly isOurId: (sent: Sent) => boolean;
  /** Returns whether the created thing is as it was sent, judging also by the other present readings. */
  readonly isAsSent: (made: Json, sent: Sent, now: Readings) => boolean;
  /** Returns whether the service refuses a second one, according to the environment. */
  readonly isUnique: (sent: Sent) => boolean;
  /** Splits a write that does several things, one after the other; by default into the items of a batch. */
  readonly split?: (sent: Sent) => readonly Sent[];
}

/** Returns the probe of a write that creates something under an id. */
export function makingProbe({ read, id, isOurId, isAsSent, isUnique, split = itemsOf }: Making): Probe {
  return forEach(split, {
    // A thing with an id that the run chose cannot have existed before.
    before: (sent) => (isOurId(sent) ? {} : read(sent).reads),
    after: (sent) => read(sent).reads,
    keep: (readings, sent) => (isOurId(sent) ? {} : { present: readings[read(sent).name] !== null }),
    judge: (evidence) => {
      const made = evidence.now[read(evidence).name] ?? null;
      const isSame = made !== null && isAsSent(made, evidence, evidence.now);
      const isOurs = isOurId(evidence) || isStamped(evidence, made, { stamp: "created", thing: id(evidence.input) ?? null });
      if (isSame && isOurs) return { seen: "effect", by: { readBack: "there under the id that was sent" }, rests: "record" };
      const unique = isUnique(evidence);
      const before = wasThere(evidence, isOurId(evidence));
      if (before === undefined) return UNREAD;
      if (before) return unique ? { seen: "nothing", again: "never" } : ALREADY_THERE;
      if (made === null) return unique ? { seen: "nothing", again: "unique" } : { seen: "nothing" };
      if (partyMatch(field(made, "createdBy"), evidence.actor) === "no") return MADE_BY_OTHERS;
      return isSame
        ? { seen: "effect", by: { readBack: "there under the id that was sent, and not there before" }, rests: "readings" }
        : {
            seen: "conflict",
            why: "the thing with this id differs from what was sent",
            rests: isOurId(evidence) ? "record" : "readings",
          };
    },
  });
}

function wasThere({ before }: Evidence, isOurs: boolean): boolean | undefined {
  if (isOurs) return false;
  return before === undefined ? undefined : before["present"] === true;
}

const MADE_BY_OTHERS: Sight = { seen: "conflict", why: "someone else made the thing with this id", rests: "readings" };
const ALREADY_THERE: Sight = { seen: "unclear", why: "something with this id existed before" };
