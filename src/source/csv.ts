import { createRequire } from "node:module";
import { pipeline, Readable } from "node:stream";
import type * as CsvStream from "csv-parse";
import type * as Csv from "csv-parse/sync";
import { isForbiddenKey } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { count } from "../base/text/text.ts";

// Loaded by the first table.
const load = createRequire(import.meta.url);
const csv = (): typeof Csv => load("csv-parse/sync") as typeof Csv;

const FORMAT = { bom: true, record_delimiter: ["\r\n", "\n", "\r"], skip_empty_lines: true };

/** Why a text is not a table, and where. */
export class CsvFault extends Error {
  override readonly name = "CsvFault";
  /** The line in the text, from 1. */
  readonly line: number;
  /** How to fix it. */
  readonly fix: string;

  constructor(line: number, message: string, fix: string) {
    super(message);
    this.line = line;
    this.fix = fix;
  }
}

/** One row, with the names of the header as keys. */
export type CsvRow = Readonly<Record<string, string>>;

/** The kept rows of a table, and the line where each begins. */
export interface CsvTable<Row> {
  /** The names of the columns, in their order. */
  readonly header: readonly string[];
  /** What was kept of each row, in the order of the text. */
  readonly rows: readonly Row[];
  /** The line on which each row begins, from 1. */
  readonly lines: readonly number[];
}

/**
 * Reads a table (RFC 4180, with a header row) row by row. `take` receives each row as soon as it is read, and only its result is kept.
 * Throws a CsvFault.
 */
export function readCsv<Row>(text: string, take: (row: CsvRow) => Row): CsvTable<Row> {
  let header: readonly string[] = [];
  let end = 1;
  let twice = 0;
  const rows: Row[] = [];
  const lines: number[] = [];
  const columns = (names: readonly string[]): string[] => {
    header = checkedHeader(names);
    return [...names];
  };
  const keep = (row: CsvRow, { lines: counted }: { readonly lines: number }): null => {
    const { breaks, pairs } = breaksIn(row);
    twice += pairs;
    end = counted - twice;
    if (rows.length >= LIMITS.dataRows) throw tooManyRows(end);
    rows.push(take(row));
    lines.push(end - breaks);
    return null;
  };
  const { CsvError, parse } = csv();
  try {
    parse(text, { ...FORMAT, columns, on_record: keep });
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, header, { end, twice }) : error;
  }
  if (header.length === 0) throw emptyFile();
  return { header, rows, lines };
}

/** A row of a table that is read piece by piece, and the line on which it begins. */
export interface StreamedRow {
  /** The row, by the names of the header. */
  readonly row: CsvRow;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

/**
 * Reads a table row by row from pieces of its text, and holds only one row. `accept` receives the header, and may throw. Throws a CsvFault,
 * for example if there is no header.
 */
export async function* streamCsv(
  pieces: AsyncIterable<string>,
  accept: (header: readonly string[]) => void = () => undefined,
): AsyncGenerator<StreamedRow> {
  const { parse, CsvError } = load("csv-parse") as typeof CsvStream;
  let header: readonly string[] = [];
  let [end, twice] = [1, 0];
  const columns = (names: readonly string[]): string[] => {
    header = checkedHeader(names);
    accept(header);
    return [...names];
  };
  try {
    const records = parse({ ...FORMAT, columns, info: true, max_record_size: LIMITS.rowChars });
    // A failure of either stream ends the records. With `compose`, it would end the process if the reader stops early.
    pipeline(Readable.from(pieces), records, () => undefined);
    for await (const { record, info } of records as AsyncIterable<Counted>) {
      const { breaks, pairs } = breaksIn(record);
      twice += pairs;
      end = info.lines - twice;
      yield { row: record, line: end - breaks };
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, header, { end, twice }) : error;
  }
  if (header.length === 0) throw emptyFile();
}

interface Counted {
  readonly record: CsvRow;
  readonly info: { readonly lines: number };
}

function checkedHeader(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  names.forEach((name, at) => {
    if (name.trim() === "") throw new CsvFault(1, `column ${at + 1} has no name`, "name every column in the first line");
    if (isForbiddenKey(name)) throw new CsvFault(1, `a column cannot be called "${name}"`, "give it another name");
    if (seen.has(name)) throw new CsvFault(1, `two columns are called "${name}"`, "give each a name of its own");
    seen.add(name);
  });
  const [only = ""] = names;
  if (names.length === 1 && /[;\t]/.test(only)) {
    throw new CsvFault(1, `the first line has no comma: ${JSON.stringify(only)}`, "separate the columns by commas");
  }
  return names;
}

function emptyFile(): CsvFault {
  return new CsvFault(1, "the file is empty", "write the names of the columns in its first line");
}

function tooManyRows(line: number): CsvFault {
  return new CsvFault(line, `more than ${LIMITS.dataRows} rows`, "split the file");
}

// A quoted cell may hold line breaks. The library reports the line where a row ends, and counts each \r\n in a cell twice.
function breaksIn(row: CsvRow): { readonly breaks: number; readonly pairs: number } {
  let [breaks, pairs] = [0, 0];
  for (const cell of Object.values(row)) {
    if (!/[\r\n]/.test(cell)) continue;
    for (const [each] of cell.matchAll(/\r\n|\n|\r/g)) {
      breaks++;
      if (each === "\r\n") pairs++;
    }
  }
  return { breaks, pairs };
}

/** How much of a table was read: the line where its last row ends, and how many lines were counted twice. */
interface ReachedLine {
  readonly end: number;
  readonly twice: number;
}

function faultOf(error: Csv.CsvError, header: readonly string[], { end, twice }: ReachedLine): CsvFault {
  const { code, lines, index, column } = error as Csv.CsvError & Readonly<Record<string, unknown>>;
  const line = typeof lines === "number" ? lines - twice : 1;
  const where = typeof column === "string" ? `column "${column}": ` : "";
  switch (code) {
    case "CSV_RECORD_INCONSISTENT_COLUMNS":
    case "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH":
      return new CsvFault(
        line,
        `the row has ${count(Number(index), "cell")}, and the header ${header.length}`,
        "put a cell that holds a comma in double quotes",
      );
    case "CSV_QUOTE_NOT_CLOSED":
      // The library took everything that follows for the cell, so the fault is in the row after the last complete row.
      return new CsvFault(end + 1, `${where}a double quote is not closed`, 'end the cell with "');
    case "INVALID_OPENING_QUOTE":
      return new CsvFault(line, `${where}a double quote in the middle of a cell`, QUOTES);
    case "CSV_INVALID_CLOSING_QUOTE":
      return new CsvFault(line, `${where}text after the closing double quote`, QUOTES);
    case "CSV_MAX_RECORD_SIZE":
      return new CsvFault(
        end + 1,
        `the row has more than ${LIMITS.rowChars.toLocaleString("en")} bytes`,
        "is a quote not closed?",
      );
    default:
      return new CsvFault(line, error.message, "write it as RFC 4180 has it");
  }
}

const QUOTES = 'quote the whole cell, with no space around the quotes, and write "" for a quote inside';
