import { Decimal } from "../../../base/numbers/decimal.ts";
import { type Json, type JsonObject, jsonEquals } from "../../../base/json/json.ts";
import type { Evidence, OtherWrite, ProbeRead, Sight } from "../../probe.ts";
import { field, number, recordsIn, text } from "../../../base/json/parts.ts";
import { isoTimeOrNull } from "../../../base/time/date.ts";
import { partyMatch } from "../../probes/match.ts";
import { maybeSameId } from "../../same-id.ts";
import { names, newnessOf, timeOf } from "../../probes/recency.ts";
import { matchOf, type Move, movesOf, type ShownMovement } from "./moves.ts";

// The records of transactions: the service wrote each of them once, with a time and an id. No earlier moment of the service can show a
// record that is newer than the readings before a write, and that proves no other write.

const MS = Decimal.of(1_000);
/** A time of at least this many digits is in milliseconds. */
const SECONDS_END = Decimal.of(100_000_000_000);

/** One record that a transaction left. */
export interface NewRecord {
  /** The transaction. */
  readonly id: string | undefined;
  /** When the service wrote it, in milliseconds. */
  readonly at: number | undefined;
  /** Who did it, as the service writes it; undefined when the record does not say. */
  readonly by: Json | undefined;
}

/** One movement of a token, as the list of its transactions shows it. Their ids need not be those of the ledger. */
export interface TokenMovement extends NewRecord, ShownMovement {}

/** One record of a history, with the resource as it was left. */
export interface HistoryChange extends NewRecord {
  /** The record as the history has it: the resource after the change. */
  readonly left: JsonObject;
}

/** The movements of a token. A transaction without details is a movement too, and could be any. */
export function movementsOf(transactions: Json | undefined, tokenId: Json | undefined): readonly TokenMovement[] {
  return recordsIn(transactions).flatMap((transaction) => {
    const details = recordsIn(transaction["transactionDetails"]);
    return (details.length === 0 ? [{}] : details)
      .filter((detail) => detail["tokenId"] === undefined || detail["tokenId"] === tokenId)
      .map((detail) => movementIn(transaction, detail));
  });
}

function movementIn(transaction: JsonObject, detail: JsonObject): TokenMovement {
  const unit = field(detail["data"], "id");
  return {
    id: text(transaction["id"]),
    at: movedAt(detail, transaction),
    by: transaction["createdBy"],
    from: detail["from"],
    to: detail["to"],
    amount: number(detail["amount"]),
    type: transaction["type"],
    unit: text(unit) ?? number(unit)?.canonical(),
  };
}

/**
 * Returns the read of a token's transactions that may be newer than the readings before a write. Older ones prove nothing of it, except
 * that they are those of other writes of the run.
 */
export function movementsRead(tokenId: Json): ProbeRead {
  return {
    operation: "ledger.transaction.list",
    input: { tokenId },
    keeps: (transaction, { since, ...writes }) =>
      movementsOf([transaction], tokenId).some(({ at }) => newnessOf({ since }, at) !== "before") ||
      Object.values(writes).some((some) => some.some(({ transactions }) => transactions.some((id) => id === transaction["id"]))),
  };
}

function movedAt(detail: JsonObject, transaction: JsonObject): number | undefined {
  const unix = number(detail["timestampUnix"]);
  if (unix !== undefined) return (unix.compare(SECONDS_END) > 0 ? unix : unix.times(MS)).approximate();
  return timeOf(transaction["createdAt"]);
}

/** The records of a history, the oldest first. */
export function changesIn(history: Json | undefined): readonly HistoryChange[] {
  const records = oldestFirst(recordsIn(field(history, "records")));
  return records.map((left, at) => ({
    id: text(left["transactionId"]),
    at: timeOf(left["transactionTime"]),
    by: isCarriedOver(left, records[at - 1]) ? undefined : left["updatedBy"],
    left,
  }));
}

// The description does not show in which order a history lists its records. Without their times, the order is as it was given.
function oldestFirst(records: readonly JsonObject[]): readonly JsonObject[] {
  const timed = records.map((record) => ({ record, at: timeOf(record["transactionTime"]) ?? Number.NaN }));
  const [first, last] = [timed[0], timed.at(-1)];
  if (first === undefined || last === undefined || timed.some(({ at }) => Number.isNaN(at))) return records;
  const isReversed = first.at > last.at || (first.at === last.at && isCreation(last.record) && !isCreation(first.record));
  return (isReversed ? timed.toReversed() : timed).toSorted((one, other) => one.at - other.at).map(({ record }) => record);
}

/** Returns whether a record of a history is of the creation of its resource. */
export function isCreation({ trasactionType }: JsonObject): boolean {
  return trasactionType === "CREATED";
}

// A record of a deletion may show the resource as the change before it left it: then it does not say who deleted it.
function isCarriedOver(left: JsonObject, before: JsonObject | undefined): boolean {
  const { updatedAt = null, transactionTime = null } = left;
  return before !== undefined && updatedAt !== transactionTime && jsonEquals(updatedAt, before["updatedAt"] ?? null);
}

