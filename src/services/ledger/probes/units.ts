import { type Json, type JsonObject, jsonEquals } from "../../../base/json/json.ts";
import {
  type Evidence,
  inNothing,
  NAMELESS,
  type OtherWrite,
  type Probe,
  type ProbeRead,
  type Readings,
  type SeenEffect,
  type Sent,
  type Sight,
  TWIN,
  UNREAD,
} from "../../probe.ts";
import { field, listOf, recordsIn } from "../../../base/json/parts.ts";
import { present } from "../../../base/present.ts";
import { isEntity } from "../../probes/compare.ts";
import { isKeyless, keyFieldOf, matchOf, type Move, movesOf, type ShownMovement } from "./moves.ts";
import {
  couldBeOthers,
  effectOfMovement,
  isOfOthers,
  movementsOf,
  movementsRead,
  newMovements,
  type TokenMovement,
  unspentSince,
  UNSURE,
} from "./records.ts";
import { accountsOf } from "./tokens.ts";

// Units of non-fungible tokens: the token's transactions show their movements, and its accounts show their holders.

/** Returns the reads of the accounts that hold one of these units, before and after a write, and of the transactions after it. */
function readsOf(unitsOf: (sent: Sent) => readonly Json[]): Pick<Probe, "before" | "after"> {
  const accounts = (sent: Sent): ProbeRead => {
    const units = unitsOf(sent);
    return accountsOf(sent.input["id"], ({ nftIds }) => listOf(nftIds).some((id) => units.includes(id)));
  };
  return {
    before: (sent) => ({ accounts: accounts(sent) }),
    after: (sent) => ({ accounts: accounts(sent), transactions: movementsRead(sent.input["id"] ?? "") }),
  };
}

/** Returns the new record of the movement of one unit. */
function recordOf(evidence: Evidence, move: Move): TokenMovement | undefined {
  const fresh = newMovements(evidence, movementsIn(evidence), move.tokenId);
  return fresh.find((each) => matchOf(each, move, evidence.actor) === "yes");
}

function movementsIn({ now, input }: Evidence): readonly TokenMovement[] {
  return movementsOf(now["transactions"], input["id"]);
}

/** Returns the effect if no other write of the run can have left it. */
function ownEffect(evidence: Evidence, shown: ShownMovement, effect: SeenEffect): Sight {
  const { input, earlier, actor } = evidence;
  if (actor === undefined) return NAMELESS;
  if (effect.rests === "readings" && movementsIn(evidence).some((each) => isOfUnit(each, shown) && isOfOthers(evidence, each)))
    return OTHERS_MOVED;
  // The holder of a unit is not linked to a transaction. So even another write whose record is known may have moved the unit to this
  // holder.
  const all = effect.rests === "record" ? movementsIn(evidence) : [];
  const among = { all, tokenId: input["id"], key: keyFieldOf(input["id"], earlier) };
  return couldBeOthers(evidence, shown, among) ? TWIN : effect;
}

function isOfUnit(one: ShownMovement, other: ShownMovement): boolean {
  return one.unit === undefined || other.unit === undefined || one.unit === other.unit;
}

/** Returns the movement by which a unit may have reached its present holder. */
function movedTo(holder: Json, { type }: Move, unit: string | undefined): ShownMovement {
  return { type, to: holder, unit, by: undefined, from: undefined, amount: undefined };
}

function holderOf(accounts: Json | undefined, unit: Json): Json {
  return recordsIn(accounts).find(({ nftIds }) => listOf(nftIds).includes(unit))?.["entity"] ?? null;
}

/** The new unit belongs to its receiver, and had no holder before. */
export const unitMinted: Probe = {
  ...readsOf(idsIn),
  keep: ({ accounts }, sent) => ({ held: idsIn(sent).filter((id) => holderOf(accounts, id) !== null) }),
  judge: (evidence) => {
    const [move] = mintOf(evidence.input, evidence.earlier);
    if (evidence.before === undefined) return UNREAD;
    if (move?.units?.[0] === undefined) return { seen: "unclear", why: "none of the unit's data can be its id" };
    const record = recordOf(evidence, move);
    if (record !== undefined) return newUnit(evidence, record, effectOfMovement(record, { unit: record.unit ?? null }));
    return surely(evidence, move, mintedByAccounts(evidence, evidence.before, move));
  },
};

