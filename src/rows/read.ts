import { csvRows, ndjsonRows } from "./files.ts";
import { httpRows } from "./http.ts";
import type { OutsideKind, OutsideMeans, OutsidePlace, OutsideRows, ReaderOf } from "./outside.ts";
import { postgresRows } from "./postgres.ts";
import { sqliteRows } from "./sqlite.ts";

const READERS: { readonly [Kind in OutsideKind]: ReaderOf<Kind> } = {
  csv: csvRows,
  ndjson: ndjsonRows,
  sqlite: sqliteRows,
  postgres: postgresRows,
  http: httpRows,
};

/** Reads the rows of a place. None of the readers can write. */
export function readOutside(place: OutsidePlace, means: OutsideMeans): OutsideRows {
  return (READERS[place.kind] as ReaderOf<OutsideKind>)(place, means);
}
