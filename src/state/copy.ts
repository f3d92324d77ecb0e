import { getOrInsert } from "../base/maps.ts";
import type { Cell, SqlDatabase, SqlRow } from "../sql/database.ts";
import type { CopiedTable, TableLayout } from "../sql/layout.ts";
import type { StatePlace } from "../sql/place.ts";
import { openTables, type StatePart } from "./tables.ts";

type RowNumbers = Map<string, Map<Cell, Cell>>;

function copyTables(from: SqlDatabase, to: SqlDatabase, { server }: TableLayout): void {
  const numbers: RowNumbers = new Map();
  for (const table of server?.copied ?? []) copyTable({ from, to, numbers }, table);
}

/**
 * Replaces the rows in the tables of a layout by a copy, within a transaction of the caller. A mark keeps everybody from writing to the original,
 * because a transaction there would have to last as long as the copy.
 */
export function replaceTables(from: SqlDatabase, to: SqlDatabase, layout: TableLayout): void {
  for (const { name } of layout.server?.copied.toReversed() ?? []) to.run(`DELETE FROM ${name}`);
  copyTables(from, to, layout);
}

/** Copies a part of the state other than the journal, replacing what is there. Both places have it in its newest format. */
export function copyPart(from: StatePlace, to: StatePlace, part: StatePart): void {
  using source = openTables(from, part, { moving: true });
  using copy = openTables(to, part, { moving: true });
  // Waits for everybody who began to write before the mark. Whoever begins later sees the mark.
  source.transaction(() => undefined);
  copy.transaction(() => replaceTables(source, copy, part.layout));
}

interface Copying {
  readonly from: SqlDatabase;
  readonly to: SqlDatabase;
  readonly numbers: RowNumbers;
}

function copyTable(copying: Copying, table: CopiedTable): void {
  let copied = 0;
  for (const row of rowsOf(copying.from, table)) {
    copyRow(copying, table, row);
    // Sends the waiting statements to a server, which ends a transaction that it hears nothing of for seconds.
    if (++copied % ROWS_AT_ONCE === 0) copying.to.get("SELECT 1");
  }
}

const ROWS_AT_ONCE = 100;

function* rowsOf(from: SqlDatabase, { name, order, pieces }: CopiedTable): Iterable<SqlRow> {
  if (pieces === undefined) return yield* from.iterate(`SELECT * FROM ${name} ORDER BY ${order}`);
  const which = `SELECT * FROM ${name} WHERE ${pieces.column} = ? ORDER BY ${order}`;
  for (const { id } of from.all(`SELECT id FROM ${pieces.table} ORDER BY id`)) yield* from.iterate(which, id ?? null);
}

function copyRow({ to, numbers }: Copying, { name, isNumbered, refers }: CopiedTable, row: SqlRow): void {
  // A server shows the number that keeps the order of rows; a file hides it.
  const { rowid: _rowid, ...columns } = row;
  const values: Record<string, Cell> = { ...columns };
  if (refers !== undefined) values[refers.column] = numbers.get(refers.table)?.get(values[refers.column] ?? null) ?? null;
  const { id = null } = values;
  if (isNumbered === true) delete values["id"];
  insertRow(to, name, values);
  if (isNumbered !== true) return;
  const given = to.get(`SELECT MAX(id) AS id FROM ${name}`)?.["id"] ?? null;
  getOrInsert(numbers, name, () => new Map()).set(id, given);
}

/** Inserts a row, given as its columns. */
export function insertRow(to: SqlDatabase, table: string, values: SqlRow): void {
  const names = Object.keys(values);
  const marks = names.map(() => "?").join(", ");
  to.run(`INSERT INTO ${table} (${names.map((each) => `"${each}"`).join(", ")}) VALUES (${marks})`, ...Object.values(values));
}
