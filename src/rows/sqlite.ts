import { resolve } from "node:path";
import type { Json } from "../base/json/json.ts";
import { rested } from "../base/time/turns.ts";
import { Failure } from "../base/failure.ts";
import { type QueryRow, queryFile } from "../sqlite/query.ts";
import { failureOfFile } from "./files.ts";
import type { OutsideRow, ReaderOf } from "./outside.ts";
import { assertColumns, batchesOf, rowOfQuery, tooSlow, unclearText } from "./table.ts";

/** Reads a query of a file, which is protected only by the user's own rights: SQLite refuses everything that is not a query. */
export const sqliteRows: ReaderOf<"sqlite"> = async function* ({ path, query, timeoutMs }, { columns, cwd }) {
  const file = { path: resolve(cwd, path), name: path };
  let number = 0;
  const rows = function* (): Generator<OutsideRow> {
    for (const row of queryFile(file, query, (found) => assertColumns("the query", found, columns)))
      yield rowOf(rowOfQuery(++number, row), row, columns);
  };
  try {
    // The time in which the rows are used does not count for the query.
    let since = performance.now();
    for await (const batch of batchesOf(rows())) {
      if (performance.now() - since > timeoutMs) throw tooSlow(timeoutMs);
      yield batch;
      await rested();
      since = performance.now();
    }
  } catch (error) {
    throw error instanceof Failure ? error : failureOfFile(path, error);
  }
};

function rowOf(at: string, row: QueryRow, columns: readonly string[]): OutsideRow {
  const fields: [string, Json][] = [];
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) return { at, fault: `has bytes in its column "${column}": select a text or a number` };
    if (value !== null) fields.push([column, String(value)]);
  }
  const fault = unclearText(row, columns);
  return fault === undefined ? { at, record: Object.fromEntries(fields) } : { at, fault };
}
