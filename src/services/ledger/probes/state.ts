import type { Json, JsonObject } from "../../../base/json.ts";
import { type Evidence, forEach, type Probe, type Readings, type Reads, type Sent, type Sight, UNREAD } from "../../probe.ts";
import { field, itemsOf } from "../../probes/compare.ts";
import { isStamped } from "../../probes/recency.ts";

/** How a write shows that sets a value: it is so now, and was not so before. */
export interface Setting {
  readonly reads: (sent: Sent) => Reads;
  readonly isSo: (read: Readings, sent: Sent) => boolean;
  /** The record that the write stamps, and the id by which other writes would name the same thing. */
  readonly stamped?: (read: Readings, sent: Sent) => { readonly record: Json | undefined; readonly thing: Json };
  /** Does several things, one after the other; the items of a batch when left out. */
  readonly split?: (sent: Sent) => readonly Sent[];
}

/** The probe of a write that sets a value. What is kept from before is only whether it was so already. */
export function settingProbe({ reads, isSo, stamped, split = itemsOf }: Setting): Probe {
  return forEach(split, {
    before: reads,
    after: reads,
    keep: (read, sent) => ({ so: isSo(read, sent) }),
    judge: (evidence) => {
      const { before, now } = evidence;
      // Of what is not there, an empty list says nothing.
      if (Object.values(now).includes(null) || !isSo(now, evidence)) return { seen: "nothing", again: "value" };
      const { record, thing = "" } = stamped?.(now, evidence) ?? {};
      if (isStamped(evidence, record, { stamp: "updated", thing })) return stampedAt(record);
      if (before === undefined) return UNREAD;
      if (before["so"] === true) return UNCHANGED;
      return { seen: "effect", by: { readBack: "as it was sent, and not so before" }, rests: "readings", again: "value" };
    },
  });
}

/** What a write sets was so before it, and is so now. */
export const UNCHANGED: Sight = { seen: "unchanged", by: { because: "it was so before, and is so now" }, again: "value" };

function stampedAt(record: Json | undefined): Sight {
  return { seen: "effect", by: { readBack: "as it was sent", updatedAt: field(record, "updatedAt") ?? null }, rests: "record" };
}

/** How a write shows that makes something under an id: there was nothing of that id, and now there is what was sent. */
export interface Making {
  readonly read: (sent: Sent) => { readonly name: string; readonly reads: Reads };
  readonly id: (input: JsonObject) => Json | undefined;
  /** Whether the id was chosen by us, for this step: then nobody else can have made it. */
  readonly isOurId: (sent: Sent) => boolean;
  /** Of what was made, and all that was read now. */
  readonly isAsSent: (made: Json, sent: Sent, now: Readings) => boolean;
  /** Whether the environment says that the service refuses a second one. */
  readonly isUnique: (sent: Sent) => boolean;
  readonly split?: (sent: Sent) => readonly Sent[];
}

export function makingProbe({ read, id, isOurId, isAsSent, isUnique, split = itemsOf }: Making): Probe {
  return forEach(split, {
    // What has an id of ours cannot have been there before.
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
      return isSame
        ? { seen: "effect", by: { readBack: "there under the id that was sent, and not there before" }, rests: "readings" }
        : {
            seen: "conflict",
            why: "what is there under this id is not what was sent",
            rests: isOurId(evidence) ? "record" : "readings",
          };
    },
  });
}

function wasThere({ before }: Evidence, isOurs: boolean): boolean | undefined {
  if (isOurs) return false;
  return before === undefined ? undefined : before["present"] === true;
}

const ALREADY_THERE: Sight = { seen: "unclear", why: "something of this id was there before" };
