import { realpathSync, statSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import { Failure, messageOf } from "../base/failure.ts";
import { assertUnchanged, type NamedFile, readHead } from "../files/regular.ts";
import { connectForQuery } from "./database.ts";
import { failureOf } from "./failure.ts";

/** One row of a query, by the names of its columns. Whole numbers are bigints, so that none is rounded. */
export type QueryRow = Readonly<Record<string, string | number | bigint | null | Uint8Array>>;

/** Runs a query on a foreign file, which it cannot change. `accept` receives the columns, and may throw. Throws a Failure. */
export function* queryFile(
  { path: given, name }: NamedFile,
  query: string,
  accept: (columns: readonly string[]) => void,
): Generator<QueryRow, void> {
  const path = realpathSync(given);
  const file = { path, name };
  assertOneName(file);
  const isAlone = isIdleLog(file);
  const before = statSync(path, { bigint: true });
  // Without locks, only this shows that all rows are from one moment.
  const assertOneMoment = (): void => {
    if (isAlone) assertUnchanged(file, before, statSync(path, { bigint: true }));
  };
  using connection = connectForQuery(path, { isAlone });
  try {
    const statement = connection.prepare(query);
    assertOneQuery(statement, query);
    accept(statement.columns().map((column) => column.name));
    yield* statement.iterate() as unknown as Iterable<QueryRow>;
    assertOneMoment();
  } catch (error) {
    assertOneMoment();
    throw REFUSALS.has(Number((error as { readonly errcode?: number }).errcode))
      ? refused(messageOf(error))
      : failureOf(name, error);
  }
}

// SQLite compiles only the first statement of a text, and ignores what follows.
function assertOneQuery(statement: StatementSync, query: string): void {
  if (statement.columns().length === 0) throw refused("it gives no rows");
  if (query.slice(statement.sourceSQL.length).trim() !== "") throw refused("something follows its first statement");
}

// An error in the statement, a write, a value that is too large, and another kind of statement.
const REFUSALS: ReadonlySet<number> = new Set([1, 8, 18, 23]);

function refused(why: string): Failure {
  return new Failure({
    code: "source.refused",
    message: `the query was refused: ${why}`,
    next: "write one SELECT that changes nothing, without WITH RECURSIVE",
  });
}

// SQLite finds the log and the journal, which contain recent changes, by the name of the file.
function assertOneName({ path, name }: NamedFile): void {
  const { nlink } = statSync(path);
  if (nlink === 1) return;
  throw new Failure({
    code: "source.unreadable",
    message: `${name} is one of ${nlink} names of the same file (hard links): what changed lately may lie beside another name`,
    next: "name a copy that its program made, such as a backup",
  });
}

const HEAD_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const WRITE_VERSION = 18;
const HAS_LOG = 2;

// To read a file with a log, SQLite creates a missing log. A file that nobody has open is read without it.
function isIdleLog({ path, name }: NamedFile): boolean {
  const head = readHead({ path, name }, HEAD_BYTES);
  if (head.subarray(0, MAGIC.length).toString("latin1") !== MAGIC)
    throw new Failure({ code: "source.unreadable", message: `${name} is no SQLite database`, next: "name the file of one" });
  return head[WRITE_VERSION] === HAS_LOG && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