function mintedByAccounts(evidence: Evidence, before: Readings, move: Move): Sight {
  const { now, input } = evidence;
  const { units: ids = [] } = move;
  const fresh = ids.filter((id) => !listOf(before["held"]).includes(id));
  if (fresh.length === 0) return { seen: "nothing", again: "never" };
  const [unit, ...more] = fresh.filter((id) => holderOf(now["accounts"], id) !== null);
  if (unit === undefined) {
    const isRefused = fresh.length === ids.length && !isKeyless(input["id"], evidence.earlier);
    return isRefused ? { seen: "nothing", again: "unique" } : { seen: "nothing" };
  }
  const holder = holderOf(now["accounts"], unit);
  if (!isEntity(holder, input["to"])) return OTHERS;
  if (more.length > 0) return SEVERAL;
  return newUnit(evidence, movedTo(holder, move, unit), { seen: "effect", by: { unit, holder }, rests: "readings" });
}

// A unit may have left and returned. So the effect is not missing as long as a record could belong to this movement.
function surely(evidence: Evidence, move: Move, sight: Sight): Sight {
  if (sight.seen !== "nothing") return sight;
  const may = unspentSince(evidence, movementsIn(evidence)).some((each) => matchOf(each, move, evidence.actor) !== "no");
  return may ? { ...UNSURE, ...present({ again: sight.again }) } : sight;
}

function mintOf(input: JsonObject, earlier: readonly OtherWrite[]): readonly Move[] {
  return movesOf({ operation: "ledger.token.mint", input }, keyFieldOf(input["id"], earlier));
}

/** Returns the effect if the unit cannot belong to another part of this write, or to another write. */
function newUnit(evidence: Evidence, shown: ShownMovement, effect: SeenEffect): Sight {
  const { siblings = [], earlier, input } = evidence;
  const others = siblings.filter(({ id }) => id === input["id"]).flatMap((each) => mintOf(each, earlier));
  return others.some((move) => matchOf(shown, move, undefined) !== "no") ? SEVERAL_PARTS : ownEffect(evidence, shown, effect);
}

function idsIn({ input }: Sent): readonly string[] {
  return mintOf(input, []).flatMap(({ units = [] }) => units);
}

const SEVERAL: Sight = { seen: "unclear", why: "several units could be the new one" };
const SEVERAL_PARTS: Sight = { seen: "unclear", why: "the new unit could belong to more than one part of the write" };
const OTHERS = { seen: "conflict", why: "someone else has the unit", rests: "readings" } as const;
const OTHERS_MOVED: Sight = { seen: "unclear", why: "someone else has moved the unit meanwhile" };

/** A unit has passed from one holder to another, or to nobody if it is burnt. */
export function unitMoved(unitIn: (sent: Sent) => Json | undefined, to: (sent: Sent) => Json): Probe {
  const unit = (sent: Sent): Json => unitIn(sent) ?? null;
  return {
    ...readsOf((sent) => [unit(sent)]),
    keep: ({ accounts }, sent) => ({ held: { by: holderOf(accounts, unit(sent)) } }),
    judge: (evidence) => moved(evidence, unit(evidence), to(evidence)),
  };
}

function moved(evidence: Evidence, unit: Json, to: Json): Sight {
  const move = moveOfUnit(evidence.input, unit, to);
  const record = recordOf(evidence, move);
  if (record !== undefined) return ownEffect(evidence, record, effectOfMovement(record, { unit }));
  if (evidence.before === undefined) return UNREAD;
  return surely(evidence, move, movedByAccounts(evidence, field(evidence.before["held"], "by"), { move, unit, to }));
}

function movedByAccounts(
  evidence: Evidence,
  was: Json | undefined,
  { move, unit, to }: { readonly move: Move; readonly unit: Json; readonly to: Json },
): Sight {
  const { now, input } = evidence;
  if (now["accounts"] === null) return inNothing(was);
  if (!isEntity(was, input["from"])) return { seen: "unclear", why: "before the write, another holder had the unit" };
  const holder = holderOf(now["accounts"], unit);
  // A user is also a member of a whole organization.
  if (jsonEquals(holder, was ?? null)) return { seen: "nothing" };
  const isThere = to === null ? holder === null : isEntity(holder, to);
  if (!isThere) return OTHERS;
  return ownEffect(evidence, movedTo(holder, move, move.units?.[0]), { seen: "effect", by: { unit, holder }, rests: "readings" });
}

function moveOfUnit({ id: tokenId = null, from = null }: JsonObject, unit: Json, to: Json): Move {
  const units = typeof unit === "string" && unit !== "" ? [unit] : [];
  return { ...(to === null ? { type: "BURN" } : { type: "TRANSFER", to }), tokenId, from, units };
}
