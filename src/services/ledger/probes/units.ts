import { isObject, type Json, jsonEquals } from "../../../base/json/json.ts";
import { type Evidence, GONE, type Probe, type ProbeRead, type Sent, type Sight, UNREAD } from "../../probe.ts";
import { field, isEntity, listOf, number, recordsIn, text } from "../../probes/compare.ts";
import { effectOfMovement, movementsOf, movementsRead, newMovements, type TokenMovement } from "./records.ts";
import { accountsOf } from "./tokens.ts";

// Units of non-fungible tokens: the token's transactions show the movements, and its accounts the holders.

/** Returns the reads of the accounts that hold one of these units, before a write, and also of the transactions after it. */
function readsOf(unitsIn: (sent: Sent) => readonly Json[]): Pick<Probe, "before" | "after"> {
  const accounts = (sent: Sent): ProbeRead => {
    const units = unitsIn(sent);
    return accountsOf(sent.input["id"], ({ nftIds }) => listOf(nftIds).some((id) => units.includes(id)));
  };
  return {
    before: (sent) => ({ accounts: accounts(sent) }),
    after: (sent) => ({ accounts: accounts(sent), transactions: movementsRead(sent.input["id"] ?? "") }),
  };
}

/** Returns the movement of one of these units that only this write can have left. */
function movementOf(evidence: Evidence, type: string, units: readonly Json[]): TokenMovement | undefined {
  const { now, input, actor } = evidence;
  const all = movementsOf(now["transactions"], input["id"]);
  return newMovements(evidence, all, input["id"]).find(
    (each) => each.type === type && units.includes(each.unit ?? null) && isEntity(each.by, actor),
  );
}

function holderOf(accounts: Json | undefined, unit: Json): Json {
  return recordsIn(accounts).find(({ nftIds }) => listOf(nftIds).includes(unit))?.["entity"] ?? null;
}

/** The new unit has its receiver, and had no holder before. */
export const unitMinted: Probe = {
  ...readsOf(idsIn),
  keep: ({ accounts }, sent) => ({ held: idsIn(sent).filter((id) => holderOf(accounts, id) !== null) }),
  judge: (evidence) => {
    const { before, now, input } = evidence;
    if (before === undefined) return UNREAD;
    const ids = idsIn(evidence);
    const record = movementOf(evidence, "MINT", ids);
    if (record !== undefined && isEntity(record.to, input["to"])) return effectOfMovement(record, { unit: record.unit ?? null });
    const fresh = ids.filter((id) => !listOf(before["held"]).includes(id));
    if (ids.length === 0) return { seen: "unclear", why: "none of the unit's data can be its id" };
    if (fresh.length === 0) return { seen: "nothing", again: "never" };
    const [unit, ...more] = fresh.filter((id) => holderOf(now["accounts"], id) !== null);
    if (unit === undefined) return fresh.length === ids.length ? { seen: "nothing", again: "unique" } : { seen: "nothing" };
    const holder = holderOf(now["accounts"], unit);
    if (!isEntity(holder, input["to"])) return OTHERS;
    return more.length === 0
      ? { seen: "effect", by: { unit, holder }, rests: "readings" }
      : { seen: "unclear", why: "several units could be the new one" };
  },
};

// Only the token's definition says which of the data is the id, and no reading shows it.
function idsIn({ input }: Sent): readonly string[] {
  const data = input["nftData"];
  return isObject(data) ? Object.values(data).flatMap((value) => text(value) ?? number(value)?.canonical() ?? []) : [];
}

const OTHERS = { seen: "conflict", why: "someone else has the unit", rests: "readings" } as const;

/** A unit has passed from one holder to another; to nobody, when it is burnt. */
export function unitMoved(unitIn: (sent: Sent) => Json | undefined, to: (sent: Sent) => Json): Probe {
  const unit = (sent: Sent): Json => unitIn(sent) ?? null;
  return {
    ...readsOf((sent) => [unit(sent)]),
    keep: ({ accounts }, sent) => ({ held: { by: holderOf(accounts, unit(sent)) } }),
    judge: (evidence) => moved(evidence, unit(evidence), to(evidence)),
  };
}

function moved(evidence: Evidence, unit: Json, to: Json): Sight {
  const { before, now, input } = evidence;
  const record = movementOf(evidence, to === null ? "BURN" : "TRANSFER", [unit]);
  if (record !== undefined && (to === null || isEntity(record.to, to))) return effectOfMovement(record, { unit });
  if (before === undefined) return UNREAD;
  const was = field(before["held"], "by");
  if (!isEntity(was, input["from"])) return { seen: "unclear", why: "before the write, another holder had the unit" };
  if (now["accounts"] === null) return GONE;
  const holder = holderOf(now["accounts"], unit);
  // A user is also a member of a whole organization.
  if (jsonEquals(holder, was ?? null)) return { seen: "nothing" };
  const isThere = to === null ? holder === null : isEntity(holder, to);
  return isThere ? { seen: "effect", by: { unit, holder }, rests: "readings" } : OTHERS;
}
