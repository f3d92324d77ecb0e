import { Decimal } from "../../../base/numbers/decimal.ts";
import type { Json, JsonObject } from "../../../base/json/json.ts";
import type { Evidence, ProbeRead, Sight } from "../../probe.ts";
import { field, number, recordsIn, text } from "../../probes/compare.ts";
import { names, newnessOf, timeOf } from "../../probes/recency.ts";

// The records of transactions: the service wrote each of them once, with a time and an id. No earlier moment of the service can show a
// record that is newer than the readings before a write, and that proves no other write.

const MS = Decimal.of(1_000);
/** A time of at least this many digits is in milliseconds. */
const SECONDS_END = Decimal.of(100_000_000_000);

/** The writes that leave token transactions, whose ids need not be those of the ledger. */
const MOVING: ReadonlySet<string> = new Set([
  "ledger.token.mint",
  "ledger.token.burn",
  "ledger.erc1155.safeTransferFrom",
  "ledger.erc1155.safeBatchTransferFrom",
  "ledger.vault.deposit",
  "ledger.vault.withdraw",
]);

/** One record that a transaction left. */
export interface NewRecord {
  /** The transaction. */
  readonly id: string | undefined;
  /** When the service wrote it, in milliseconds. */
  readonly at: number | undefined;
  /** Who did it, as the service writes it; undefined when the record does not say. */
  readonly by: Json | undefined;
}

/** One movement of a token, as the list of its transactions shows it. */
export interface TokenMovement extends NewRecord {
  /** The sender, as the service writes it; undefined when the record names none. */
  readonly from: Json | undefined;
  /** The receiver, as the service writes it; undefined when the record names none. */
  readonly to: Json | undefined;
  /** How much was moved. */
  readonly amount: Decimal;
  /** The kind of the transaction, such as `MINT`; undefined when the record does not say. */
  readonly type: Json | undefined;
  /** The moved unit; `undefined` for an amount. */
  readonly unit: string | undefined;
}

/** One record of a history, with the resource as it was left. */
export interface HistoryChange extends NewRecord {
  /** The record as the history has it: the resource after the change. */
  readonly left: JsonObject;
}

/** The movements of a token. */
export function movementsOf(transactions: Json | undefined, tokenId: Json | undefined): readonly TokenMovement[] {
  return recordsIn(transactions).flatMap((transaction) =>
    recordsIn(transaction["transactionDetails"]).flatMap((detail) => {
      const amount = number(detail["amount"]);
      if (detail["tokenId"] !== tokenId || amount === undefined) return [];
      return [
        {
          id: text(transaction["id"]),
          at: movedAt(detail, transaction),
          by: transaction["createdBy"],
          from: detail["from"],
          to: detail["to"],
          amount,
          type: transaction["type"],
          unit: text(field(detail["data"], "id")),
        },
      ];
    }),
  );
}

/**
 * Returns the read of a token's transactions that may be newer than the readings before a write. Older ones prove nothing of it, except
 * that they are those of earlier writes.
 */
export function movementsRead(tokenId: Json): ProbeRead {
  return {
    operation: "ledger.transaction.list",
    input: { tokenId },
    keeps: (transaction, { since, earlier }) =>
      movementsOf([transaction], tokenId).some(({ at }) => newnessOf({ since }, at) !== "before") ||
      earlier.some(({ transactions }) => transactions.some((id) => id === transaction["id"])),
  };
}

function movedAt(detail: JsonObject, transaction: JsonObject): number | undefined {
  const unix = number(detail["timestampUnix"]);
  if (unix !== undefined) return (unix.compare(SECONDS_END) > 0 ? unix : unix.times(MS)).approximate();
  return timeOf(transaction["createdAt"]);
}

/** The records of a history, in its order. */
export function changesIn(history: Json | undefined): readonly HistoryChange[] {
  return recordsIn(field(history, "records")).map((left) => ({
    id: text(left["transactionId"]),
    at: timeOf(left["transactionTime"]),
    by: left["updatedBy"],
    left,
  }));
}

/** Returns whether a transaction has proven another write. */
export function isSpent({ id }: NewRecord, evidence: Evidence): boolean {
  return id !== undefined && evidence.isSpent(id);
}

/**
 * Returns the movements of a token that only this write, or one at the same time, can have left. In the second of the readings before the
 * write, an earlier movement of the run may be taken for it, unless each of those is found by its id.
 */
export function newMovements(
  evidence: Evidence,
  movements: readonly TokenMovement[],
  tokenId: Json | undefined,
): readonly TokenMovement[] {
  const ids = new Set(movements.map(({ id }) => id));
  const areAccounted = evidence.earlier
    .filter(({ operation, input }) => MOVING.has(operation) && names(input, tokenId ?? null))
    .every(({ transactions }) => transactions.some((id) => ids.has(id)));
  return newOnes(evidence, movements, areAccounted);
}

/** Returns the changes of a thing that only this write, or one at the same time, can have left. They have the ledger's own ids. */
export function newChanges(evidence: Evidence, changes: readonly HistoryChange[], thing: Json): readonly HistoryChange[] {
  const areAccounted = evidence.earlier
    .filter(({ input }) => names(input, thing))
    .every(({ transactions }) => transactions.length > 0);
  return newOnes(evidence, changes, areAccounted);
}

function newOnes<T extends NewRecord>(evidence: Evidence, records: readonly T[], areAccounted: boolean): readonly T[] {
  return records.filter((record) => {
    if (record.id === undefined || isSpent(record, evidence)) return false;
    const newness = newnessOf(evidence, record.at);
    return newness === "after" || (newness === "same second" && areAccounted);
  });
}

type Effect = Extract<Sight, { readonly seen: "effect" }>;

/** Returns the effect that a change proves; its transaction is the ledger's own. */
export function effectOfChange({ id, at }: HistoryChange, by: JsonObject = {}): Effect {
  const transactionTime = at === undefined ? null : new Date(at).toISOString();
  return {
    seen: "effect",
    by: { ...by, transactionId: id ?? null, transactionTime },
    rests: "record",
    ...(id === undefined ? {} : { transactionId: id, spends: [id] }),
  };
}

/** Returns the effect that a movement proves. The id of a token's transaction may differ from the ledger's. */
export function effectOfMovement({ id }: TokenMovement, by: JsonObject): Effect {
  return {
    seen: "effect",
    by: { ...by, transaction: id ?? null },
    rests: "record",
    ...(id === undefined ? {} : { spends: [id] }),
  };
}
