import { Decimal } from "../../../base/numbers/decimal.ts";
import { type Json, type JsonObject, jsonEquals } from "../../../base/json/json.ts";
import type { Evidence, OtherWrite, ProbeRead, SeenEffect, Sight } from "../../probe.ts";
import { field, number, recordsIn, text } from "../../../base/json/parts.ts";
import { isoTimeOrNull } from "../../../base/time/date.ts";
import { partyMatch } from "../../probes/match.ts";
import { maybeSameId } from "../../same-id.ts";
import { isNewer, names, newnessOf, timeOf } from "../../probes/recency.ts";
import { matchOf, type Move, movesOf, type ShownMovement, unitId } from "./moves.ts";

// The records of transactions. The service writes each record once, with a time and an id. A record that is newer than the readings before
// a write, and that proves no other write, cannot come from an earlier moment of the service.

const MS = Decimal.of(1_000);
const ZERO = Decimal.of(0);
/** A time above this value is in milliseconds, any other in seconds. */
const SECONDS_END = Decimal.of(100_000_000_000);
/** A time above this value is in a finer unit, such as microseconds. In milliseconds it would be in the future, and so newer than any write. */
const MILLISECONDS_END = Decimal.of(100_000_000_000_000);

/** A record that a transaction left. */
export interface NewRecord {
  /** The id of the transaction. */
  readonly id: string | undefined;
  /** When the service wrote it, in milliseconds. */
  readonly at: number | undefined;
  /** Who did it, as the service writes it; undefined if the record does not say. */
  readonly by: Json | undefined;
}

/** One movement of a token in the list of its transactions. Their ids may differ from those of the ledger. */
export interface TokenMovement extends NewRecord, ShownMovement {}

/** One record of a history, with the resource after the change. */
export interface HistoryChange extends NewRecord {
  /** The resource after the change, as the record shows it. */
  readonly left: JsonObject;
}

/** Returns the movements of a token. A transaction without details is a movement too, and could be any of them. */
export function movementsOf(transactions: Json | undefined, tokenId: Json | undefined): readonly TokenMovement[] {
  return recordsIn(transactions).flatMap((transaction) => {
    const details = recordsIn(transaction["transactionDetails"]);
    return (details.length === 0 ? [{}] : details)
      .filter((detail) => detail["tokenId"] === undefined || detail["tokenId"] === tokenId)
      .map((detail) => movementIn(transaction, detail));
  });
}

function movementIn(transaction: JsonObject, detail: JsonObject): TokenMovement {
  return {
    id: text(transaction["id"]),
    at: movedAt(detail, transaction),
    by: transaction["createdBy"],
    from: detail["from"],
    to: detail["to"],
    amount: number(detail["amount"]),
    type: transaction["type"],
    unit: unitId(field(detail["data"], "id")),
  };
}

/**
 * Returns the read of a token's transactions that may be newer than the readings before a write. Older transactions prove nothing about
 * this write; they are kept only if they belong to other writes of the run.
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
  return unixTime(number(detail["timestampUnix"])) ?? timeOf(transaction["createdAt"]);
}

// The description does not show the unit (decision 228).
function unixTime(unix: Decimal | undefined): number | undefined {
  if (unix === undefined || unix.compare(ZERO) <= 0 || unix.compare(MILLISECONDS_END) > 0) return undefined;
  return (unix.compare(SECONDS_END) > 0 ? unix : unix.times(MS)).approximate();
}

/** Returns the records of a history, the oldest first. */
export function changesIn(history: Json | undefined): readonly HistoryChange[] {
  const records = oldestFirst(recordsIn(field(history, "records")));
  return records.map((left, at) => ({
    id: text(left["transactionId"]),
    at: timeOf(left["transactionTime"]),
    by: isCarriedOver(left, records[at - 1]) ? undefined : left["updatedBy"],
    left,
  }));
}

// The description does not say in which order a history lists its records. Without times, the order stays as it was given.
function oldestFirst(records: readonly JsonObject[]): readonly JsonObject[] {
  const timed = records.map((record) => ({ record, at: timeOf(record["transactionTime"]) ?? Number.NaN }));
  const [first, last] = [timed[0], timed.at(-1)];
  if (first === undefined || last === undefined || timed.some(({ at }) => Number.isNaN(at))) return records;
  const isReversed = first.at > last.at || (first.at === last.at && isCreation(last.record) && !isCreation(first.record));
  return (isReversed ? timed.toReversed() : timed).toSorted((one, other) => one.at - other.at).map(({ record }) => record);
}

/** Returns whether a record of a history shows the creation of its resource. */
export function isCreation({ trasactionType }: JsonObject): boolean {
  return trasactionType === "CREATED";
}

