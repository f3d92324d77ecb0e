import { isoTime } from "../../base/time/date.ts";
import { parseJson, writeJson } from "../../base/json/json.ts";
import type { SqlRow } from "../../sql/database.ts";
import type { Database } from "../../sqlite/database.ts";

/** The interface by which a write came. */
type Interface = "ledger" | "investor";

/** One write that really happened. */
export interface CommittedWrite {
  /** Virtual milliseconds since the Unix epoch. */
  readonly at: number;
  /** The id of the transaction: 64 hexadecimal digits. */
  readonly transactionId: string;
  /** The interface by which the write came. */
  readonly interface: Interface;
  /** Its name, such as `ledger.token.mint`. */
  readonly operation: string;
  /** Who acted: an entity of the ledger, or the investor as `{ userId }`. */
  readonly actor: object;
  /** The body of the call, its fields named as in the contract. */
  readonly body: unknown;
}

/** Adds a write to the log, in the transaction that gives it its effect. */
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

/** A committed write as it is shown, with its place in the order of all of them. */
export type LoggedCommit = Omit<CommittedWrite, "at"> & { readonly seq: number; readonly at: string };

/** Every committed write of both interfaces, in the order in which they took effect. */
export function committedWrites(database: Database): readonly LoggedCommit[] {
  return database.all("SELECT * FROM commits ORDER BY seq").map(asLogged);
}

/** The writes committed last, newest first, and their total number. */
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
