import { isoTime } from "../../base/time/date.ts";
import { parseJson, writeJson } from "../../base/json/json.ts";
import type { SqlRow } from "../../sql/database.ts";
import type { Database } from "../../sqlite/database.ts";

/** The interface of a write. */
type Interface = "ledger" | "investor";

/** A write that took effect. */
export interface CommittedWrite {
  /** Virtual milliseconds since the Unix epoch. */
  readonly at: number;
  /** The id of the transaction: 64 hexadecimal digits. */
  readonly transactionId: string;
  /** The interface of the write. */
  readonly interface: Interface;
  /** The name of the operation, such as `ledger.token.mint`. */
  readonly operation: string;
  /** The actor: an entity of the ledger, or the investor as `{ userId }`. */
  readonly actor: object;
  /** The body of the call, with the contract's field names. */
  readonly body: unknown;
}

/** Adds a write to the log, in the transaction in which it takes effect. */
export function logCommit(database: Database, write: CommittedWrite): void {
  database.run(
    "INSERT INTO commits (at, transaction_id, interface, operation, actor, body) VALUES (?, ?, ?, ?, ?, ?)",
    write.at,
    write.transactionId,
    write.interface,
    write.operation,
    writeJson(write.actor),
    writeJson(write.body),
  );
}

/** A committed write as it is shown, with its place in the order of all writes. */
export type LoggedCommit = Omit<CommittedWrite, "at"> & { readonly seq: number; readonly at: string };

/** Returns every committed write of both interfaces, in the order in which they took effect. */
export function committedWrites(database: Database): readonly LoggedCommit[] {
  return database.all("SELECT * FROM commits ORDER BY seq").map(asLogged);
}

/** Returns the last committed writes, the newest first, and their total number. */
export function latestCommits(
  database: Database,
  most: number,
): { readonly count: number; readonly latest: readonly LoggedCommit[] } {
  const count = Number(database.get("SELECT count(*) AS n FROM commits")?.["n"]);
  return { count, latest: database.all("SELECT * FROM commits ORDER BY seq DESC LIMIT ?", most).map(asLogged) };
}

function asLogged(row: SqlRow): LoggedCommit {
  return {
    seq: Number(row["seq"]),
    at: isoTime(Number(row["at"])),
    transactionId: String(row["transaction_id"]),
    interface: row["interface"] as Interface,
    operation: String(row["operation"]),
    actor: parseJson(String(row["actor"])) as object,
    body: parseJson(String(row["body"])),
  };
}