// The record of a deletion may show the resource as the change before it left it. Then it does not say who deleted it.
function isCarriedOver(left: JsonObject, before: JsonObject | undefined): boolean {
  const { updatedAt = null, transactionTime = null } = left;
  return before !== undefined && updatedAt !== transactionTime && jsonEquals(updatedAt, before["updatedAt"] ?? null);
}

/** Returns whether a transaction has already proven another write. */
export function isSpent({ id }: NewRecord, evidence: Evidence): boolean {
  return id !== undefined && evidence.isSpent(id);
}

/**
 * Returns the movements of a token that only this write, or another at the same time, can have left. A movement in the same second as the
 * readings before the write counts only if no earlier write of the run can have left it.
 */
export function newMovements(
  evidence: Evidence,
  movements: readonly TokenMovement[],
  tokenId: Json | undefined,
): readonly TokenMovement[] {
  return newOnes(evidence, movements, (movement) => !couldBeOf(evidence.earlier, movement, { all: movements, tokenId }));
}

/** What a movement is compared with. */
interface Among {
  /** All listed movements of the token. */
  readonly all: readonly TokenMovement[];
  readonly tokenId: Json | undefined;
  /** The field of a unit's data that is its id, if known. */
  readonly key?: string | undefined;
}

/** Returns whether another write of the run at the same time could have left a movement. Then the movement proves neither write. */
export function couldBeOthers({ rivals, bystanders }: Evidence, movement: ShownMovement, among: Among): boolean {
  return couldBeOf([...rivals, ...bystanders], movement, among);
}

function couldBeOf(writes: readonly OtherWrite[], movement: ShownMovement, { all, tokenId, key }: Among): boolean {
  return writes.some((write) => {
    const moves = movesOf(write, key).filter((move) => maybeSameId(move.tokenId, tokenId ?? null));
    return moves.some((move) => matchOf(movement, move, write.actor) !== "no") && !hasLeftAll(write, moves, all);
  });
}

// Each movement of a write leaves one record. So a write whose records are all known has left no other record.
function hasLeftAll({ transactions, actor }: OtherWrite, moves: readonly Move[], all: readonly TokenMovement[]): boolean {
  const left = all.filter(({ id }) => id !== undefined && transactions.includes(id));
  return left.length >= moves.length && moves.every((move) => left.some((each) => matchOf(each, move, actor) !== "no"));
}

/**
 * Returns the movements that are not older than the readings before a write, and have proven no other write. Judging by its time, any of
 * them may belong to this write.
 */
export function unspentSince(evidence: Evidence, movements: readonly TokenMovement[]): readonly TokenMovement[] {
  return movements.filter((each) => newnessOf(evidence, each.at) !== "before" && !isSpent(each, evidence));
}

/** Returns whether somebody else left a record after the readings before the write, judging by its time and author. */
export function isOfOthers(evidence: Evidence, { id, at, by }: NewRecord): boolean {
  const newness = newnessOf(evidence, at);
  const isEarlier = evidence.earlier.some(({ transactions }) => transactions.some((each) => each === id));
  return (newness === "after" || newness === "same second") && !isEarlier && partyMatch(by, evidence.actor) === "no";
}

/** A record may belong to the write, but is not clear enough. So the effect counts neither as visible nor as missing. */
export const UNSURE: Sight = {
  seen: "unclear",
  why: "a transaction of the token could be this write: its record does not say clearly who did what",
};

/** The operations that change an asset without naming it. */
const APPROVING: ReadonlySet<string> = new Set(["ledger.transfer.approve"]);

/** Returns a function that says whether another write may change an asset: it names the asset, or changes assets without naming them. */
export function changingAsset(id: Json): (write: OtherWrite) => boolean {
  return ({ operation, input }) => names(input, id) || APPROVING.has(operation);
}

/** Returns the changes of a thing that only this write, or another at the same time, can have left. Their ids are those of the ledger. */
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
    return isNewer(evidence, record.at, () => isOfNoEarlier(record));
  });
}

/** Returns the effect that a change proves. Its transaction id is that of the ledger. */
export function effectOfChange({ id, at }: HistoryChange, by: JsonObject = {}): SeenEffect {
  const transactionTime = isoTimeOrNull(at);
  return {
    seen: "effect",
    by: { ...by, transactionId: id ?? null, transactionTime },
    rests: "record",
    ...(id === undefined ? {} : { transactionId: id, spends: [id] }),
  };
}

/** Returns the effect that a movement proves. The id of a token's transaction may differ from the ledger's id. */
export function effectOfMovement({ id }: TokenMovement, by: JsonObject): SeenEffect {
  return {
    seen: "effect",
    by: { ...by, transaction: id ?? null },
    rests: "record",
    ...(id === undefined ? {} : { spends: [id] }),
  };
}