/** Returns whether a transaction has proven another write. */
export function isSpent({ id }: NewRecord, evidence: Evidence): boolean {
  return id !== undefined && evidence.isSpent(id);
}

/**
 * Returns the movements of a token that only this write, or one at the same time, can have left. In the second of the readings before the
 * write, that is one which no earlier write of the run can have left.
 */
export function newMovements(
  evidence: Evidence,
  movements: readonly TokenMovement[],
  tokenId: Json | undefined,
): readonly TokenMovement[] {
  return newOnes(evidence, movements, (movement) => !couldBeOf(evidence.earlier, movement, { all: movements, tokenId }));
}

/** Where a movement is looked for. */
interface Among {
  /** Every movement of the token that is listed. */
  readonly all: readonly TokenMovement[];
  readonly tokenId: Json | undefined;
  /** The field of a unit's data that is its id, if that is known. */
  readonly key?: string | undefined;
}

/** Returns whether another write of the run, at the same time, could have left a movement: then it proves neither. */
export function couldBeOthers({ rivals, bystanders }: Evidence, movement: ShownMovement, among: Among): boolean {
  return couldBeOf([...rivals, ...bystanders], movement, among);
}

function couldBeOf(writes: readonly OtherWrite[], movement: ShownMovement, { all, tokenId, key }: Among): boolean {
  return writes.some((write) => {
    const moves = movesOf(write, key).filter((move) => maybeSameId(move.tokenId, tokenId ?? null));
    return moves.some((move) => matchOf(movement, move, write.actor) !== "no") && !hasLeftAll(write, moves, all);
  });
}

// Each movement of a write leaves one record: a write whose records are all known has left no other.
function hasLeftAll({ transactions, actor }: OtherWrite, moves: readonly Move[], all: readonly TokenMovement[]): boolean {
  const left = all.filter(({ id }) => id !== undefined && transactions.includes(id));
  return left.length >= moves.length && moves.every((move) => left.some((each) => matchOf(each, move, actor) !== "no"));
}

/**
 * Returns the movements that are not older than the readings before a write, and have proven no other: any of them may be of this write, as
 * far as its time says.
 */
export function unspentSince(evidence: Evidence, movements: readonly TokenMovement[]): readonly TokenMovement[] {
  return movements.filter((each) => newnessOf(evidence, each.at) !== "before" && !isSpent(each, evidence));
}

/** Returns whether somebody else left a record since the readings before the write, as far as its time and author say. */
export function isOfOthers(evidence: Evidence, { id, at, by }: NewRecord): boolean {
  const newness = newnessOf(evidence, at);
  const isEarlier = evidence.earlier.some(({ transactions }) => transactions.some((each) => each === id));
  return (newness === "after" || newness === "same second") && !isEarlier && partyMatch(by, evidence.actor) === "no";
}

/** A record may be of the write, and is not clear enough: its effect can neither be seen nor be missing. */
export const UNSURE: Sight = {
  seen: "unclear",
  why: "a transaction of the token could be this write: its record does not say clearly who did what",
};

/** The operations that change an asset which they do not name. */
const APPROVING: ReadonlySet<string> = new Set(["ledger.transfer.approve"]);

/** Returns the question whether another write may change an asset: it names the asset, or changes one that it does not name. */
export function changingAsset(id: Json): (write: OtherWrite) => boolean {
  return ({ operation, input }) => names(input, id) || APPROVING.has(operation);
}

/** Returns the changes of a thing that only this write, or one at the same time, can have left. They have the ledger's own ids. */
export function newChanges(
  evidence: Evidence,
  changes: readonly HistoryChange[],
  mayChange: (write: OtherWrite) => boolean,
): readonly HistoryChange[] {
  const areAccounted = evidence.earlier.filter(mayChange).every(({ transactions }) => transactions.length > 0);
  return newOnes(evidence, changes, () => areAccounted);
}

function newOnes<T extends NewRecord>(
  evidence: Evidence,
  records: readonly T[],
  isOfNoEarlier: (record: T) => boolean,
): readonly T[] {
  return records.filter((record) => {
    if (record.id === undefined || isSpent(record, evidence)) return false;
    const newness = newnessOf(evidence, record.at);
    return newness === "after" || (newness === "same second" && isOfNoEarlier(record));
  });
}

/** The sight of an effect. */
export type SeenEffect = Extract<Sight, { readonly seen: "effect" }>;

/** Returns the effect that a change proves; its transaction is the ledger's own. */
export function effectOfChange({ id, at }: HistoryChange, by: JsonObject = {}): SeenEffect {
  const transactionTime = isoTimeOrNull(at);
  return {
    seen: "effect",
    by: { ...by, transactionId: id ?? null, transactionTime },
    rests: "record",
    ...(id === undefined ? {} : { transactionId: id, spends: [id] }),
  };
}

/** Returns the effect that a movement proves. The id of a token's transaction may differ from the ledger's. */
export function effectOfMovement({ id }: TokenMovement, by: JsonObject): SeenEffect {
  return {
    seen: "effect",
    by: { ...by, transaction: id ?? null },
    rests: "record",
    ...(id === undefined ? {} : { spends: [id] }),
  };
}
