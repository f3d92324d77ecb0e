import { isObject, type Json, jsonEquals } from "../../base/json.ts";
import { type Evidence, GONE, type Probe, type Sent, type Sight, UNREAD } from "../probe.ts";
import { field, isEntity, listOf, number, recordsIn, text } from "./compare.ts";
import { accountsOf } from "./tokens.ts";

// Units of non-fungible tokens: the accounts of a token say who holds which.

const accountsRead: Probe["after"] = ({ input }) => ({ accounts: accountsOf(input["id"]) });

function holderOf(accounts: Json | undefined, unit: Json): Json {
  return recordsIn(accounts).find(({ nftIds }) => listOf(nftIds).includes(unit))?.["entity"] ?? null;
}

/** A new unit is with its receiver, and was with nobody. */
export const unitMinted: Probe = {
  before: accountsRead,
  after: accountsRead,
  keep: ({ accounts }, sent) => ({ held: idsIn(sent).filter((id) => holderOf(accounts, id) !== null) }),
  judge: (evidence) => {
    const { before, now, input } = evidence;
    if (before === undefined) return UNREAD;
    const ids = idsIn(evidence);
    const fresh = ids.filter((id) => !listOf(before["held"]).includes(id));
    if (ids.length === 0) return { seen: "unclear", why: "none of the unit's data can be its id" };
    if (fresh.length === 0) return { seen: "nothing", again: "never" };
    const [unit, ...more] = fresh.filter((id) => holderOf(now["accounts"], id) !== null);
    if (unit === undefined) return fresh.length === ids.length ? { seen: "nothing", again: "unique" } : { seen: "nothing" };
    const holder = holderOf(now["accounts"], unit);
    if (!isEntity(holder, input["to"])) return { seen: "conflict", why: "the unit is with somebody else" };
    return more.length === 0
      ? { seen: "effect", by: { unit, holder } }
      : { seen: "unclear", why: "several units could be the new one" };
  },
};

// Only the token's definition says which of the data is the id, and it does not show.
function idsIn({ input }: Sent): readonly string[] {
  const data = input["nftData"];
  return isObject(data) ? Object.values(data).flatMap((value) => text(value) ?? number(value)?.canonical() ?? []) : [];
}

/** A unit has passed from one holder to another; to nobody, when it is burnt. */
export function unitMoved(unitIn: (sent: Sent) => Json | undefined, to: (sent: Sent) => Json): Probe {
  const unit = (sent: Sent): Json => unitIn(sent) ?? null;
  return {
    before: accountsRead,
    after: accountsRead,
    keep: ({ accounts }, sent) => ({ held: { by: holderOf(accounts, unit(sent)) } }),
    judge: (evidence) => moved(evidence, unit(evidence), to(evidence)),
  };
}

function moved({ before, now, input: { from = null } }: Evidence, unit: Json, to: Json): Sight {
  if (before === undefined) return UNREAD;
  const was = field(before["held"], "by");
  if (!isEntity(was, from)) return { seen: "unclear", why: "before the write the unit was not where it was to be taken from" };
  if (now["accounts"] === null) return GONE;
  const holder = holderOf(now["accounts"], unit);
  // A user is one of a whole organization too.
  if (jsonEquals(holder, was ?? null)) return { seen: "nothing" };
  if (to === null ? holder === null : isEntity(holder, to)) return { seen: "effect", by: { unit, holder } };
  return { seen: "conflict", why: "the unit is with somebody else" };
}
